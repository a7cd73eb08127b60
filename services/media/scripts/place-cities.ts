import { areaContaining, areaNearest, KM_PER_DEGREE, kmPerDegreeOfLongitude } from '../src/places/outlines.ts'
import type { PlaceReader } from '../src/places/place-file.ts'
import { areaAt } from '../src/places/places.ts'
import type { PlacedCity } from './place-columns.ts'
import { type City, countBy, type Outline } from './place-sources.ts'

/** The most that a simplified border is trusted to be wrong by. */
const BORDER_ERROR_KM = 5
/** How far around a misplaced city its true state is drawn. */
const CORRECTION_KM = 1.5
/** The share of a region's cities that must lie in one state for the region to be that state. */
const AGREEMENT = 0.75

/** The state of each city; cities that lie in none are left out. `data` holds the outlines. */
export function placeCities(data: PlaceReader, cities: City[]): PlacedCity[] {
  const found = cities.map((city) => ({ ...city, state: stateInOwnCountry(data, city) }))
  const official = new Map<string, number>()
  for (const [region, members] of Map.groupBy(found, (city) => city.region)) {
    const votes = countBy(members.map((city) => city.state))
    const [state, count] = [...votes].reduce((most, vote) => (vote[1] > most[1] ? vote : most))
    if (count >= members.length * AGREEMENT) official.set(region, state)
  }
  return found
    .map((city) => ({ ...city, state: official.get(city.region) ?? city.state }))
    .filter((city) => city.state >= 0)
}

/** Where the outline that holds the city is of another country, a near one of its own country is preferred. */
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
 * Outlines are simplified by up to some kilometres and lack small islands and enclaves. Where a city lies in the wrong
 * state for that, a circle around it is given to its own; it reaches at most a third of
 * the way to the wrong state's cities.
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
