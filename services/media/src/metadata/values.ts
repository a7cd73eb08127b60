/** What was found in a file, by group: `ifd0`, `exif`, `gps` and others of EXIF, and `XMP-<prefix>` of XMP. */
export type TagGroups = Record<string, Record<string, unknown> | undefined>

const MAX_TEXT = 200
const DIGITS = 10
const RATIONAL = /^([+-]?\d{1,15})\/(\d{1,15})$/
const DATE = /^(\d{4})[:-](\d\d)[:-](\d\d)[ T](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*(Z|[+-]\d\d:\d\d)?$/
const ZONE = /^(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/

/** A text without control characters (cameras pad with NUL); undefined when nothing is left. */
export function text(value: unknown, maxLength = MAX_TEXT): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const clean = String(value)
    .slice(0, 4 * maxLength)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed()
  return clean || undefined
}

/**
 * A finite number to ten significant digits (what two 32-bit integers can tell); of a list its first. XMP writes
 * numbers as texts, often with a plus sign, and fractions as two numbers.
 */
export function number(value: unknown): number | undefined {
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return number((value as ArrayLike<unknown>)[0])
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  if (typeof value === 'string' && value.trim() === '') return undefined
  const [, above, below] = (typeof value === 'string' && RATIONAL.exec(value.trim())) || []
  const parsed = above === undefined ? Number(value) : Number(above) / Number(below)
  return Number.isFinite(parsed) ? Number(parsed.toPrecision(DIGITS)) : undefined
}

/** A number above zero: where zero only says that the camera does not know. */
export function positive(value: unknown): number | undefined {
  const found = number(value)
  return found !== undefined && found > 0 ? found : undefined
}

/** A zone as cameras write it, `+02:00` or `Z`. */
export function zone(value: unknown): string | undefined {
  const written = text(value)
  return written !== undefined && ZONE.test(written) ? written : undefined
}

/** A date and time as ISO 8601: what a clock on the wall showed, and the zone where one stands beside it. */
export interface WrittenDate {
  local: string
  zone: string | undefined
}

/** A camera's date; undefined when it is none. Cameras without a clock write zeros. */
export function writtenDate(value: unknown): WrittenDate | undefined {
  const match = typeof value === 'string' ? text(value)?.match(DATE) : null
  if (!match) return undefined
  const [, year, month, day, hour, minute, second = '00', own] = match
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const time = new Date(`${local}Z`)
  // A date that does not exist comes back as another one.
  if (Number.isNaN(time.getTime()) || time.toISOString().slice(0, 19) !== local || Number(year) < 1800) return undefined
  return { local, zone: zone(own) }
}

/** A written date as one text. */
export function date(value: unknown): string | undefined {
  const found = writtenDate(value)
  return found && found.local + (found.zone ?? '')
}
