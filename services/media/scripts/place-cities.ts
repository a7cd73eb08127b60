import { areaContaining, areaNearest, KM_PER_DEGREE, kmPerDegreeOfLongitude } from '../src/places/outlines.ts'
import type { PlaceReader } from '../src/places/place-file.ts'
import { areaAt, cityAt } from '../src/places/places.ts'
import type { PlacedCity, Spot } from './place-columns.ts'
import { boroughs, type City, type Outline, postOffices, zipAreas } from './place-sources.ts'

/** The largest error of a simplified border that is assumed. */
const BORDER_ERROR_KM = 5
/** Radius of the circle around a misplaced city that belongs to its true state. */
const CORRECTION_KM = 1.5
/** Share of a region's cities that must be in one state for the region to be that state. */
const AGREEMENT = 0.75

/** Assigns a state to each city; cities outside all states are omitted. `data` holds the outlines. */
export function placeCities(data: PlaceReader, cities: City[]): PlacedCity[] {
  const found = cities.map((city) => ({ ...city, state: stateInOwnCountry(data, city) }))
  const official = new Map<string, number>()
  for (const [region, members] of Map.groupBy(found, (city) => city.region)) {
    const byState = [...Map.groupBy(members, (city) => city.state)]
    const [state, most] = byState.reduce((a, b) => (b[1].length > a[1].length ? b : a))
    if (most.length >= members.length * AGREEMENT) official.set(region, state)
  }
  return found
    .map((city) => ({ ...city, state: official.get(city.region) ?? city.state }))
    .filter((city) => city.state >= 0)
}

/** When the outline that contains the city is of another country, a nearby one of its own country is preferred. */
function stateInOwnCountry(data: PlaceReader, { x, y, region }: City): number {
  const country = region.slice(0, 2)
  const isOwn = (area: number) => countryOf(data, data.areaState(area)) === country
  const area = areaAt(data, x, y)
  if (area >= 0 && isOwn(area)) return data.areaState(area)
  const own = areaNearest(data, x, y, BORDER_ERROR_KM, isOwn)
  const best = own >= 0 ? own : area
  return best < 0 ? -1 : data.areaState(best)
}

function countryOf(data: PlaceReader, state: number): string {
  return data.name(data.stateCountryName(state))
}

/**
 * Circles for cities in the wrong state: outlines are simplified by up to some kilometres and lack small islands and
 * enclaves. The circle belongs to the city's own state and reaches at most a third of the way to cities of the other.
 */
export function corrections(data: PlaceReader, cities: PlacedCity[]): Outline[] {
  const citiesOf = Map.groupBy(cities, (city) => city.state)
  return cities
    .filter((city) => city.population > 0 && isMisplaced(data, city))
    .map((city) => {
      const area = areaAt(data, city.x, city.y)
      const others = area < 0 ? [] : (citiesOf.get(data.areaState(area)) ?? [])
      const radius = Math.min(CORRECTION_KM, ...others.map((other) => km(city, other) / 3))
      const state = data.name(data.stateName(city.state))
      return { country: countryOf(data, city.state), state, county: '', geometry: circle(city, radius) }
    })
}

function isMisplaced(data: PlaceReader, { x, y, state }: PlacedCity): boolean {
  const area = areaAt(data, x, y)
  if (area >= 0 && data.areaState(area) === state) return false
  const isOnMissingIsland = areaContaining(data, x, y) < 0
  return isOnMissingIsland || areaNearest(data, x, y, BORDER_ERROR_KM, (own) => data.areaState(own) === state) >= 0
}

function km(a: City, b: City): number {
  return Math.hypot((a.x - b.x) * kmPerDegreeOfLongitude(a.y), (a.y - b.y) * KM_PER_DEGREE)
}

function circle({ x, y }: City, radius: number): Outline['geometry'] {
  const corners = 16
  const ring = Array.from({ length: corners + 1 }, (_, corner) => {
    const angle = ((corner % corners) / corners) * 2 * Math.PI
    const dx = (radius * Math.cos(angle)) / kmPerDegreeOfLongitude(y)
    return [x + dx, y + (radius * Math.sin(angle)) / KM_PER_DEGREE]
  })
  return { type: 'Polygon', coordinates: [ring] }
}

/**
 * The spots in the order of the place file: those without a ZIP code first, the others by ZIP code. `data` holds outlines
 * and cities, by which the ZIP codes of the territories are named.
 */
export function placeSpots(data: PlaceReader, states: string[]): Spot[] {
  const numbers = new Map(states.map((key, number) => [key, number]))
  const newYork = numbers.get('US New York') ?? 0
  const inStates = [...postOffices()].flatMap(({ name, zip, state, x, y }) => {
    const number = numbers.get(`US ${state}`)
    return number === undefined ? [] : [{ name, state: number, zip, population: 0, x, y }]
  })
  const inTerritories = zipAreas().flatMap(({ zip, x, y }) => {
    const area = areaAt(data, x, y)
    const state = area < 0 ? -1 : data.areaState(area)
    if (state < 0 || states[state]?.startsWith('US ')) return []
    return [{ name: cityAt(data, state, x, y) ?? '', state, zip, population: 0, x, y }]
  })
  return [
    ...boroughs().map(({ name, population, x, y }) => ({ name, state: newYork, zip: 0, population, x, y })),
    ...[...inStates, ...inTerritories].toSorted((a, b) => a.zip - b.zip),
  ]
}
