import { encodePlaces, PLACES_FILE, readPlaces } from '../src/places/place-file.ts'
import { corrections, placeCities, placeSpots } from './place-cities.ts'
import { type PlaceData, placeColumns } from './place-columns.ts'
import { populatedPlaces, regions, replaceFile, stateKey, usCounties } from './place-sources.ts'

// Builds the place file. Each step names places by what the steps before it have found.

const read = (data: PlaceData) => readPlaces(encodePlaces(placeColumns(data)))

const outlines = [...usCounties(), ...regions()]
const states = [...new Set(outlines.map(stateKey))]
const plain = read({ states, outlines, cities: [], spots: [] })
const cities = placeCities(plain, populatedPlaces())
const corrected = { states, outlines: [...corrections(plain, cities), ...outlines], cities }
const spots = placeSpots(read({ ...corrected, spots: [] }), states)
replaceFile(PLACES_FILE, encodePlaces(placeColumns({ ...corrected, spots })))
