import type { Position } from 'geojson'
import { normalizeName } from '../src/places/names.ts'
import { emptyColumns, type PlaceColumns } from '../src/places/place-file.ts'
import { boxOf, type City, type Outline, stateKey } from './place-sources.ts'

/** A city and the number of its state. */
export interface PlacedCity extends City {
  state: number
}

/** A place that only a search finds; it names no position. `zip` is 0 without a ZIP code. */
export interface Spot {
  name: string
  state: number
  zip: number
  population: number
  x: number
  y: number
}

/** The content of the place file, before it is encoded. */
export interface PlaceData {
  states: string[]
  outlines: Outline[]
  cities: PlacedCity[]
  spots: Spot[]
}

/** Numbers of names, in the order in which they are first seen. */
type Names = Map<string, number>

function numberOf(names: Names, name: string): number {
  const number = names.get(name) ?? names.size
  names.set(name, number)
  return number
}

/** Adds a number to each of these columns. */
function add(columns: PlaceColumns, numbers: Partial<Record<keyof PlaceColumns, number>>): void {
  for (const [column, number] of Object.entries(numbers)) columns[column as keyof PlaceColumns].push(number)
}

/**
 * The columns of the place file. Areas keep the order of `outlines`: the first that contains a point names it.
 * States are numbered in the order of `states`.
 */
export function placeColumns({ states, outlines, cities, spots }: PlaceData): PlaceColumns {
  const columns = emptyColumns()
  const names: Names = new Map([['', 0]])
  const stateNumbers = new Map(states.map((key, number) => [key, number]))
  for (const outline of outlines) {
    const state = stateNumbers.get(stateKey(outline)) ?? 0
    add(columns, { areaState: state, areaCountyName: numberOf(names, outline.county) })
    columns.areaChunkFirst.push(columns.chunkSegments.length)
    addGeometry(columns, outline.geometry)
  }
  columns.areaChunkFirst.push(columns.chunkSegments.length)
  for (const key of states) {
    add(columns, { stateCountryName: numberOf(names, key.slice(0, 2)), stateName: numberOf(names, key.slice(3)) })
  }
  const sortedCities = cities.toSorted((a, b) => a.state - b.state || a.y - b.y || a.x - b.x)
  addCities(columns, names, states.length, sortedCities)
  addSpots(columns, names, spots)
  addKeys(columns, names, { states, outlines, cities: sortedCities, spots })
  addNames(columns, names.keys())
  return columns
}

const SEGMENTS_PER_CHUNK = 64

function addGeometry(columns: PlaceColumns, geometry: Outline['geometry']): void {
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates
  for (const ring of polygons.flat()) {
    const start = columns.pointX.length
    for (const [x = 0, y = 0] of ring) add(columns, { pointX: x, pointY: y })
    for (let first = 0; first < ring.length - 1; first += SEGMENTS_PER_CHUNK) {
      const points = ring.slice(first, first + SEGMENTS_PER_CHUNK + 1)
      columns.chunkPointFirst.push(start + first)
      columns.chunkSegments.push(points.length - 1)
      addBox(columns, 'chunk', points)
    }
  }
  addBox(columns, 'area', polygons.flat(2))
}

function addBox(columns: PlaceColumns, kind: 'area' | 'chunk', points: Position[]): void {
  const { west, south, east, north } = boxOf(points)
  add(columns, { [`${kind}West`]: west, [`${kind}South`]: south, [`${kind}East`]: east, [`${kind}North`]: north })
}

function addCities(columns: PlaceColumns, names: Names, states: number, cities: PlacedCity[]): void {
  for (const city of cities) {
    while (columns.stateCityFirst.length <= city.state) columns.stateCityFirst.push(columns.cityX.length)
    const { x, y, population, name } = city
    add(columns, { cityX: x, cityY: y, cityPopulation: population, cityName: numberOf(names, name) })
  }
  while (columns.stateCityFirst.length <= states) columns.stateCityFirst.push(columns.cityX.length)
}

function addSpots(columns: PlaceColumns, names: Names, spots: Spot[]): void {
  for (const { x, y, population, name, state, zip } of spots) {
    add(columns, { spotX: x, spotY: y, spotPopulation: population, spotName: numberOf(names, name) })
    add(columns, { spotState: state, spotZip: zip })
  }
}

function addNames(columns: PlaceColumns, names: Iterable<string>): void {
  for (const name of names) {
    columns.nameByteFirst.push(columns.nameByte.length)
    columns.nameByte.push(...Buffer.from(name))
  }
  columns.nameByteFirst.push(columns.nameByte.length)
}

/** Adds the names under which a search finds cities, spots and states. A spot with the name of a city of its state has no key. */
function addKeys(columns: PlaceColumns, names: Names, { states, outlines, cities, spots }: PlaceData): void {
  const targets = new Map<string, Set<number>>()
  const addKey = (name: string, target: number) => {
    const key = normalizeName(name)
    const known = targets.get(key)
    if (known) known.add(target)
    else if (key !== '') targets.set(key, new Set([target]))
  }
  const taken = new Set<string>()
  for (const [index, { name, aliases = [], state }] of cities.entries()) {
    for (const one of [name, ...aliases]) addKey(one, index)
    taken.add(`${state} ${normalizeName(name)}`)
  }
  for (const [index, { name, state }] of spots.entries()) {
    const place = `${state} ${normalizeName(name)}`
    if (taken.has(place)) continue
    taken.add(place)
    addKey(name, cities.length + index)
  }
  const numbers = new Map(states.map((key, number) => [key, cities.length + spots.length + number]))
  for (const [key, target] of numbers) addKey(key.slice(3), target)
  for (const outline of outlines) {
    const target = numbers.get(stateKey(outline))
    if (target !== undefined) for (const alias of outline.stateAliases ?? []) addKey(alias, target)
  }
  for (const [key, found] of [...targets].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    for (const target of found) add(columns, { keyName: numberOf(names, key), keyTarget: target })
  }
}
