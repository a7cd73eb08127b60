import { GeoJSONVT, type GeoJSONVTFeature, type GeoJSONVTOptions, type GeoJSONVTTile } from '@maplibre/geojson-vt'
import { fromGeojsonVt } from '@maplibre/vt-pbf'
import type { Feature, MultiPolygon } from 'geojson'
import { BufferWriter, Compression, S2PMTilesWriter, TileType } from 's2-pmtiles'
import type { MapLabel } from './map-labels.ts'
import type { MapOutlines } from './map-outlines.ts'

/** The deepest tiles; larger zooms enlarge them. A unit is 38 m there, below the error of the outlines. */
const MAX_ZOOM = 8
/** What a map must credit: PLACES.md. */
const ATTRIBUTION = 'GeoNames, Natural Earth, US Census Bureau'
const EXTENT = 4096
const OPTIONS: GeoJSONVTOptions = {
  maxZoom: MAX_ZOOM,
  indexMaxZoom: MAX_ZOOM,
  indexMaxPoints: 0,
  extent: EXTENT,
  // Half a CSS pixel.
  tolerance: 4,
}

/** The bytes of a PMTiles archive with the layers `earth`, `boundaries` and `places` of the Protomaps basemap. */
export async function mapArchive(
  { land, lakeStates, shores, borders }: MapOutlines,
  labels: MapLabel[],
): Promise<Buffer> {
  const [landIndex, lakeIndex, shoreIndex] = [polygons(land), polygons(lakeStates), polygons(shores)]
  const borderIndex = indexOf(
    borders.flatMap(({ kind, fromZoom, lines }) =>
      lines.coordinates.map((coordinates) => feature({ type: 'LineString', coordinates }, { kind, fromZoom })),
    ),
  )
  const labelTiles = labelsByTile(labels)
  const output = new BufferWriter()
  const archive = new S2PMTilesWriter(output, TileType.Pbf, Compression.Gzip)
  for (const [z, x, y] of allTiles()) {
    const layers = layersOf({
      earth: join(landIndex.getTile(z, x, y), lakeIndex.getTile(z, x, y) && shoreIndex.getTile(z, x, y)),
      boundaries: shownAt(z, borderIndex.getTile(z, x, y)),
      places: labelTiles.get(keyOf(z, x, y)) ?? null,
    })
    if (Object.keys(layers).length === 0) continue
    await archive.writeTileXYZ(z, x, y, fromGeojsonVt(layers, { version: 2, extent: EXTENT }))
  }
  await archive.commit({ attribution: ATTRIBUTION })
  return Buffer.from(output.commit())
}

function keyOf(...tile: [z: number, x: number, y: number]): string {
  return tile.join('/')
}

function join(one: GeoJSONVTTile | null, other: GeoJSONVTTile | null): GeoJSONVTTile {
  return { features: [...(one?.features ?? []), ...(other?.features ?? [])] as GeoJSONVTTile['features'] }
}

function* allTiles(): Generator<[z: number, x: number, y: number]> {
  for (let z = 0; z <= MAX_ZOOM; z++) {
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
function labelsByTile(labels: MapLabel[]): Map<string, GeoJSONVTTile> {
  const tiles = new Map<string, GeoJSONVTTile>()
  for (const { kind, name, minZoom, x, y } of labels) {
    for (let z = Math.min(minZoom, MAX_ZOOM); z <= MAX_ZOOM; z++) {
      const [column, row] = [Math.floor(x * 2 ** z), Math.floor(y * 2 ** z)]
      const position: [number, number] = [
        Math.floor((x * 2 ** z - column) * EXTENT),
        Math.floor((y * 2 ** z - row) * EXTENT),
      ]
      const key = keyOf(z, column, row)
      const tile = tiles.get(key) ?? { features: [] }
      tiles.set(key, tile)
      tile.features.push({ type: 1, geometry: [position], tags: { kind, name, min_zoom: minZoom } })
    }
  }
  return tiles
}
