import type { PlaceReader } from '../src/places/place-file.ts'
import { areaAt, cityAt } from '../src/places/places.ts'
import type { City, PostOffice } from './place-sources.ts'

/** A place that only a search finds; it names no position. `zip` is 0 without a ZIP code. */
export interface Spot {
  name: string
  state: number
  zip: number
  population: number
  x: number
  y: number
}

interface SpotSources {
  boroughs: City[]
  offices: PostOffice[]
  zipAreas: { zip: number; x: number; y: number }[]
}

/**
 * The spots in the order of the place file: those without a ZIP code first, the others by ZIP code. `data` holds outlines
 * and cities, by which the ZIP codes of the territories are named.
 */
export function placeSpots(data: PlaceReader, states: string[], { boroughs, offices, zipAreas }: SpotSources): Spot[] {
  const numbers = new Map(states.map((key, number) => [key, number]))
  const newYork = numbers.get('US New York') ?? 0
  const inStates = offices.flatMap(({ name, zip, state, x, y }) => {
    const number = numbers.get(`US ${state}`)
    return number === undefined ? [] : [{ name, state: number, zip, population: 0, x, y }]
  })
  const inTerritories = zipAreas.flatMap(({ zip, x, y }) => {
    const area = areaAt(data, x, y)
    const state = area < 0 ? -1 : data.areaState(area)
    if (state < 0 || states[state]?.startsWith('US ')) return []
    return [{ name: cityAt(data, state, x, y) ?? '', state, zip, population: 0, x, y }]
  })
  return [
    ...boroughs.map(({ name, population, x, y }) => ({ name, state: newYork, zip: 0, population, x, y })),
    ...[...inStates, ...inTerritories].toSorted((a, b) => a.zip - b.zip),
  ]
}
