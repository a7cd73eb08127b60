/** What exifr found, by group: `ifd0`, `exif`, `gps`, and one for each XMP namespace. */
export type TagGroups = Record<string, Record<string, unknown> | undefined>

const MAX_TEXT = 200
const DATE = /^(\d{4})[:-](\d\d)[:-](\d\d)[ T](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*(Z|[+-]\d\d:\d\d)?$/
const ZONE = /^(?:Z|[+-]\d\d:\d\d)$/

/** A text without control characters (cameras pad with NUL); undefined when nothing is left. */
export function text(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const clean = String(value)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_TEXT)
    .toWellFormed()
  return clean || undefined
}

/** A finite number; of a list its first. XMP writes numbers as texts, often with a plus sign. */
export function number(value: unknown): number | undefined {
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return number((value as ArrayLike<unknown>)[0])
  if (typeof value === 'string' && value.trim() === '') return undefined
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  const parsed = Number(value)
  return Number.isFinite(parsed) ? parsed : undefined
}

/**
 * A camera's date as ISO 8601. It gets a zone only when the camera wrote one, in the date or in the tag beside it:
 * without one it is the time on the wall where the photo was taken, and no server's zone may shift it.
 */
export function date(value: unknown, zone?: unknown): string | undefined {
  const match = typeof value === 'string' ? value.trim().match(DATE) : null
  if (!match) return undefined
  const [, year, month, day, hour, minute, second = '00', ownZone] = match
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const time = new Date(`${local}Z`)
  // A date that does not exist comes back as another one; cameras without a clock write zeros.
  if (Number.isNaN(time.getTime()) || time.toISOString().slice(0, 19) !== local || Number(year) < 1800) return undefined
  const given = ownZone ?? (typeof zone === 'string' && ZONE.test(zone.trim()) ? zone.trim() : '')
  return local + given
}
