import { VectorTile, type VectorTileFeature } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import type { AppConfig } from '../api/types.ts'
import type { Area } from '../lib/geography.ts'
import { project } from '../lib/geography.ts'
import { type Box, boxOf, EXTENT, type Line } from './tile-geometry.ts'

/** What is drawn alike. */
export type Kind =
  | 'earth'
  | 'green'
  | 'sand'
  | 'built'
  | 'water'
  | 'stream'
  | 'building'
  | 'tunnel'
  | 'path'
  | 'runway'
  | 'service'
  | 'minor'
  | 'major'
  | 'highway'
  | 'rail'
  | 'county'
  | 'region'
  | 'country'

export interface Shape {
  lines: Line[]
  box: Box
  /** Of a road; empty without one. */
  name: string
}

export interface Label {
  x: number
  y: number
  name: string
  kind: 'country' | 'region' | 'county' | 'locality' | 'neighbourhood' | 'water'
  /** The zoom of the tiles from which on it is shown. */
  from: number
  /** Among those of the same zoom the higher goes first. */
  rank: number
}

/** What the base map shows of a part of the world. */
interface BaseTile {
  shapes: ReadonlyMap<Kind, readonly Shape[]>
  labels: readonly Label[]
}

/** The tile that shows a wanted one: itself, or the one above it of which the wanted one is a part. */
export interface FoundTile {
  z: number
  x: number
  y: number
  tile: BaseTile
}

const NO_TILE: BaseTile = { shapes: new Map(), labels: [] }
/** Tiles that are kept; more are read again. */
const MAX_CACHED = 96

/** Reads the tiles of the base map. They never change at their address, so the browser's cache has them, too. */
export function createBaseTiles({ base, maxZoom, detail }: Pick<AppConfig['map'], 'base' | 'maxZoom' | 'detail'>) {
  const tiles = new Map<string, Promise<BaseTile>>()

  async function read(path: string): Promise<BaseTile> {
    const response = await fetch(`${base}/${path}`)
    if (!response.ok) throw new Error(`Base map: ${response.status}`)
    const bytes = await response.arrayBuffer()
    return bytes.byteLength === 0 ? NO_TILE : decodeTile(new Uint8Array(bytes))
  }

  function get(path: string): Promise<BaseTile> {
    const known = tiles.get(path)
    const tile = known ?? read(path)
    tiles.delete(path)
    tiles.set(path, tile)
    const oldest = tiles.keys().next().value
    if (tiles.size > MAX_CACHED && oldest !== undefined) tiles.delete(oldest)
    if (!known) tile.catch(() => tiles.delete(path))
    return tile
  }

  async function above(z: number, x: number, y: number, level: number): Promise<FoundTile> {
    const at = { z: level, x: Math.floor(x / 2 ** (z - level)), y: Math.floor(y / 2 ** (z - level)) }
    return { ...at, tile: await get(`${at.z}/${at.x}/${at.y}`) }
  }

  return {
    /**
     * The deepest tile that there is of a place: where the detail has none, that of the whole world, which is empty where
     * there is only sea. Rejects when it cannot be read.
     */
    async find(z: number, x: number, y: number): Promise<FoundTile> {
      if (z > maxZoom && detail && isWithin(z, x, y, detail)) {
        const found = await above(z, x, y, Math.min(z, detail.maxZoom))
        if (found.tile !== NO_TILE) return found
      }
      return above(z, x, y, Math.min(z, maxZoom))
    },
  }
}

export type BaseTiles = ReturnType<typeof createBaseTiles>

/**
 * From this zoom of the tiles on, those of smaller zooms are not drawn: the coasts of the own world are known within 300 m, which would
 * put a beach into the sea.
 */
const STREET_ZOOM = 10

/** Whether a tile of a zoom says too little to be drawn at another. */
export function isTooCoarse(z: number, shownAt: number): boolean {
  return z < STREET_ZOOM && shownAt >= STREET_ZOOM
}

/** Whether a part of a tile is in an area that does not cross the date line. */
function isWithin(z: number, x: number, y: number, { west, south, east, north }: Area): boolean {
  const [left, right] = [west / 360 + 0.5, east / 360 + 0.5]
  const [top, bottom] = [north, south].map((latitude) => project({ latitude, longitude: 0 }).y) as [number, number]
  const side = 2 ** -z
  return x * side <= right && (x + 1) * side >= left && y * side <= bottom && (y + 1) * side >= top
}

