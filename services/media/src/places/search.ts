import { countryNames } from './countries.ts'
import { fold } from './fold.ts'
import type { PlaceReader } from './place-file.ts'

/** What a search found. `name` is null for a state, whose position is that of its largest city. `zip` is 0 for none. */
export interface Hit {
  name: string | null
  state: number
  zip: number
  population: number
  x: number
  y: number
}

/** The county of a position, by which "Springfield, Sangamon County" is told from others. */
type CountyOf = (x: number, y: number) => string | null

const MAX_PARTS = 5
/** Whoever types these means no village of that name. */
const TOO_WIDE = new Set(['us', 'usa', 'unitedstates', 'unitedstatesofamerica', 'america', 'canada'])
/** How many words at the end of a text without commas may name the state: "Raleigh North Carolina". */
const MAX_STATE_WORDS = 4

/**
 * The place that a text means. A ZIP code at its end counts before the rest, if that says nothing else. Of several
 * places with one name it is the most populous.
 */
export function search(data: PlaceReader, text: string, countyOf: CountyOf): Hit | null {
  const parts = text.split(',').map((part) => part.trim())
  const known = parts.filter((part) => part !== '')
  if (known.length === 0 || known.length > MAX_PARTS || TOO_WIDE.has(fold(text))) return null
  if (known.length > 1 && isCountry('US', fold(known.at(-1) ?? ''))) {
    return searchParts(data, known.slice(0, -1), 'US', countyOf)
  }
  return searchParts(data, known, null, countyOf)
}

function searchParts(data: PlaceReader, parts: string[], country: string | null, countyOf: CountyOf): Hit | null {
  const [, before = '', digits] = /^(.*?)\s*\b(\d{5})(?:-\d{4})?$/.exec(parts.at(-1) ?? '') ?? []
  if (digits === undefined) return searchNames(data, parts, country, countyOf)
  const zip = zipAt(data, Number(digits))
  const named = searchNames(data, [...parts.slice(0, -1), before].filter(Boolean), country, countyOf)
  if (!zip || !named) return zip ?? named
  return named.state === zip.state ? zip : named
}

function searchNames(data: PlaceReader, parts: string[], country: string | null, countyOf: CountyOf): Hit | null {
  const [name, ...within] = parts
  if (name === undefined) return null
  if (country !== null) within.push(country)
  const found = mostPopulous(data, name, within, countyOf)
  if (found || within.length > 0) return found
  const words = name.split(/\s+/)
  for (let last = 1; last <= MAX_STATE_WORDS && last < words.length; last++) {
    const rest = words.slice(0, -last).join(' ')
    const split = mostPopulous(data, rest, [words.slice(-last).join(' ')], countyOf)
    if (split) return split
  }
  return null
}

/** The most populous place of a name for which all further parts of the text hold. */
function mostPopulous(data: PlaceReader, name: string, within: string[], countyOf: CountyOf): Hit | null {
  const key = fold(name)
  let hits = targetsOf(data, key).map((target) => hitAt(data, target, key))
  for (const part of within) hits = narrowed(data, hits, fold(part), countyOf)
  return hits.reduce<Hit | null>((most, hit) => (most && most.population >= hit.population ? most : hit), null)
}

/** The hits in a state of this name, else in a country, else in a county. A state is in a country only. */
function narrowed(data: PlaceReader, hits: Hit[], key: string, countyOf: CountyOf): Hit[] {
  const states = new Set(targetsOf(data, key).map((target) => target - data.cities - data.spots))
  const inState = hits.filter((hit) => hit.name !== null && states.has(hit.state))
  if (inState.length > 0) return inState
  const inCountry = hits.filter((hit) => isCountry(countryOf(data, hit), key))
  if (inCountry.length > 0) return inCountry
  const isInCounty = ({ name, x, y }: Hit) => name !== null && fold(countyOf(x, y) ?? '') === key
  return hits.filter((hit) => countryOf(data, hit) === 'US' && isInCounty(hit))
}

function countryOf(data: PlaceReader, { state }: Hit): string {
  return data.name(data.stateCountryName(state))
}

function isCountry(code: string, key: string): boolean {
  return countryNames(code).some((name) => fold(name) === key)
}

/** The numbers of what has this key. */
function targetsOf(data: PlaceReader, key: string): number[] {
  const targets: number[] = []
  for (let at = firstAtLeast(data.keys, (index) => data.name(data.keyName(index)) >= key); at < data.keys; at++) {
    if (data.name(data.keyName(at)) !== key) break
    targets.push(data.keyTarget(at))
  }
  return targets
}

function zipAt(data: PlaceReader, zip: number): Hit | null {
  if (zip === 0) return null
  const spot = firstAtLeast(data.spots, (index) => data.spotZip(index) >= zip)
  return spot < data.spots && data.spotZip(spot) === zip ? spotAt(data, spot) : null
}

/** The first index below `length` for which something holds that holds for all after it; `length` when for none. */
function firstAtLeast(length: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

function hitAt(data: PlaceReader, target: number, key: string): Hit {
  if (target < data.cities) return cityAt(data, target, stateOfCity(data, target))
  const spot = target - data.cities
  if (spot < data.spots) return { ...spotAt(data, spot), zip: 0 }
  return stateAt(data, spot - data.spots, key)
}

function spotAt(data: PlaceReader, spot: number): Hit {
  return {
    name: data.name(data.spotName(spot)),
    state: data.spotState(spot),
    zip: data.spotZip(spot),
    population: data.spotPopulation(spot),
    ...rounded(data.spotX(spot), data.spotY(spot)),
  }
}

function cityAt(data: PlaceReader, city: number, state: number): Hit {
  const name = data.name(data.cityName(city))
  const position = rounded(data.cityX(city), data.cityY(city))
  return { name, state, zip: 0, population: data.cityPopulation(city), ...position }
}

/** The state with all its people, at its largest city; that city itself where they share the name: "New York". */
function stateAt(data: PlaceReader, state: number, key: string): Hit {
  let largest = data.stateCityFirst(state)
  let population = 0
  for (let city = data.stateCityFirst(state); city < data.stateCityFirst(state + 1); city++) {
    population += data.cityPopulation(city)
    if (data.cityPopulation(city) > data.cityPopulation(largest)) largest = city
  }
  const shareName = targetsOf(data, key).includes(largest)
  const hit = cityAt(data, largest, state)
  return { ...hit, name: shareName ? hit.name : null, population }
}

function stateOfCity(data: PlaceReader, city: number): number {
  return firstAtLeast(data.states, (state) => data.stateCityFirst(state + 1) > city)
}

/** What the file keeps of a position: about 10 metres. */
function rounded(x: number, y: number): { x: number; y: number } {
  return { x: Number(x.toFixed(4)), y: Number(y.toFixed(4)) }
}
