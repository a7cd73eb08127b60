import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'

/** Coordinates in a decoded tile, x and y in turn, from 0 to `EXTENT` and a little beyond. */
export type Line = number[]

/** West, north, east, south. */
export type Box = readonly [number, number, number, number]

export interface Shape {
  lines: Line[]
  box: Box
}

export interface Label {
  x: number
  y: number
  name: string
  kind: 'country' | 'state' | 'county' | 'city'
  /** The zoom of the tiles from which on it is shown. */
  from: number
}

/** What the base map shows of a part of the world. */
export interface BaseTile {
  land: Shape[]
  /** Over the land: lakes. */
  water: Shape[]
  /** Over the water: land as it ends at the lakes. */
  shores: Shape[]
  county: Shape[]
  state: Shape[]
  country: Shape[]
  labels: Label[]
}

/** The side of a decoded tile. */
export const EXTENT = 4096
const noTile = (): BaseTile => ({ land: [], water: [], shores: [], county: [], state: [], country: [], labels: [] })
/** Tiles that are kept; more are read again. */
const MAX_CACHED = 96

/** Reads the tiles of the base map. They never change at their address, so the browser's cache has them, too. */
export function createBaseTiles(address: string) {
  const tiles = new Map<string, Promise<BaseTile>>()

  async function read(path: string): Promise<BaseTile> {
    const response = await fetch(`${address}/${path}`)
    if (!response.ok) throw new Error(`Base map: ${response.status}`)
    const bytes = await response.arrayBuffer()
    return bytes.byteLength === 0 ? noTile() : decodeTile(new Uint8Array(bytes))
  }

  return {
    /** A tile; where the world has only water it is empty. Rejects when it cannot be read. */
    get(z: number, x: number, y: number): Promise<BaseTile> {
      const path = `${z}/${x}/${y}`
      const known = tiles.get(path)
      const tile = known ?? read(path)
      tiles.delete(path)
      tiles.set(path, tile)
      const oldest = tiles.keys().next().value
      if (tiles.size > MAX_CACHED && oldest !== undefined) tiles.delete(oldest)
      if (!known) tile.catch(() => tiles.delete(path))
      return tile
    },
  }
}

export type BaseTiles = ReturnType<typeof createBaseTiles>

export function decodeTile(bytes: Uint8Array): BaseTile {
  const { layers } = new VectorTile(new PbfReader(bytes))
  const tile = noTile()
  for (const [name, layer] of Object.entries(layers)) {
    const scale = EXTENT / layer.extent
    for (let index = 0; index < layer.length; index += 1) {
      const feature = layer.feature(index)
      const { kind, name: text, minzoom } = feature.properties
      const lines = feature.loadGeometry().map((line) => line.flatMap(({ x, y }) => [x * scale, y * scale]))
      if (name === 'places') {
        const [x, y] = lines[0] ?? []
        if (x !== undefined && y !== undefined) {
          tile.labels.push({ x, y, name: String(text), kind: kind as Label['kind'], from: Number(minzoom) })
        }
      } else {
        const own = name === 'boundaries' ? kind : name
        const shapes = tile[own as Exclude<keyof BaseTile, 'labels'>] as Shape[] | undefined
        shapes?.push({ lines, box: boxOf(lines) })
      }
    }
  }
  tile.labels.sort((a, b) => a.from - b.from)
  return tile
}

function boxOf(lines: Line[]): Box {
  let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const line of lines) {
    for (let at = 0; at < line.length; at += 2) {
      const [x = 0, y = 0] = [line[at], line[at + 1]]
      if (x < west) west = x
      if (x > east) east = x
      if (y < north) north = y
      if (y > south) south = y
    }
  }
  return [west, north, east, south]
}

export function meets(one: Box, other: Box): boolean {
  return one[0] <= other[2] && one[2] >= other[0] && one[1] <= other[3] && one[3] >= other[1]
}

/** The part of a ring within a box (Sutherland and Hodgman); may be empty. */
export function clipRing(ring: Line, box: Box): Line {
  let line = ring
  for (let side = 0; side < 4 && line.length > 0; side += 1) line = clipSide(line, side, box[side] as number)
  return line
}

/** The part of a ring on the inner side of one side of a box: west, north, east, south. */
function clipSide(ring: Line, side: number, edge: number): Line {
  const axis = side % 2
  const sign = side < 2 ? 1 : -1
  const result: Line = []
  let [lastX, lastY] = [ring.at(-2) as number, ring.at(-1) as number]
  for (let at = 0; at < ring.length; at += 2) {
    const [x, y] = [ring[at] as number, ring[at + 1] as number]
    const [depth, lastDepth] = [sign * ((axis ? y : x) - edge), sign * ((axis ? lastY : lastX) - edge)]
    if (depth >= 0 !== lastDepth >= 0) {
      const part = lastDepth / (lastDepth - depth)
      result.push(lastX + (x - lastX) * part, lastY + (y - lastY) * part)
    }
    if (depth >= 0) result.push(x, y)
    lastX = x
    lastY = y
  }
  return result
}
