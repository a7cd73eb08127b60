import { ConfigError } from '@skyfolio/kit'

/** Tiles of another server, which the application loads once a user agrees to its host. */
export interface MapLayer {
  /** Unique among the layers. */
  name: string
  /** With {z}, {x} and {y}. */
  url: string
  /** The credit that the map must show. */
  attribution: string
  /** Larger zooms enlarge the tiles of this one. */
  maxZoom: number
}

const MAX_LAYERS = 10
/** Characters. Accounts remember the name: services/auth/src/accounts/profile.ts. */
const MAX_LENGTHS = { name: 40, url: 500, attribution: 200 } as const
const FIELDS: readonly string[] = [...Object.keys(MAX_LENGTHS), 'maxZoom']
const PLACEHOLDERS = ['{z}', '{x}', '{y}']
/** What most tile servers have. */
const DEFAULT_ZOOM = 19
/** The largest zoom of the map. */
const MAX_ZOOM = 22

/**
 * The layers of MAP_LAYERS, a JSON list; none without it.
 * @throws ConfigError that names the entry and what is wrong with it
 */
export function readMapLayers(json: string | undefined): MapLayer[] {
  const entries = json === undefined ? [] : parseList(json)
  const layers: MapLayer[] = []
  for (const [index, entry] of entries.entries()) {
    const problem = problemOf(entry) ?? (layers.some(({ name }) => name === entry.name) ? 'name is used twice' : null)
    if (problem) throw invalid(`entry ${index + 1}${nameOf(entry)}: ${problem}`)
    const { name, url, attribution, maxZoom = DEFAULT_ZOOM } = entry as Omit<MapLayer, 'maxZoom'> & Partial<MapLayer>
    layers.push({ name, url, attribution, maxZoom })
  }
  return layers
}

/** The origins from which pages may load the tiles, each once. */
export function originsOf(layers: readonly MapLayer[]): string[] {
  return [...new Set(layers.map(({ url }) => new URL(url).origin))]
}

type Entry = Record<string, unknown>

function parseList(json: string): Entry[] {
  let list: unknown
  try {
    list = JSON.parse(json)
  } catch {
    throw invalid('must be JSON')
  }
  const isEntry = (entry: unknown) => typeof entry === 'object' && entry !== null && !Array.isArray(entry)
  if (!Array.isArray(list) || !list.every(isEntry)) throw invalid('must be a list of objects')
  if (list.length > MAX_LAYERS) throw invalid(`must have at most ${MAX_LAYERS} entries`)
  return list
}

function problemOf(entry: Entry): string | null {
  const other = Object.keys(entry).find((field) => !FIELDS.includes(field))
  if (other !== undefined) return `${other} is unknown: the fields are ${FIELDS.join(', ')}`
  for (const [field, max] of Object.entries(MAX_LENGTHS)) {
    const text = entry[field]
    if (typeof text !== 'string' || text.trim() === '') return `${field} is required`
    if (text.length > max) return `${field} must be at most ${max} characters`
  }
  const { maxZoom = DEFAULT_ZOOM } = entry
  if (!Number.isInteger(maxZoom) || Number(maxZoom) < 1 || Number(maxZoom) > MAX_ZOOM) {
    return `maxZoom must be a whole number from 1 to ${MAX_ZOOM}`
  }
  const problem = problemOfUrl(String(entry.url))
  return problem && `url ${problem}`
}

function problemOfUrl(url: string): string | null {
  if (!URL.canParse(url) || !url.startsWith('https://')) return 'must be a URL that starts with https://'
  const { host, username, password } = new URL(url)
  // It becomes a part of the content security policy.
  if (!/^[a-z0-9.:[\]-]+$/.test(host)) return 'must name one server: placeholders belong into the path or the query'
  if (username || password) return 'must not contain a user or a password'
  const found: string[] = url.match(/\{[^}]*\}/g) ?? []
  const isComplete = found.length === PLACEHOLDERS.length && PLACEHOLDERS.every((name) => found.includes(name))
  return isComplete ? null : 'must contain {z}, {x} and {y} once each, and no other placeholder'
}

function nameOf({ name }: Entry): string {
  return typeof name === 'string' ? ` ("${name.slice(0, MAX_LENGTHS.name)}")` : ''
}

function invalid(problem: string): ConfigError {
  return new ConfigError(`The configuration is not valid:\n  MAP_LAYERS ${problem}`)
}
