import type { Position } from 'geojson'
import polylabel from 'polylabel'
import { countryName } from '../src/places/names.ts'
import type { AreaKind, MapArea } from './map-outlines.ts'
import { boxOf, type City } from './place-sources.ts'

/** A name on the map, centred at its position (x and y from 0 to 1 over the world, in Web Mercator). */
export interface MapLabel {
  kind: AreaKind | 'locality'
  name: string
  /** The smallest zoom at which it has room. */
  minZoom: number
  x: number
  y: number
}

/** A label that does not know its room yet. */
interface Candidate extends Omit<MapLabel, 'minZoom'> {
  /** The smallest zoom at which it may be shown. */
  from: number
  /** The larger goes first. */
  weight: number
}

/** Latitude at which the map is a square. */
const MAX_LATITUDE = 85.0511287798
/** Width of the world at zoom 0, in CSS pixels. */
const WORLD_PX = 512
/** What a label takes, in CSS pixels: a line of 12 or 13 px, and a margin. */
const LETTER_PX = 8
const LINE_PX = 24
/** Names without room at this zoom are left out. */
const LAST_ZOOM = 14
/** An area has its name where a circle in it is as wide as this part of the name. */
const PART_OF_NAME = 0.6
const FIRST_ZOOM: Record<AreaKind, number> = { country: 1, region: 3, county: 7 }
/** Cities have their names from these zooms on, by population. */
const CITY_ZOOMS: [population: number, zoom: number][] = [
  [5_000_000, 3],
  [1_000_000, 4],
  [300_000, 5],
  [100_000, 6],
  [30_000, 7],
  [10_000, 8],
  [3_000, 9],
]
const VILLAGE_ZOOM = 10

/** The labels of areas and cities, each from the first zoom on at which it overlaps no more important one. */
export function mapLabels(areas: MapArea[], cities: City[]): MapLabel[] {
  const candidates = [...areas.flatMap(areaCandidate), ...cities.map(cityCandidate)]
  // Of equal ones the order of the data decides, which is the same on every machine.
  let waiting = candidates.sort((a, b) => a.from - b.from || b.weight - a.weight)
  const labels: MapLabel[] = []
  for (let zoom = 0; zoom <= LAST_ZOOM; zoom++) {
    const room = new Room(zoom)
    for (const label of labels) room.take(label)
    waiting = waiting.filter((label) => {
      if (label.from > zoom || !room.take(label)) return true
      labels.push({ ...label, minZoom: zoom })
      return false
    })
  }
  return labels
}

const CELL_PX = 128
/** More than the rows of cells at the last zoom. */
const ROWS = 2 ** 20

/** What a label takes in CSS pixels; all are equally high. */
interface Box {
  west: number
  north: number
  east: number
}

/** The room that labels take at a zoom. */
class Room {
  readonly #px: number
  /** Boxes by the cells that they touch. */
  readonly #cells = new Map<number, Box[]>()

  constructor(zoom: number) {
    this.#px = WORLD_PX * 2 ** zoom
  }

  /** Takes the room of a label, unless a part of it is taken. */
  take({ name, x, y }: Pick<MapLabel, 'name' | 'x' | 'y'>): boolean {
    const half = (name.length * LETTER_PX) / 2
    const box = { west: x * this.#px - half, north: y * this.#px - LINE_PX / 2, east: x * this.#px + half }
    const cells: Box[][] = []
    for (let column = Math.floor(box.west / CELL_PX); column <= box.east / CELL_PX; column++) {
      for (let row = Math.floor(box.north / CELL_PX); row <= (box.north + LINE_PX) / CELL_PX; row++) {
        const cell = this.#cells.get(column * ROWS + row) ?? []
        this.#cells.set(column * ROWS + row, cell)
        cells.push(cell)
      }
    }
    if (cells.some((cell) => cell.some((other) => overlap(box, other)))) return false
    for (const cell of cells) cell.push(box)
    return true
  }
}

function overlap(a: Box, b: Box): boolean {
  return a.west < b.east && b.west < a.east && Math.abs(a.north - b.north) < LINE_PX
}

function cityCandidate({ name, population, x, y }: City): Candidate {
  const [mapX, mapY] = project([x, y])
  const [, from] = CITY_ZOOMS.find(([least]) => population >= least) ?? [0, VILLAGE_ZOOM]
  return { kind: 'locality', name, from, weight: population, x: mapX, y: mapY }
}

/** None for what has no English name. */
function areaCandidate({ kind, name: given, geometry }: MapArea): Candidate[] {
  const name = kind === 'country' ? countryName(given) : given
  if (kind === 'country' && name === given) return []
  const [largest] = geometry.coordinates
    .map((polygon) => {
      const rings = polygon.map((ring) => ring.map(project))
      const { west, south, east, north } = boxOf(rings[0] ?? [])
      return { rings, size: (east - west) * (north - south) }
    })
    .sort((a, b) => b.size - a.size)
  if (!largest) return []
  const centre = polylabel(largest.rings, Math.sqrt(largest.size) / 50)
  const [x, y] = centre
  const width = name.length * LETTER_PX * PART_OF_NAME
  const from = Math.max(FIRST_ZOOM[kind], Math.ceil(Math.log2(width / (2 * centre.distance * WORLD_PX))))
  return [{ kind, name, from, weight: Number.MAX_SAFE_INTEGER, x, y }]
}

/** Web Mercator: x and y from 0 to 1 over the world, y to the south. */
function project([longitude = 0, latitude = 0]: Position): [x: number, y: number] {
  const sine = Math.sin((Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, latitude)) * Math.PI) / 180)
  return [longitude / 360 + 0.5, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)]
}
