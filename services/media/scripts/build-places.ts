import { encodeColumns, PLACES_FILE, readColumns, readPlaceFile, writePlaceFile } from '../src/places/place-file.ts'
import { corrections, placeCities, placeSpots } from './place-cities.ts'
import { type PlaceData, placeColumns } from './place-columns.ts'
import {
  boroughs,
  buildOnce,
  populatedPlaces,
  postOffices,
  regions,
  stateKey,
  usCounties,
  zipAreas,
} from './place-sources.ts'

/** Builds the place file, unless it exists and was built from the same packages by the same code. */
export function buildPlaces(file = PLACES_FILE): 'built' | 'current' {
  return buildOnce(file, ['src/places'], readPlaceFile, (stamp) => {
    const outlines = [...usCounties(), ...regions()]
    const states = [...new Set(outlines.map(stateKey))]
    const read = (data: PlaceData) => readColumns(encodeColumns(placeColumns(data)))
    const plain = read({ states, outlines, cities: [], spots: [] })
    const cities = placeCities(plain, populatedPlaces())
    const corrected = { states, outlines: [...corrections(plain, cities), ...outlines], cities }
    const zips = { boroughs: boroughs(), offices: postOffices(), zipAreas: zipAreas() }
    const spots = placeSpots(read({ ...corrected, spots: [] }), states, zips)
    writePlaceFile(file, stamp, encodeColumns(placeColumns({ ...corrected, spots })))
  })
}

if (import.meta.main) console.log(`Place data: ${buildPlaces()} (${PLACES_FILE})`)
