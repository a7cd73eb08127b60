import { readFileSync, renameSync, writeFileSync } from 'node:fs'
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

const MAGIC = 'SKYPLACE2'
const STAMP_LENGTH = 64
const HEADER_LENGTH = MAGIC.length + STAMP_LENGTH
const COLUMN_NAMES = Object.keys(COLUMNS) as ColumnName[]
const NUMBER_BYTES = { u8: 1, u16: 2, u32: 4, f32: 4 }

export function emptyColumns(): PlaceColumns {
  return Object.fromEntries(COLUMN_NAMES.map((name) => [name, []])) as unknown as PlaceColumns
}

/** The columns as bytes, little-endian; each column is its length (u32) and its numbers. */
export function encodeColumns(columns: PlaceColumns): Buffer {
  return Buffer.concat(COLUMN_NAMES.map((name) => encodeColumn(name, columns[name])))
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

/** Reads encoded columns in place: nothing is parsed or copied, each name is decoded when it is requested. */
export function readColumns(bytes: Buffer): PlaceReader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const lengths = {} as Record<ColumnName, number>
  const columns = {} as Record<ColumnName, (index: number) => number>
  let nameBytes = bytes
  let at = 0
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

/** Replaces the place file atomically. `stamp` (64 characters) identifies what it was built from. */
export function writePlaceFile(file: string, stamp: string, columns: Buffer): void {
  const temporary = `${file}.${process.pid}`
  writeFileSync(temporary, Buffer.concat([Buffer.from(MAGIC + stamp, 'latin1'), columns]))
  renameSync(temporary, file)
}

/** Opens a place file. @throws when it is missing or has another format */
export function readPlaceFile(file: string): { stamp: string; reader: PlaceReader } {
  const bytes = readFileSync(file)
  if (bytes.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new Error(`${file} is not a place file of this version`)
  const stamp = bytes.toString('latin1', MAGIC.length, HEADER_LENGTH)
  return { stamp, reader: readColumns(bytes.subarray(HEADER_LENGTH)) }
}
