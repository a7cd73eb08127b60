import type { City, PostOffice } from './place-sources.ts'

/** A place that is found by a search, and names no position. `zip` is 0 where it stands for no ZIP code. */
export interface Spot {
  name: string
  state: number
  zip: number
  population: number
  x: number
  y: number
}

/** The spots in the order of the place file: without a ZIP code first, then by it. */
export function placeSpots(states: string[], boroughs: City[], offices: PostOffice[]): Spot[] {
  const numbers = new Map(states.map((key, number) => [key, number]))
  const newYork = numbers.get('US New York') ?? 0
  return [
    ...boroughs.map(({ name, population, x, y }) => ({ name, state: newYork, zip: 0, population, x, y })),
    ...offices.flatMap(({ name, zip, state, x, y }) => {
      const number = numbers.get(`US ${state}`)
      return number === undefined ? [] : [{ name, state: number, zip, population: 0, x, y }]
    }),
  ]
}
