import { encodeMap, MAP_FILE } from '../src/base-map/map-file.ts'
import { mapLabels } from './map-labels.ts'
import { mapOutlines } from './map-outlines.ts'
import { mapTiles } from './map-tiles.ts'
import { populatedPlaces, replaceFile } from './place-sources.ts'

// Builds the base map.

const outlines = mapOutlines()
const { tiles, version } = mapTiles(outlines, mapLabels(outlines.areas, populatedPlaces()))
replaceFile(MAP_FILE, encodeMap(version, tiles))
