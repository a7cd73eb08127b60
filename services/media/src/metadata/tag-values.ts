/** Parsed tags by group: `ifd0`, `exif`, `gps` and others of EXIF, and `XMP-<prefix>` of XMP. */
export type TagGroups = Record<string, Record<string, unknown> | undefined>

const MAX_TEXT = 200
const DIGITS = 10
const RATIONAL = /^([+-]?\d{1,15})\/(\d{1,15})$/
const DATE = /^(\d{4})[:-](\d\d)[:-](\d\d)[ T](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*(Z|[+-]\d\d:\d\d)?$/
const ZONE = /^(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))$/
/** Numbers in XMP. Each character matches in one way only, so that matching is linear. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i
const MAX_NUMBER_LENGTH = 60

/** Truncates a text without splitting a surrogate pair. */
function truncate(value: string, maxLength: number): string {
  const end = value.charCodeAt(maxLength - 1)
  const splitsPair = value.length > maxLength && end >= 0xd800 && end < 0xdc00
  return value.slice(0, splitsPair ? maxLength - 1 : maxLength)
}

/** A text up to its first NUL, which ends texts in EXIF, without control characters; undefined when nothing remains. */
export function parseText(value: unknown, maxLength = MAX_TEXT): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const [whole = ''] = String(value).split('\0', 1)
  const clean = truncate(whole, 4 * maxLength)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
  return truncate(clean, maxLength).toWellFormed() || undefined
}

function parseDecimal(written: string): number {
  const [, above, below] = RATIONAL.exec(written) ?? []
  if (above !== undefined) return Number(above) / Number(below)
  return written.length <= MAX_NUMBER_LENGTH && DECIMAL.test(written) ? Number(written) : Number.NaN
}

/**
 * A finite number to ten significant digits (the precision of two 32-bit integers); the first one of a list. XMP writes
 * numbers as texts, often with a plus sign, and fractions as two numbers.
 */
export function parseNumber(value: unknown): number | undefined {
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return parseNumber((value as ArrayLike<unknown>)[0])
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  const parsed = typeof value === 'number' ? value : parseDecimal(value.slice(0, 2 * MAX_NUMBER_LENGTH).trim())
  // The largest numbers are rounded to infinity.
  const rounded = Number(parsed.toPrecision(DIGITS))
  return Number.isFinite(rounded) ? rounded : undefined
}

/** A number above zero, for tags where zero means unknown. */
export function parsePositiveNumber(value: unknown): number | undefined {
  const found = parseNumber(value)
  return found !== undefined && found > 0 ? found : undefined
}

/** A zone as written by cameras: `+02:00` or `Z`. */
export function parseZone(value: unknown): string | undefined {
  const written = parseText(value)
  return written !== undefined && ZONE.test(written) ? written : undefined
}

/** A date and time as ISO 8601: the local time, and the zone if the text has one. */
export interface CameraDate {
  local: string
  zone: string | undefined
}

/** A date as written by cameras; undefined when it is invalid. Cameras without a clock write zeros. */
export function parseCameraDate(value: unknown): CameraDate | undefined {
  const match = typeof value === 'string' ? parseText(value)?.match(DATE) : null
  if (!match) return undefined
  const [, year, month, day, hour, minute, second = '00', offset] = match
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const time = new Date(`${local}Z`)
  // A date that does not exist is parsed as another one.
  if (Number.isNaN(time.getTime()) || time.toISOString().slice(0, 19) !== local || Number(year) < 1800) return undefined
  return { local, zone: parseZone(offset) }
}
