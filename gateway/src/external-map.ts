import { ConfigError } from '@skyfolio/kit'

/** Tiles of somebody else, which the application loads once a visitor agrees. */
export interface ExternalMap {
  /** With {z}, {x} and {y}. */
  url: string
  /** The credit that the map must show. */
  attribution: string
}

interface TileSettings {
  mapTileUrl: string | undefined
  mapTileAttribution: string | undefined
}

const PLACEHOLDERS = ['{z}', '{x}', '{y}']

/**
 * The map of MAP_TILE_URL, or null without one.
 * @throws ConfigError when the URL is not usable, or only one of both settings is there
 */
export function readExternalMap({
  mapTileUrl: url,
  mapTileAttribution: attribution,
}: TileSettings): ExternalMap | null {
  if (!url && !attribution) return null
  if (!url) throw invalid('MAP_TILE_URL is required beside MAP_TILE_ATTRIBUTION')
  if (!attribution) throw invalid('MAP_TILE_ATTRIBUTION is required beside MAP_TILE_URL: the map must name its source')
  const problem = problemOf(url)
  if (problem) throw invalid(`MAP_TILE_URL ${problem}`)
  return { url, attribution }
}

/** The origin from which pages may load the tiles. */
export function originOfMap(map: ExternalMap | null): string | null {
  return map && new URL(map.url).origin
}

function problemOf(url: string): string | null {
  if (!URL.canParse(url) || !url.startsWith('https://')) return 'must be a URL that starts with https://'
  const { host, username, password } = new URL(url)
  // It becomes a part of the content security policy.
  if (!/^[a-z0-9.:[\]-]+$/.test(host)) return 'must name one server: placeholders belong into the path or the query'
  if (username || password) return 'must not contain a user or a password'
  const found: string[] = url.match(/\{[^}]*\}/g) ?? []
  const isComplete = found.length === PLACEHOLDERS.length && PLACEHOLDERS.every((name) => found.includes(name))
  return isComplete ? null : 'must contain {z}, {x} and {y} once each, and no other placeholder'
}

function invalid(problem: string): ConfigError {
  return new ConfigError(`The configuration is not valid:\n  ${problem}`)
}
