import { formatBytes, formatMegabytes, formatNumber } from '../../lib/format.ts'
import type { Position } from '../../lib/geography.ts'

/** Where a receiver was at a time. */
export interface Fix extends Position {
  /** Milliseconds since 1970, UTC. */
  at: number
  /** Equal for fixes that were recorded without an interruption. */
  segment: number
}

const MAX_BYTES = 32 * 1024 * 1024
/** Two days with a fix each second. */
const MAX_FIXES = 200_000

/** Nothing in GPX is nested as deeply. */
const MAX_DEPTH = 100
/** Characters between two pauses, in which the browser paints. */
const SLICE = 256 * 1024
/** Between fixes that are further apart in time nobody knows where the receiver was. ExifTool's limit is half an hour; drones are fast. */
export const MAX_GAP_MS = 10 * 60_000

/** A file that has no track. Its message is for the user. */
export class TrackError extends Error {}

/** Reads the tracks of GPX files as one, in the order of time; where they overlap, one of them. @throws TrackError */
export async function readTracks(files: readonly File[]): Promise<Fix[]> {
  const all: Fix[] = []
  for (const file of files) {
    if (file.size > MAX_BYTES) {
      throw new TrackError(`${file.name} is ${formatBytes(file.size)}: larger than ${formatMegabytes(MAX_BYTES)}.`)
    }
    const segments = (all.at(-1)?.segment ?? 0) + 1
    for (const fix of parseGpx(await file.text(), file.name)) {
      if (fix) all.push({ ...fix, segment: fix.segment + segments })
      else await new Promise((resolve) => setTimeout(resolve))
      if (all.length > MAX_FIXES) {
        throw new TrackError(`A track may have up to ${formatNumber(MAX_FIXES)} points. Please split it.`)
      }
    }
  }
  return followed(all.sort((a, b) => a.at - b.at))
}

/**
 * Leaves out what other receivers have recorded between two fixes of one: a photo between fixes of different receivers has no
 * position, and photos in turn would be placed by each of them.
 */
function followed(fixes: readonly Fix[]): Fix[] {
  const nextOf = new Map<Fix, Fix>()
  const lastOf = new Map<number, Fix>()
  for (const fix of fixes) {
    const last = lastOf.get(fix.segment)
    if (last && fix.at - last.at <= MAX_GAP_MS) nextOf.set(last, fix)
    lastOf.set(fix.segment, fix)
  }
  let next: Fix | undefined
  return fixes.filter((fix) => {
    if (next && fix !== next) return false
    next = nextOf.get(fix)
    return true
  })
}

/**
 * Yields the points with a time of the tracks in a GPX 1.0 or 1.1 file. Those without a valid position or time are left out; so
 * are 0, 0, which receivers without a fix write. Read tag by tag: as a DOM, a long track would take hundreds of megabytes. Null is
 * the time for a pause.
 * @throws TrackError
 */
export function* parseGpx(text: string, name: string): Generator<Fix | null> {
  const found = new Set<string>()
  const open: string[] = []
  let [segment, fixes, timeStart] = [0, 0, 0]
  let position: Position | null = null
  let at = Number.NaN
  for (const tag of tagsOf(text, name)) {
    if (!tag) {
      yield null
      continue
    }
    if (open.length === 0 && (tag.name !== 'gpx' || found.has('gpx'))) throw notGpx(name)
    if (tag.isStart) {
      if (open.push(tag.name) > MAX_DEPTH) throw broken(name)
      found.add(tag.name)
      if (tag.name === 'trkseg') segment += 1
      if (tag.name === 'time') timeStart = tag.end
      if (tag.name === 'trkpt') {
        position = positionIn(tag.attributes)
        at = Number.NaN
      }
    }
    if (!tag.isEnd) continue
    if (open.pop() !== tag.name) throw broken(name)
    if (tag.name === 'time' && open.at(-1) === 'trkpt') at = readTime(text.slice(timeStart, tag.start))
    if (tag.name !== 'trkpt' || !position || Number.isNaN(at)) continue
    fixes += 1
    yield { ...position, at, segment }
  }
  if (!found.has('gpx')) throw notGpx(name)
  if (open.length > 0) throw broken(name)
  if (fixes > 0) return
  if (found.has('trkpt')) {
    throw new TrackError(`The points of ${name} have no times: only a track that was recorded can place photos.`)
  }
  throw new TrackError(
    found.has('rtept') || found.has('wpt')
      ? `${name} has a route or waypoints, but no track: only a track that was recorded can place photos.`
      : `${name} has no track.`,
  )
}

