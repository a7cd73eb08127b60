import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Path of the place data that `npm run places:build` builds. */
export const PLACES_FILE = fileURLToPath(new URL('../../data/places.bin', import.meta.url))

/**
 * The columns of the file, in order. An *area* is one outline with one name: a US county or a first-level region.
 * Counties come first, since their borders are more exact where both contain a point. The segments of an area's rings
 * are split into *chunks* with a bounding box each, which serve as the index. x is longitude and y latitude, in degrees.
 * `…First` columns have one entry more than there are owners: the range of owner i is first(i) to first(i + 1).
 * Cities are sorted by state, then latitude. *Spots* are places that only a search finds: first those without a ZIP code
 * (0), then ZIP codes in ascending order. *Keys* are normalized names in ascending order; the target of a key is a city,
 * a spot when it is at least the number of cities, or a state when it is at least the number of cities and spots. Name 0
 * is the empty name.
 */
const COLUMNS = {
  areaWest: 'f32',
  areaSouth: 'f32',
  areaEast: 'f32',
  areaNorth: 'f32',
  areaState: 'u16',
  areaCountyName: 'u32',
  areaChunkFirst: 'u32',
  chunkWest: 'f32',
  chunkSouth: 'f32',
  chunkEast: 'f32',
  chunkNorth: 'f32',
  chunkPointFirst: 'u32',
  chunkSegments: 'u8',
  pointX: 'f32',
  pointY: 'f32',
  stateName: 'u32',
  stateCountryName: 'u32',
  stateCityFirst: 'u32',
  cityX: 'f32',
  cityY: 'f32',
  cityPopulation: 'u32',
  cityName: 'u32',
  spotX: 'f32',
  spotY: 'f32',
  spotPopulation: 'u32',
  spotName: 'u32',
  spotState: 'u16',
  spotZip: 'u32',
  keyName: 'u32',
  keyTarget: 'u32',
  nameByteFirst: 'u32',
  nameByte: 'u8',
} as const

type ColumnName = keyof typeof COLUMNS
/** The numbers of each column, as the build collects them. */
export type PlaceColumns = Record<ColumnName, number[]>
/** One function per column that returns the number at an index. */
export type PlaceReader = Record<ColumnName, (index: number) => number> & {
  areas: number
  cities: number
  spots: number
  keys: number
  states: number
  name: (index: number) => string
}

const MAGIC = Buffer.from('SKYPLACE3')
const COLUMN_NAMES = Object.keys(COLUMNS) as ColumnName[]
const NUMBER_BYTES = { u8: 1, u16: 2, u32: 4, f32: 4 }

export function emptyColumns(): PlaceColumns {
  return Object.fromEntries(COLUMN_NAMES.map((name) => [name, []])) as unknown as PlaceColumns
}

/** The file as bytes, little-endian: after the magic each column is its length (u32) and its numbers. */
export function encodePlaces(columns: PlaceColumns): Buffer {
  return Buffer.concat([MAGIC, ...COLUMN_NAMES.map((name) => encodeColumn(name, columns[name]))])
}

function encodeColumn(name: ColumnName, numbers: number[]): Buffer {
  const type = COLUMNS[name]
  const bytes = Buffer.alloc(4 + numbers.length * NUMBER_BYTES[type])
  bytes.writeUInt32LE(numbers.length)
  numbers.forEach((value, index) => {
    const at = 4 + index * NUMBER_BYTES[type]
    if (type === 'f32') bytes.writeFloatLE(value, at)
    else bytes.writeUIntLE(value, at, NUMBER_BYTES[type])
  })
  return bytes
}

/** Opens a place file. @throws when it is missing or has another format */
export function readPlaceFile(file: string): PlaceReader {
  return readPlaces(readFileSync(file), file)
}

/** Reads an encoded file in place: nothing is parsed or copied, each name is decoded when it is requested. */
export function readPlaces(bytes: Buffer, file = ''): PlaceReader {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error(`${file} is not a place file of this version`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const lengths = {} as Record<ColumnName, number>
  const columns = {} as Record<ColumnName, (index: number) => number>
  let nameBytes = bytes
  let at = MAGIC.length
  for (const name of COLUMN_NAMES) {
    const length = view.getUint32(at, true)
    const size = length * NUMBER_BYTES[COLUMNS[name]]
    lengths[name] = length
    columns[name] = column(view, COLUMNS[name], at + 4)
    nameBytes = bytes.subarray(at + 4, at + 4 + size)
    at += 4 + size
  }
  const name = (index: number) =>
    nameBytes.toString('utf8', columns.nameByteFirst(index), columns.nameByteFirst(index + 1))
  const { areaState: areas, stateName: states, cityX: cities, spotX: spots, keyName: keys } = lengths
  return { ...columns, areas, states, cities, spots, keys, name }
}

function column(view: DataView, type: keyof typeof NUMBER_BYTES, start: number): (index: number) => number {
  if (type === 'u8') return (index) => view.getUint8(start + index)
  if (type === 'u16') return (index) => view.getUint16(start + index * 2, true)
  if (type === 'u32') return (index) => view.getUint32(start + index * 4, true)
  return (index) => view.getFloat32(start + index * 4, true)
}

/** Binary search: the first index from `start` on from which `holds` is true; `end` when there is none. */
export function firstIndexWhere(start: number, end: number, holds: (index: number) => boolean): number {
  let low = start
  let high = end
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
