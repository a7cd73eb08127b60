import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { encodeColumns, PLACES_FILE, readColumns, readPlaceFile, writePlaceFile } from '../src/places/place-file.ts'
import { corrections, placeCities } from './place-cities.ts'
import { type PlaceData, placeColumns } from './place-columns.ts'
import {
  boroughs,
  populatedPlaces,
  postOffices,
  regions,
  sourceVersions,
  stateKey,
  usCounties,
  zipAreas,
} from './place-sources.ts'
import { placeSpots } from './place-spots.ts'

/** Makes the place file, unless it is there and was made from the same packages by the same code. */
export function buildPlaces(file = PLACES_FILE): 'built' | 'current' {
  const stamp = stampOf()
  if (isCurrent(file, stamp)) return 'current'
  const outlines = [...usCounties(), ...regions()]
  const states = [...new Set(outlines.map(stateKey))]
  const read = (data: PlaceData) => readColumns(encodeColumns(placeColumns(data)))
  const plain = read({ states, outlines, cities: [], spots: [] })
  const cities = placeCities(plain, populatedPlaces())
  const corrected = { states, outlines: [...corrections(plain, cities), ...outlines], cities }
  const zips = { boroughs: boroughs(), offices: postOffices(), zipAreas: zipAreas() }
  const spots = placeSpots(read({ ...corrected, spots: [] }), states, zips)
  const columns = placeColumns({ ...corrected, spots })
  mkdirSync(dirname(file), { recursive: true })
  writePlaceFile(file, stamp, encodeColumns(columns))
  return 'built'
}

const CODE = ['build-places', 'place-cities', 'place-columns', 'place-keys', 'place-sources', 'place-spots']
const READER = ['normalize', 'outlines', 'place-file', 'places']

function stampOf(): string {
  const hash = createHash('sha256').update(sourceVersions())
  const sources = [...CODE.map((name) => `scripts/${name}`), ...READER.map((name) => `src/places/${name}`)]
  for (const source of sources) hash.update(readFileSync(new URL(`../${source}.ts`, import.meta.url)))
  return hash.digest('hex')
}

function isCurrent(file: string, stamp: string): boolean {
  if (!existsSync(file)) return false
  try {
    return readPlaceFile(file).stamp === stamp
  } catch {
    return false // of another format
  }
}

if (import.meta.main) console.log(`Place data: ${buildPlaces()} (${PLACES_FILE})`)
