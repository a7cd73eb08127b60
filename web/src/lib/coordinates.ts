import type { Position } from './geography.ts'

/** Decimal degrees as texts with up to seven decimals (a centimetre), as the server takes them. */
export interface Coordinates {
  latitude: string
  longitude: string
}

type Axis = keyof Coordinates

const LIMITS: Record<Axis, number> = { latitude: 90, longitude: 180 }
const DECIMALS = 7
/** Longer texts are no coordinates. */
const MAX_LENGTH = 200

const NUMBER = String.raw`(\d{1,3}(?:[.,]\d+)?)`
/** Degrees, with minutes and seconds or without, and the letter of the axis before or behind. */
const ONE = new RegExp(
  String.raw`^([NSEW])?\s*([+-])?${NUMBER}(?:(?:\s*[°:]\s*|\s+)${NUMBER}(?:(?:\s*[':]\s*|\s+)${NUMBER}\s*"?|\s*'?)|\s*°)?\s*([NSEW])?$`,
)
const PAIR = String.raw`(-?\d[\d.]*)(?:,|%2C)(-?\d[\d.]*)`
/** A geo URI (RFC 5870), and links to a point on a map: ours, and those that Google Maps, Apple Maps and OpenStreetMap show. */
const LINKS = [
  `^geo:${PAIR}`,
  String.raw`^https?://\S*!3d(-?\d[\d.]*)!4d(-?\d[\d.]*)`,
  String.raw`^https?://\S*[?&](?:query|q|ll)=${PAIR}`,
  String.raw`^https?://\S*/@${PAIR}`,
  String.raw`^https?://\S*[?&]mlat=(-?\d[\d.]*)&mlon=(-?\d[\d.]*)`,
  String.raw`^https?://\S*#map=[\d.]+/(-?\d[\d.]*)/(-?\d[\d.]*)`,
].map((pattern) => new RegExp(pattern, 'i'))
/** Longer links are none that people paste. */
const MAX_LINK = 2000

/**
 * Reads both coordinates from one text: decimal or with minutes and seconds, with decimal points or commas, the letters of
 * the axes in any order and without them latitude first. Null for other texts, and for those that can be read in two ways.
 */
export function parseCoordinates(text: string): Coordinates | null {
  const plain = normalize(text)
  if (plain.length > MAX_LENGTH || readOne(plain)) return null
  const readings = new Map<string, Coordinates>()
  for (let at = 1; at < plain.length; at += 1) {
    const [left, right] = [plain.slice(0, at), plain.slice(at)]
    const cutsNumber = /[\d.]$/.test(left) && /^[\d.]/.test(right)
    const pair = cutsNumber ? null : pairOf(left.trimEnd(), right.replace(/^\s*[,;/]?\s*/, ''))
    if (pair) readings.set(Object.values(pair).join(), pair)
  }
  const [only = null, another] = readings.values()
  return another ? null : only
}

/** Reads the degrees of one coordinate; null for other texts, and for those of the other axis. */
export function parseDegrees(text: string, axis: Axis): string | null {
  const plain = normalize(text)
  const one = plain.length <= MAX_LENGTH ? readOne(plain) : null
  return one && (one.axis ?? axis) === axis ? format(one.degrees, axis) : null
}

function normalize(text: string): string {
  if (text.length > MAX_LINK) return text
  const link = LINKS.map((pattern) => pattern.exec(text.trim())).find((found) => found !== null)
  if (link) return `${link[1]},${link[2]}`
  return text
    .replace(/[º˚]/g, '°')
    .replace(/[′’‘ʹʼ´`]/g, "'")
    .replace(/″|”|“|ʺ|''/g, '"')
    .replace(/[−–—‐‑]/g, '-')
    .normalize('NFKC')
    .toUpperCase()
    .trim()
    .replace(/\s*\bDEG\b/g, '°')
    .replace(/^LAT(?:ITUDE)?\s*[:=]?\s*(.*?)[\s,;]+(?:LONG(?:ITUDE)?|LON|LNG)\s*[:=]?\s*/, '$1, ')
    .replace(/^\(\s*(.*?)\s*\)$/, '$1')
}

interface One {
  degrees: number
  /** Null without a letter. */
  axis: Axis | null
}

function readOne(text: string): One | null {
  const [match, before, sign, degrees = '', minutes, seconds, behind] = ONE.exec(text) ?? []
  const letter = before ?? behind
  if (match === undefined || (before && behind)) return null
  // Numbers with only blanks between them may as well be two coordinates.
  if (minutes !== undefined && !letter && !/[°':]/.test(text)) return null
  const [whole, minute, second] = [numberOf(degrees), numberOf(minutes), numberOf(seconds)]
  const isBroken = (minutes !== undefined && whole % 1 > 0) || (seconds !== undefined && minute % 1 > 0)
  const isNegative = sign === '-' || letter === 'S' || letter === 'W'
  if (isBroken || minute >= 60 || second >= 60 || (sign === '-' && (letter === 'N' || letter === 'E'))) return null
  const value = whole + minute / 60 + second / 3600
  const axis = letter === undefined ? null : letter === 'N' || letter === 'S' ? 'latitude' : 'longitude'
  return { degrees: isNegative ? -value : value, axis }
}

const numberOf = (text = '0') => Number(text.replace(',', '.'))

function pairOf(left: string, right: string): Coordinates | null {
  const [first, second] = [readOne(left), readOne(right)]
  // One letter alone, or two of the same axis, say that the text means something else.
  if (!first || !second || (first.axis === null) !== (second.axis === null)) return null
  if (first.axis !== null && first.axis === second.axis) return null
  const [north, east] = first.axis === 'longitude' ? [second, first] : [first, second]
  const latitude = format(north.degrees, 'latitude')
  const longitude = format(east.degrees, 'longitude')
  return latitude !== null && longitude !== null ? { latitude, longitude } : null
}

/** The texts of a position. */
export function coordinatesOf({ latitude, longitude }: Position): Coordinates {
  return { latitude: textOf(latitude), longitude: textOf(longitude) }
}

/** Null when there are no such degrees. */
function format(degrees: number, axis: Axis): string | null {
  return Math.abs(degrees) > LIMITS[axis] ? null : textOf(degrees)
}

function textOf(degrees: number): string {
  const text = degrees.toFixed(DECIMALS).replace(/\.?0+$/, '')
  return text === '-0' ? '0' : text
}
