import { MAP_FILE, readMapHeader, writeMapFile } from '../src/base-map/map-file.ts'
import { mapLabels } from './map-labels.ts'
import { mapOutlines } from './map-outlines.ts'
import { mapTiles } from './map-tiles.ts'
import { buildOnce, populatedPlaces } from './place-sources.ts'

/** Builds the base map, unless it exists and was built from the same packages by the same code. */
export function buildMap(file = MAP_FILE): 'built' | 'current' {
  return buildOnce(file, ['src/base-map', 'src/places'], readMapHeader, (stamp) => {
    const outlines = mapOutlines()
    const labels = mapLabels(outlines.areas, populatedPlaces())
    const { tiles, version } = mapTiles(outlines, labels)
    writeMapFile(file, { stamp, version }, tiles)
  })
}

if (import.meta.main) console.log(`Base map: ${buildMap()} (${MAP_FILE})`)