/** Reads a vector tile in the layers of the Protomaps basemap, version 4: https://docs.protomaps.com/basemaps/layers. */
export function decodeTile(bytes: Uint8Array): BaseTile {
  const shapes = new Map<Kind, Shape[]>()
  const labels: Label[] = []
  for (const [name, layer] of Object.entries(new VectorTile(new PbfReader(bytes)).layers)) {
    const scale = EXTENT / layer.extent
    for (let index = 0; index < layer.length; index += 1) {
      const feature = layer.feature(index)
      const label = labelKindOf(name, feature)
      const kind = kindOf(name, feature)
      if (!label && !kind) continue
      const lines = feature.loadGeometry().map((line) => line.flatMap(({ x, y }) => [x * scale, y * scale]))
      if (label) labels.push(...labelsOf(label, lines, feature))
      if (!kind) continue
      const same = shapes.get(kind) ?? []
      shapes.set(kind, same)
      same.push({ lines, box: boxOf(lines), name: name === 'roads' ? nameOf(feature) : '' })
    }
  }
  labels.sort((a, b) => a.from - b.from || b.rank - a.rank)
  return { shapes, labels }
}

/** The types of geometry in a vector tile. */
const [POINT, LINE, POLYGON] = [1, 2, 3]

const LABEL_KINDS: Record<string, Label['kind']> = {
  country: 'country',
  region: 'region',
  county: 'county',
  locality: 'locality',
  macrohood: 'neighbourhood',
  neighbourhood: 'neighbourhood',
}

function labelKindOf(layer: string, { type, properties }: VectorTileFeature): Label['kind'] | undefined {
  if (type !== POINT) return undefined
  if (layer === 'water') return 'water'
  return layer === 'places' ? LABEL_KINDS[String(properties.kind)] : undefined
}

function labelsOf(kind: Label['kind'], [point]: Line[], feature: VectorTileFeature): Label[] {
  const [x, y] = point ?? []
  const name = nameOf(feature)
  if (x === undefined || y === undefined || !name) return []
  const { min_zoom: from, population_rank: rank } = feature.properties
  return [{ x, y, name, kind, from: Number(from) || 0, rank: Number(rank) || 0 }]
}

/** In English, as the rest of the application, where there is such a name. */
function nameOf({ properties }: VectorTileFeature): string {
  return String(properties['name:en'] ?? properties.name ?? '')
}

const LAND: Record<string, Kind> = {
  ...same('green', 'allotments cemetery dog_park farmland farmyard forest garden golf_course grass grassland'),
  ...same('green', 'meadow nature_reserve orchard park pitch playground recreation_ground scrub village_green wood'),
  ...same('sand', 'bare_rock barren beach sand'),
  ...same('built', 'aerodrome airfield college commercial hospital industrial kindergarten military naval_base'),
  ...same('built', 'parking pedestrian pier railway retail school university zoo'),
}
const ROADS: Record<string, Kind> = {
  aerialway: 'rail',
  aeroway: 'runway',
  highway: 'highway',
  major_road: 'major',
  medium_road: 'major',
  minor_road: 'minor',
  other: 'path',
  path: 'path',
  rail: 'rail',
}
const BOUNDARIES: Record<string, Kind> = { country: 'country', region: 'region', county: 'county' }

function same(kind: Kind, names: string): Record<string, Kind> {
  return Object.fromEntries(names.split(' ').map((name) => [name, kind]))
}

/** How a shape is drawn; undefined: not at all. */
function kindOf(layer: string, { type, properties }: VectorTileFeature): Kind | undefined {
  const kind = String(properties.kind)
  if (layer === 'boundaries') return BOUNDARIES[kind]
  if (layer === 'roads') return type === LINE ? roadKindOf(kind, properties) : undefined
  if (layer === 'water' && type === LINE) return 'stream'
  if (type !== POLYGON) return undefined
  if (layer === 'earth' || layer === 'water') return layer
  if (layer === 'buildings') return 'building'
  return layer === 'landuse' || layer === 'landcover' ? LAND[kind] : undefined
}

function roadKindOf(kind: string, { kind_detail, is_tunnel }: VectorTileFeature['properties']): Kind | undefined {
  // What is below the ground is nothing to fly over.
  if (is_tunnel) return kind === 'rail' ? undefined : 'tunnel'
  return kind_detail === 'service' ? 'service' : ROADS[kind]
}
