/** What was found in a file, by group: `ifd0`, `exif`, `gps` and others of EXIF, and `XMP-<prefix>` of XMP. */
export type TagGroups = Record<string, Record<string, unknown> | undefined>

const MAX_TEXT = 200
const DIGITS = 10
const RATIONAL = /^([+-]?\d{1,15})\/(\d{1,15})$/
const DATE = /^(\d{4})[:-](\d\d)[:-](\d\d)[ T](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*(Z|[+-]\d\d:\d\d)?$/
const ZONE = /^(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))$/
/** What numbers look like in XMP; each character fits in one way only, so that no long text takes long. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i
const MAX_NUMBER = 60

/** Not longer than this, and with no half of a character at its end. */
function cut(value: string, maxLength: number): string {
  const end = value.charCodeAt(maxLength - 1)
  const isHalf = value.length > maxLength && end >= 0xd800 && end < 0xdc00
  return value.slice(0, isHalf ? maxLength - 1 : maxLength)
}

/** A text up to its first NUL, where it ends in EXIF, without control characters; undefined when nothing is left. */
export function parseText(value: unknown, maxLength = MAX_TEXT): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const [whole = ''] = String(value).split('\0', 1)
  const clean = cut(whole, 4 * maxLength)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
  return cut(clean, maxLength).toWellFormed() || undefined
}

function parse(written: string): number {
  const [, above, below] = RATIONAL.exec(written) ?? []
  if (above !== undefined) return Number(above) / Number(below)
  return written.length <= MAX_NUMBER && DECIMAL.test(written) ? Number(written) : Number.NaN
}

/**
 * A finite number to ten significant digits (what two 32-bit integers can tell); of a list its first. XMP writes
 * numbers as texts, often with a plus sign, and fractions as two numbers.
 */
export function parseNumber(value: unknown): number | undefined {
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return parseNumber((value as ArrayLike<unknown>)[0])
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  const parsed = typeof value === 'number' ? value : parse(value.slice(0, 2 * MAX_NUMBER).trim())
  return Number.isFinite(parsed) ? Number(parsed.toPrecision(DIGITS)) : undefined
}

/** A number above zero: where zero only says that the camera does not know. */
export function parsePositiveNumber(value: unknown): number | undefined {
  const found = parseNumber(value)
  return found !== undefined && found > 0 ? found : undefined
}

/** A zone as cameras write it, `+02:00` or `Z`. */
export function parseZone(value: unknown): string | undefined {
  const written = parseText(value)
  return written !== undefined && ZONE.test(written) ? written : undefined
}

/** A date and time as ISO 8601: what a clock on the wall showed, and the zone where one stands beside it. */
export interface CameraDate {
  local: string
  zone: string | undefined
}

/** A camera's date; undefined when it is none. Cameras without a clock write zeros. */
export function parseCameraDate(value: unknown): CameraDate | undefined {
  const match = typeof value === 'string' ? parseText(value)?.match(DATE) : null
  if (!match) return undefined
  const [, year, month, day, hour, minute, second = '00', own] = match
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const time = new Date(`${local}Z`)
  // A date that does not exist comes back as another one.
  if (Number.isNaN(time.getTime()) || time.toISOString().slice(0, 19) !== local || Number(year) < 1800) return undefined
  return { local, zone: parseZone(own) }
}
