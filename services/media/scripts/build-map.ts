import { WORLD_FILE } from '../src/base-map/base-map.ts'
import { mapLabels } from './map-labels.ts'
import { mapOutlines } from './map-outlines.ts'
import { mapArchive } from './map-tiles.ts'
import { populatedPlaces, replaceFile } from './place-sources.ts'

// Builds the world of the base map.

const outlines = mapOutlines()
replaceFile(WORLD_FILE, await mapArchive(outlines, mapLabels(outlines.areas, populatedPlaces())))
