/** Parsed tags by group: `ifd0`, `exif`, `gps` and others of EXIF, and `XMP-<prefix>` of XMP. */
export type TagGroups = Record<string, Record<string, unknown> | undefined>

const MAX_TEXT = 200
const DIGITS = 10
const RATIONAL = /^([+-]?\d{1,15})\/(\d{1,15})$/
/** `2024:05:06 07:08:09`, with other separators, short numbers and fractions of a second too. */
const DATE =
  /^(\d{4}) ?[:/.-] ?(\d{1,2}) ?[:/.-] ?(\d{1,2})(?:T| {1,3})(\d{1,2}) ?[:.] ?(\d{1,2})(?: ?[:.] ?(\d{1,2})(?:[.,]\d{1,12})?)?(?![:.]?\d)(.*)$/
/** `20240506 070809`, as in IPTC. */
const COMPACT_DATE = /^(\d{4})(\d\d)(\d\d)[T ]?(\d\d)(\d\d)(\d\d)(?:[.,]\d{1,12})?(?!\d)(.*)$/
/** `Mon, 6 May 2024 07:08:09 GMT` (RFC 1123), as in PNG. */
const INTERNET_DATE = /^(?:[A-Z][a-z]{2},? )?(\d{1,2}) ([A-Z][a-z]{2}) (\d{4}) (.*)$/
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const ZONE = /^(?:UTC|GMT)? ?([+\u2212-]) ?(\d{1,2})(?::?(\d\d))?(?::?00)?$/i
const UTC = /^(?:Z|UTC|GMT)$/i
const MAX_ZONE_MINUTES = 14 * 60
const HALF_OF_DAY = /^ ?([AP])\.?M\b\.?(.*)$/i
/** Numbers in XMP. Each character matches in one way only, so that matching is linear. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i
const MAX_NUMBER_LENGTH = 60

/** Truncates a text without splitting a surrogate pair. */
function truncate(value: string, maxLength: number): string {
  const end = value.charCodeAt(maxLength - 1)
  const splitsPair = value.length > maxLength && end >= 0xd800 && end < 0xdc00
  return value.slice(0, splitsPair ? maxLength - 1 : maxLength)
}

/**
 * A text up to its first NUL, which ends texts in EXIF, without control characters; the first one of a list, which a tag that
 * is there twice is. Undefined when nothing remains.
 */
export function parseText(value: unknown, maxLength = MAX_TEXT): string | undefined {
  if (Array.isArray(value)) return parseText(value[0], maxLength)
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

/** A zone as cameras write it, such as `-5:00`, `+0530` or `UTC`, as `-05:00` or `Z`; undefined for one that does not exist. */
export function parseZone(value: unknown): string | undefined {
  const written = parseText(value) ?? ''
  if (UTC.test(written)) return 'Z'
  const [, sign, hours, minutes = '00'] = ZONE.exec(written) ?? []
  if (hours === undefined || Number(minutes) > 59) return undefined
  if (Number(hours) * 60 + Number(minutes) > MAX_ZONE_MINUTES) return undefined
  return `${sign === '+' ? '+' : '-'}${hours.padStart(2, '0')}:${minutes}`
}

/** A date and time as ISO 8601: the local time, and the zone if the text has one. */
export interface CameraDate {
  local: string
  zone: string | undefined
}

/**
 * A date as written by cameras and editors; undefined when it is invalid or has no time. Cameras without a clock write zeros. The
 * first hour of a day is also written as 24. What follows the time is its zone, or else ignored.
 */
export function parseCameraDate(value: unknown): CameraDate | undefined {
  const written = parseText(value)?.replace(INTERNET_DATE, (_all, day, month, year, rest) => {
    return `${year}-${MONTHS.indexOf(month) + 1}-${day} ${rest}`
  })
  const match = written?.match(DATE) ?? written?.match(COMPACT_DATE)
  if (!match) return undefined
  const [, year, ...parts] = match
  const [, half, afterHalf] = HALF_OF_DAY.exec(parts.at(-1) ?? '') ?? []
  const [month, day, hour = '', minute, second] = parts.map((part = '00') => part.padStart(2, '0'))
  const local = `${year}-${month}-${day}T${hourOfDay(hour, half)}:${minute}:${second}`
  const time = new Date(`${local}Z`)
  // A date that does not exist is parsed as another one.
  if (Number.isNaN(time.getTime()) || time.toISOString().slice(0, 19) !== local || Number(year) < 1800) return undefined
  return { local, zone: parseZone(afterHalf ?? parts.at(-1)) }
}

/** The first hour of a day is also written as 24, and by clocks of twelve hours as 12. */
function hourOfDay(hour: string, half: string | undefined): string {
  if (half === undefined) return hour === '24' ? '00' : hour
  if (Number(hour) < 1 || Number(hour) > 12) return 'none'
  return String((Number(hour) % 12) + (half.toUpperCase() === 'P' ? 12 : 0)).padStart(2, '0')
}
