import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { encodeColumns, PLACES_FILE, readColumns, readPlaceFile, writePlaceFile } from '../src/places/place-file.ts'
import { corrections, placeCities } from './place-cities.ts'
import { placeColumns, stateKey } from './place-columns.ts'
import { populatedPlaces, regions, sourceVersions, usCounties } from './place-sources.ts'

/** Makes the place file, unless it is there and was made from the same packages by the same code. */
export function buildPlaces(file = PLACES_FILE): 'built' | 'current' {
  const stamp = stampOf()
  if (isCurrent(file, stamp)) return 'current'
  const outlines = [...usCounties(), ...regions()]
  const states = [...new Set(outlines.map(stateKey))]
  const data = readColumns(encodeColumns(placeColumns(states, outlines, [])))
  const cities = placeCities(data, populatedPlaces())
  const columns = placeColumns(states, [...corrections(data, cities), ...outlines], cities)
  mkdirSync(dirname(file), { recursive: true })
  writePlaceFile(file, stamp, encodeColumns(columns))
  return 'built'
}

const CODE = ['scripts/build-places', 'scripts/place-cities', 'scripts/place-columns', 'scripts/place-sources']
const READER = ['src/places/outlines', 'src/places/place-file', 'src/places/places']

function stampOf(): string {
  const hash = createHash('sha256').update(sourceVersions())
  for (const source of [...CODE, ...READER]) hash.update(readFileSync(new URL(`../${source}.ts`, import.meta.url)))
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
