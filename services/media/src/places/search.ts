import { countryKeys, normalizeName } from './names.ts'
import { firstIndexWhere, type PlaceReader } from './place-file.ts'

/** A result of a search. `name` is null for a state, whose position is that of its largest city. `zip` is 0 for none. */
export interface Hit {
  name: string | null
  state: number
  zip: number
  population: number
  /** Whether the text is an alternative name. */
  isAlias: boolean
  /** Whether it is a state, or the city that the state's name means. */
  isRegion: boolean
  x: number
  y: number
}

/** Whether a position is in a county of this normalized name, which distinguishes "Springfield, Sangamon County" from others. */
export type IsInCounty = (key: string, x: number, y: number) => boolean

/**
 * Names in other languages, former names and nicknames are one list in the data. Under such a name a place counts with a
 * hundredth of its population, and for no more than a town of 15,000: "Monterey" is not Monterrey, but "Roma" is not in
 * Texas.
 */
const ALIAS_DIVISOR = 100
const MAX_ALIAS_WEIGHT = 15_000
/** A name shared by a state and its largest city means the city when it has this share of the state's population. */
const CITY_OF_STATE = 1 / 3
const MAX_PARTS = 5
const ZIP = /^(.*?)\s*\b(\d{5})(?:-\d{4})?$/
/** Countries, which are too large for one position; a village of the same name is not meant. */
const TOO_WIDE = new Set(['us', 'usa', 'unitedstates', 'unitedstatesofamerica', 'america', 'canada'])
/** Words at the end of a text without commas that may name the state: "Raleigh North Carolina". */
const MAX_STATE_WORDS = 4

/**
 * The place that a text means. A ZIP code at its end, or before a country at its end, takes precedence unless the rest
 * names another state. Of several places with the same name it is the most populous.
 */
export function searchPlaces(data: PlaceReader, text: string, isInCounty: IsInCounty): Hit | null {
  const parts = text.split(',').flatMap((part) => part.trim() || [])
  if (parts.length === 0 || parts.length > MAX_PARTS || TOO_WIDE.has(normalizeName(text))) return null
  const at = parts.findLastIndex((part) => ZIP.test(part))
  const country = parts[at + 1]
  if (at < 0 || at < parts.length - 2) return searchNames(data, parts, isInCounty)
  const [, before = '', digits] = ZIP.exec(parts[at] ?? '') ?? []
  const zip = zipAt(data, Number(digits), country)
  const names = [...parts.slice(0, at), before].filter(Boolean)
  if (names.length === 0) return zip
  const named = searchNames(data, country === undefined ? names : [...names, country], isInCounty)
  return !zip || (named && named.state !== zip.state) ? named : zip
}

function searchNames(data: PlaceReader, parts: string[], isInCounty: IsInCounty): Hit | null {
  const [name = '', ...within] = parts
  const found = mostPopulous(data, name, within, isInCounty)
  if (found) return found
  const words = name.split(/\s+/)
  for (let last = 1; last <= MAX_STATE_WORDS && last < words.length; last++) {
    const rest = words.slice(0, -last).join(' ')
    const split = mostPopulous(data, rest, [words.slice(-last).join(' '), ...within], isInCounty)
    if (split) return split
  }
  return null
}

/** The most populous place of a name that all further parts of the text apply to. */
function mostPopulous(data: PlaceReader, name: string, within: string[], isInCounty: IsInCounty): Hit | null {
  const key = normalizeName(name)
  const candidates = targetsOf(data, key).map((target) => hitAt(data, target, key))
  let hits = candidates
  for (const part of within) hits = narrow(data, hits, normalizeName(part), isInCounty)
  // A city whose alias is also the name of a region is well known by it: Genève is Geneva.
  const wellKnown = new Set(candidates.filter((hit) => hit.isRegion).map((hit) => countryOf(data, hit)))
  const weigh = (hit: Hit) => (hit.isAlias && !wellKnown.has(countryOf(data, hit)) ? aliasWeight(hit) : hit.population)
  return hits.reduce<Hit | null>((most, hit) => (most && weigh(most) >= weigh(hit) ? most : hit), null)
}

