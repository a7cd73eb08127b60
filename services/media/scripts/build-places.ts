import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { encodeColumns, PLACES_FILE, readColumns, readPlaceFile, writePlaceFile } from '../src/places/place-file.ts'
import { corrections, placeCities } from './place-cities.ts'
import { placeColumns } from './place-columns.ts'
import type { PlaceData } from './place-data.ts'
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

/** Builds the place file, unless it exists and was built from the same packages by the same code. */
export function buildPlaces(file = PLACES_FILE): 'built' | 'current' {
  const stamp = createStamp()
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

const BUILD_MODULES = [
  'build-places',
  'place-cities',
  'place-columns',
  'place-data',
  'place-keys',
  'place-sources',
  'place-spots',
]
const PLACES_MODULES = ['normalize', 'outlines', 'place-file', 'places']

function createStamp(): string {
  const hash = createHash('sha256').update(sourceVersions())
  const sources = [
    ...BUILD_MODULES.map((name) => `scripts/${name}`),
    ...PLACES_MODULES.map((name) => `src/places/${name}`),
  ]
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
