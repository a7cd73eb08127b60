import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { GeoJSONVT, type GeoJSONVTFeature, type GeoJSONVTOptions, type GeoJSONVTTile } from '@maplibre/geojson-vt'
import { fromGeojsonVt } from '@maplibre/vt-pbf'
import type { Feature, MultiPolygon } from 'geojson'
import { MAP_MAX_ZOOM, tileNumber } from '../src/base-map/map-file.ts'
import type { MapLabel } from './map-labels.ts'
import type { MapOutlines } from './map-outlines.ts'

const EXTENT = 4096
const OPTIONS: GeoJSONVTOptions = {
  maxZoom: MAP_MAX_ZOOM,
  indexMaxZoom: MAP_MAX_ZOOM,
  indexMaxPoints: 0,
  extent: EXTENT,
  // Half a CSS pixel.
  tolerance: 4,
}

/** The compressed tiles by their number, and the version that identifies their content. */
export function mapTiles(
  { land, lakeStates, shores, borders }: MapOutlines,
  labels: MapLabel[],
): { tiles: Map<number, Buffer>; version: string } {
  const [landIndex, lakeIndex, shoreIndex] = [polygons(land), polygons(lakeStates), polygons(shores)]
  const borderIndex = indexOf(
    borders.flatMap(({ kind, fromZoom, lines }) =>
      lines.coordinates.map((coordinates) => feature({ type: 'LineString', coordinates }, { kind, fromZoom })),
    ),
  )
  const labelTiles = labelsByTile(labels)
  const tiles = new Map<number, Buffer>()
  const stored = new Map<string, Buffer>()
  const content = createHash('sha256')
  for (const [z, x, y] of allTiles()) {
    const number = tileNumber(z, x, y)
    const layers = layersOf({
      land: landIndex.getTile(z, x, y),
      water: lakeIndex.getTile(z, x, y),
      shores: lakeIndex.getTile(z, x, y) && shoreIndex.getTile(z, x, y),
      boundaries: shownAt(z, borderIndex.getTile(z, x, y)),
      places: labelTiles.get(number) ?? null,
    })
    if (Object.keys(layers).length === 0) continue
    const bytes = fromGeojsonVt(layers, { version: 2, extent: EXTENT })
    const hash = createHash('sha256').update(bytes).digest('hex')
    const compressed = stored.get(hash) ?? gzipSync(bytes, { level: 9 })
    stored.set(hash, compressed)
    tiles.set(number, compressed)
    content.update(`${number} ${hash} `)
  }
  // Of the content before compression, whose bytes depend on the processor.
  return { tiles, version: content.digest('hex').slice(0, 16) }
}

function* allTiles(): Generator<[z: number, x: number, y: number]> {
  for (let z = 0; z <= MAP_MAX_ZOOM; z++) {
    for (let y = 0; y < 2 ** z; y++) for (let x = 0; x < 2 ** z; x++) yield [z, x, y]
  }
}

function feature(geometry: Feature['geometry'], properties = {}): Feature {
  return { type: 'Feature', properties, geometry }
}

function polygons({ coordinates }: MultiPolygon): GeoJSONVT {
  return indexOf(coordinates.map((rings) => feature({ type: 'Polygon', coordinates: rings })))
}

function indexOf(features: Feature[]): GeoJSONVT {
  return new GeoJSONVT({ type: 'FeatureCollection', features }, OPTIONS)
}

/** The lines that are shown at a zoom, with their kind alone. */
function shownAt(z: number, tile: GeoJSONVTTile | null): GeoJSONVTTile | null {
  const lines = (tile?.features ?? []) as GeoJSONVTFeature[]
  const shown = lines.filter(({ tags }) => z >= tags?.fromZoom)
  return { features: shown.map((line) => ({ ...line, tags: { kind: line.tags?.kind } })) }
}

function layersOf(tiles: Record<string, GeoJSONVTTile | null>): Record<string, GeoJSONVTTile> {
  const entries = Object.entries(tiles).flatMap(([name, tile]) =>
    tile?.features.length ? [[name, tile] as const] : [],
  )
  return Object.fromEntries(entries)
}

/** Each label is in the one tile of each zoom that has its position; the largest tiles have those of larger zooms too. */
function labelsByTile(labels: MapLabel[]): Map<number, GeoJSONVTTile> {
  const tiles = new Map<number, GeoJSONVTTile>()
  for (const { kind, name, minZoom, x, y } of labels) {
    for (let z = Math.min(minZoom, MAP_MAX_ZOOM); z <= MAP_MAX_ZOOM; z++) {
      const [column, row] = [Math.floor(x * 2 ** z), Math.floor(y * 2 ** z)]
      const position: [number, number] = [
        Math.floor((x * 2 ** z - column) * EXTENT),
        Math.floor((y * 2 ** z - row) * EXTENT),
      ]
      const number = tileNumber(z, column, row)
      const tile = tiles.get(number) ?? { features: [] }
      tiles.set(number, tile)
      tile.features.push({ type: 1, geometry: [position], tags: { kind, name, minzoom: minZoom } })
    }
  }
  return tiles
}