const notGpx = (name: string) => new TrackError(`${name} is not a GPX file.`)
const broken = (name: string) => new TrackError(`${name} is damaged: it cannot be read to its end.`)

interface Tag {
  /** Without the prefix of a namespace. */
  name: string
  attributes: string
  /** Both for an empty element. */
  isStart: boolean
  isEnd: boolean
  /** Indexes of its first character and behind its last one. */
  start: number
  end: number
}

/** Its name is whole, and what follows is bounded: each step back would read the rest of the tag once more. */
const TAG = /<(\/?)(?:[\w.-]{1,100}:)?([\w.-]{1,100})(?![\w.-])((?:[^<>"']|"[^"<]*"|'[^'<]*'){0,5000})>/y
/** What has no tags: comments, texts as they are, instructions and the type of the document. */
const SKIPPED = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
  ['<!', '>'],
] as const

function* tagsOf(text: string, name: string): Generator<Tag | null> {
  let pausedAt = 0
  for (let start = text.indexOf('<'), end = 0; start >= 0; start = text.indexOf('<', end)) {
    if (start - pausedAt > SLICE) {
      pausedAt = start
      yield null
    }
    const isTag = text[start + 1] !== '!' && text[start + 1] !== '?'
    const skipped = isTag ? undefined : SKIPPED.find(([beginning]) => text.startsWith(beginning, start))
    if (skipped) {
      const [beginning, ending] = skipped
      end = text.indexOf(ending, start + beginning.length) + ending.length
      if (end < ending.length) throw broken(name)
      continue
    }
    TAG.lastIndex = start
    const [, slash, tag, attributes = ''] = TAG.exec(text) ?? []
    if (tag === undefined) throw start === 0 || end > 0 ? broken(name) : notGpx(name)
    end = TAG.lastIndex
    yield {
      name: tag,
      attributes,
      isStart: slash === '',
      isEnd: slash === '/' || attributes.endsWith('/'),
      start,
      end,
    }
  }
}

const LATITUDE = degreesOf('lat')
const LONGITUDE = degreesOf('lon')

function degreesOf(name: 'lat' | 'lon'): RegExp {
  return new RegExp(String.raw`\s${name}\s*=\s*["']\s*([+-]?[\d.]{1,40})\s*["']`)
}

function positionIn(attributes: string): Position | null {
  const read = (degrees: RegExp) => Number(degrees.exec(attributes)?.[1] ?? Number.NaN)
  const position = { latitude: read(LATITUDE), longitude: read(LONGITUDE) }
  // Not for NaN either.
  const isOnEarth = Math.abs(position.latitude) <= 90 && Math.abs(position.longitude) <= 180
  return isOnEarth && (position.latitude !== 0 || position.longitude !== 0) ? position : null
}

const TIME = /^\s*(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:[.,](\d{1,3})\d*)?(Z|[+-]\d\d:?\d\d)?\s*$/i

/** Milliseconds of a time; NaN for none. Times of GPX are UTC, also without a zone. */
function readTime(text: string): number {
  const [, clock, fraction = '0', zone = 'Z'] = TIME.exec(text.slice(0, 100)) ?? []
  if (clock === undefined) return Number.NaN
  return Date.parse(`${clock}.${fraction}${zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2').toUpperCase()}`)
}