function aliasWeight({ population }: Hit): number {
  return Math.min(population / ALIAS_DIVISOR, MAX_ALIAS_WEIGHT)
}

/** The hits in a state of this name, else in a country, else in a county. A state can only be in a country. */
function narrow(data: PlaceReader, hits: Hit[], key: string, isInCounty: IsInCounty): Hit[] {
  const states = new Set(targetsOf(data, key).map((target) => target - data.cities - data.spots))
  const inState = hits.filter((hit) => hit.name !== null && states.has(hit.state))
  if (inState.length > 0) return inState
  const inCountry = hits.filter((hit) => countryKeys(countryOf(data, hit)).has(key))
  if (inCountry.length > 0) return inCountry
  return hits.filter((hit) => hit.name !== null && countryOf(data, hit) === 'US' && isInCounty(key, hit.x, hit.y))
}

function countryOf(data: PlaceReader, { state }: Hit): string {
  return data.name(data.stateCountryName(state))
}

/** The targets of a key. */
function targetsOf(data: PlaceReader, key: string): number[] {
  const targets: number[] = []
  for (let at = firstIndexWhere(0, data.keys, (index) => data.name(data.keyName(index)) >= key); at < data.keys; at++) {
    if (data.name(data.keyName(at)) !== key) break
    targets.push(data.keyTarget(at))
  }
  return targets
}

function zipAt(data: PlaceReader, zip: number, country: string | undefined): Hit | null {
  if (zip === 0) return null
  const spot = firstIndexWhere(0, data.spots, (index) => data.spotZip(index) >= zip)
  if (spot >= data.spots || data.spotZip(spot) !== zip) return null
  const hit = spotAt(data, spot)
  return country === undefined || countryKeys(countryOf(data, hit)).has(normalizeName(country)) ? hit : null
}

function hitAt(data: PlaceReader, target: number, key: string): Hit {
  if (target < data.cities) return cityAt(data, target, stateOfCity(data, target), key)
  const spot = target - data.cities
  if (spot < data.spots) return { ...spotAt(data, spot), zip: 0 }
  return stateAt(data, spot - data.spots, key)
}

function spotAt(data: PlaceReader, spot: number): Hit {
  return {
    name: data.name(data.spotName(spot)) || null,
    state: data.spotState(spot),
    zip: data.spotZip(spot),
    population: data.spotPopulation(spot),
    isAlias: false,
    isRegion: false,
    ...rounded(data.spotX(spot), data.spotY(spot)),
  }
}

function cityAt(data: PlaceReader, city: number, state: number, key: string): Hit {
  const name = data.name(data.cityName(city))
  const position = rounded(data.cityX(city), data.cityY(city))
  const population = data.cityPopulation(city)
  return { name, state, zip: 0, population, isAlias: normalizeName(name) !== key, isRegion: false, ...position }
}

/** The state with its whole population, at its largest city; that city where they share the name: "New York". */
function stateAt(data: PlaceReader, state: number, key: string): Hit {
  let largest = data.stateCityFirst(state)
  let population = 0
  for (let city = data.stateCityFirst(state); city < data.stateCityFirst(state + 1); city++) {
    population += data.cityPopulation(city)
    if (data.cityPopulation(city) > data.cityPopulation(largest)) largest = city
  }
  const city = { ...cityAt(data, largest, state, key), isRegion: true }
  const isMostOfState = city.population > population * CITY_OF_STATE && targetsOf(data, key).includes(largest)
  if (!city.isAlias || isMostOfState) return { ...city, isAlias: false }
  return { ...city, name: null, population, isAlias: false }
}

function stateOfCity(data: PlaceReader, city: number): number {
  return firstIndexWhere(0, data.states, (state) => data.stateCityFirst(state + 1) > city)
}

/** Positions in the file are exact to about 10 metres. */
function rounded(x: number, y: number): { x: number; y: number } {
  return { x: Number(x.toFixed(4)), y: Number(y.toFixed(4)) }
}
