import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { MAP_FILE, readMapHeader, writeMapFile } from '../src/base-map/map-file.ts'
import { mapLabels } from './map-labels.ts'
import { mapOutlines } from './map-outlines.ts'
import { mapTiles } from './map-tiles.ts'
import { populatedPlaces, sourceVersions } from './place-sources.ts'

const MODULES = ['build-map', 'map-labels', 'map-outlines', 'map-tiles', 'place-sources']

/** Builds the base map, unless it exists and was built from the same packages by the same code. */
export function buildMap(file = MAP_FILE): 'built' | 'current' {
  const stamp = createStamp()
  if (isCurrent(file, stamp)) return 'current'
  const outlines = mapOutlines()
  const labels = mapLabels(outlines.areas, populatedPlaces())
  const { tiles, version } = mapTiles(outlines, labels)
  mkdirSync(dirname(file), { recursive: true })
  writeMapFile(file, { stamp, version }, tiles)
  return 'built'
}

function createStamp(): string {
  const hash = createHash('sha256').update(sourceVersions())
  const sources = [...MODULES.map((name) => `scripts/${name}`), 'src/base-map/map-file', 'src/places/countries']
  for (const source of sources) hash.update(readFileSync(new URL(`../${source}.ts`, import.meta.url)))
  return hash.digest('hex')
}

function isCurrent(file: string, stamp: string): boolean {
  if (!existsSync(file)) return false
  try {
    return readMapHeader(file).stamp === stamp
  } catch {
    return false // of another format
  }
}

if (import.meta.main) console.log(`Base map: ${buildMap()} (${MAP_FILE})`)
