import { countryText, normalizeName } from './names.ts'
import { areaContaining, areaNearest, KM_PER_DEGREE, kmPerDegreeOfLongitude, mayBeNear } from './outlines.ts'
import { firstIndexWhere, PLACES_FILE, type PlaceReader, readPlaceFile } from './place-file.ts'
import { type IsInCounty, searchPlaces } from './search.ts'

/** The place at a position. `country` is an ISO 3166-1 alpha-2 code; `county` is known in the United States only. */
export interface Place {
  city: string | null
  county: string | null
  state: string | null
  country: string | null
}

/** The columns of a photo at a place. */
export function placeColumns(place: Place | null) {
  const { city = null, county = null, state = null, country = null } = place ?? {}
  return { city, county, state, countryNames: country && countryText(country) }
}

export interface Places {
  /** The place at a position in degrees; null far out at sea and for invalid positions. */
  lookup(latitude: number, longitude: number): Place | null
  /** The place that a text means: "10001", "Duluth", "Portland, OR", "Texas"; null when there is none. */
  find(text: string): FoundPlace | null
}

/** A place with its position in degrees. `zip` (five digits) is set when the search was for one. */
export interface FoundPlace extends Place {
  latitude: number
  longitude: number
  zip: string | null
}

/** Outlines are simplified: a position up to this far outside every outline belongs to the nearest one. */
const COAST_KM = 10
/** County outlines end at the shore of the great lakes and the sea; farther out no county is named. */
const COUNTY_KM = 25
/** A city farther away than this is not named. */
const CITY_KM = 60
/** Weight of the population: a city with 16 times the population wins at up to twice the distance. */
const CITY_WEIGHT = 0.25
/** Assumed for places without a population in the data. */
const MIN_POPULATION = 500

/** Opens the place file that `npm run places:build` builds. @throws when it is missing or has another format */
export function openPlaces(file = PLACES_FILE): Places {
  return placesIn(readPlaceFile(file))
}

export function placesIn(data: PlaceReader): Places {
  const isInCounty = countyFinder(data)
  return {
    lookup: (latitude, longitude) => lookup(data, latitude, longitude),
    find: (text) => find(data, text, isInCounty),
  }
}

/** Like `openPlaces`, but the file is opened for the first lookup: until then it uses no memory. */
export function openPlacesLazily(file = PLACES_FILE): Places {
  let opened: Places | undefined
  const places = () => {
    opened ??= openPlaces(file)
    return opened
  }
  return {
    lookup: (latitude, longitude) => places().lookup(latitude, longitude),
    find: (text) => places().find(text),
  }
}

function find(data: PlaceReader, text: string, isInCounty: IsInCounty): FoundPlace | null {
  const found = searchPlaces(data, text, isInCounty)
  if (!found) return null
  const { name, state, zip, x, y } = found
  return {
    latitude: y,
    longitude: x,
    city: name,
    county: name === null ? null : (lookup(data, y, x)?.county ?? null),
    state: data.name(data.stateName(state)) || null,
    country: data.name(data.stateCountryName(state)) || null,
    zip: zip === 0 ? null : String(zip).padStart(5, '0'),
  }
}

function lookup(data: PlaceReader, latitude: number, longitude: number): Place | null {
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return null
  const area = areaAt(data, longitude, latitude)
  if (area < 0) return null
  const state = data.areaState(area)
  return {
    city: cityAt(data, state, longitude, latitude),
    county: countyAt(data, area, longitude, latitude),
    state: data.name(data.stateName(state)) || null,
    country: data.name(data.stateCountryName(state)) || null,
  }
}

/** The area that contains the position, else the nearest one within the tolerance for coasts, else -1. */
export function areaAt(data: PlaceReader, x: number, y: number): number {
  const area = areaContaining(data, x, y)
  return area >= 0 ? area : areaNearest(data, x, y, COAST_KM, () => true)
}

function countyAt(data: PlaceReader, area: number, x: number, y: number): string | null {
  const state = data.areaState(area)
  const isCountyOfState = (other: number) => data.areaCountyName(other) > 0 && data.areaState(other) === state
  const county = isCountyOfState(area) ? area : areaNearest(data, x, y, COUNTY_KM, isCountyOfState)
  return county < 0 ? null : data.name(data.areaCountyName(county))
}

/**
 * A look-up passes all outlines, so that one for each place of a frequent name would hold up other requests: there is none unless
 * a county of the name may be at the position.
 */
function countyFinder(data: PlaceReader): IsInCounty {
  let areasByKey: Map<string, number[]> | undefined
  return (key, x, y) => {
    areasByKey ??= Map.groupBy(countyAreas(data), (area) => normalizeName(data.name(data.areaCountyName(area))))
    const isPossible = areasByKey.get(key)?.some((area) => mayBeNear(data, area, x, y, COUNTY_KM))
    return isPossible === true && normalizeName(lookup(data, y, x)?.county ?? '') === key
  }
}

function countyAreas(data: PlaceReader): number[] {
  return Array.from({ length: data.areas }, (_, area) => area).filter((area) => data.areaCountyName(area) > 0)
}

/** The name of the city of the state with the least distance / population^CITY_WEIGHT. */
export function cityAt(data: PlaceReader, state: number, x: number, y: number): string | null {
  const kx = kmPerDegreeOfLongitude(y)
  const reach = CITY_KM / KM_PER_DEGREE
  const [start, end] = [data.stateCityFirst(state), data.stateCityFirst(state + 1)]
  const first = firstIndexWhere(start, end, (city) => data.cityY(city) >= y - reach)
  let best = -1
  let least = Number.POSITIVE_INFINITY
  for (let city = first; city < end && data.cityY(city) <= y + reach; city++) {
    const km = Math.hypot(shorterWay(data.cityX(city) - x) * kx, (data.cityY(city) - y) * KM_PER_DEGREE)
    const score = km / Math.max(data.cityPopulation(city), MIN_POPULATION) ** CITY_WEIGHT
    if (km > CITY_KM || score >= least) continue
    best = city
    least = score
  }
  return best < 0 ? null : data.name(data.cityName(best))
}

/** A difference of longitudes, across the antimeridian where that is shorter. */
function shorterWay(degrees: number): number {
  return degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees
}
