import type { Position } from 'geojson'
import { normalizeName } from '../src/places/names.ts'
import { emptyColumns, type PlaceColumns } from '../src/places/place-file.ts'
import { type City, type Outline, stateKey } from './place-sources.ts'

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

/** Numbers values in the order in which they are first seen. */
class Numbering {
  readonly #numbers = new Map<string, number>()

  of(value: string): number {
    const number = this.#numbers.get(value) ?? this.#numbers.size
    this.#numbers.set(value, number)
    return number
  }

  values(): Iterable<string> {
    return this.#numbers.keys()
  }
}

/**
 * The columns of the place file. Areas keep the order of `outlines`: the first that contains a point names it.
 * States are numbered in the order of `states`.
 */
export function placeColumns({ states, outlines, cities, spots }: PlaceData): PlaceColumns {
  const columns = emptyColumns()
  const names = new Numbering()
  names.of('')
  const stateNumbers = new Map(states.map((key, number) => [key, number]))
  for (const outline of outlines) {
    columns.areaState.push(stateNumbers.get(stateKey(outline)) ?? 0)
    columns.areaCountyName.push(names.of(outline.county))
    columns.areaChunkFirst.push(columns.chunkSegments.length)
    addGeometry(columns, outline.geometry)
  }
  columns.areaChunkFirst.push(columns.chunkSegments.length)
  for (const key of states) {
    columns.stateCountryName.push(names.of(key.slice(0, 2)))
    columns.stateName.push(names.of(key.slice(3)))
  }
  const sortedCities = cities.toSorted((a, b) => a.state - b.state || a.y - b.y || a.x - b.x)
  addCities(columns, names, states.length, sortedCities)
  addSpots(columns, names, spots)
  addKeys(columns, names, { states, outlines, cities: sortedCities, spots })
  addNames(columns, names.values())
  return columns
}

const SEGMENTS_PER_CHUNK = 64

function addGeometry(columns: PlaceColumns, geometry: Outline['geometry']): void {
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates
  for (const ring of polygons.flat()) {
    const start = columns.pointX.length
    for (const [x = 0, y = 0] of ring) {
      columns.pointX.push(x)
      columns.pointY.push(y)
    }
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
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [x = 0, y = 0] of points) {
    west = Math.min(west, x)
    east = Math.max(east, x)
    south = Math.min(south, y)
    north = Math.max(north, y)
  }
  columns[`${kind}West`].push(west)
  columns[`${kind}South`].push(south)
  columns[`${kind}East`].push(east)
  columns[`${kind}North`].push(north)
}

function addCities(columns: PlaceColumns, names: Numbering, states: number, cities: PlacedCity[]): void {
  for (const city of cities) {
    while (columns.stateCityFirst.length <= city.state) columns.stateCityFirst.push(columns.cityX.length)
    columns.cityX.push(city.x)
    columns.cityY.push(city.y)
    columns.cityPopulation.push(city.population)
    columns.cityName.push(names.of(city.name))
  }
  while (columns.stateCityFirst.length <= states) columns.stateCityFirst.push(columns.cityX.length)
}

function addSpots(columns: PlaceColumns, names: Numbering, spots: Spot[]): void {
  for (const spot of spots) {
    columns.spotX.push(spot.x)
    columns.spotY.push(spot.y)
    columns.spotPopulation.push(spot.population)
    columns.spotName.push(names.of(spot.name))
    columns.spotState.push(spot.state)
    columns.spotZip.push(spot.zip)
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
function addKeys(columns: PlaceColumns, names: Numbering, { states, outlines, cities, spots }: PlaceData): void {
  const targets = new Map<string, Set<number>>()
  const add = (name: string, target: number) => {
    const key = normalizeName(name)
    const known = targets.get(key)
    if (known) known.add(target)
    else if (key !== '') targets.set(key, new Set([target]))
  }
  const taken = new Set<string>()
  for (const [index, { name, aliases = [], state }] of cities.entries()) {
    for (const one of [name, ...aliases]) add(one, index)
    taken.add(`${state} ${normalizeName(name)}`)
  }
  for (const [index, { name, state }] of spots.entries()) {
    const place = `${state} ${normalizeName(name)}`
    if (taken.has(place)) continue
    taken.add(place)
    add(name, cities.length + index)
  }
  const numbers = new Map(states.map((key, number) => [key, cities.length + spots.length + number]))
  for (const [key, target] of numbers) add(key.slice(3), target)
  for (const outline of outlines) {
    const target = numbers.get(stateKey(outline))
    if (target !== undefined) for (const alias of outline.stateAliases ?? []) add(alias, target)
  }
  for (const [key, found] of [...targets].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    for (const target of found) {
      columns.keyName.push(names.of(key))
      columns.keyTarget.push(target)
    }
  }
}
