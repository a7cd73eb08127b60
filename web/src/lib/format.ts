const DATE = new Intl.DateTimeFormat('en-US', { dateStyle: 'long' })
const DAY = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })
const CAMERA_DATE_TIME = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
const MONTH = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const DATE_TIME = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'medium' })
const RELATIVE = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' })
const RELATIVE_NUMERIC = new Intl.RelativeTimeFormat('en-US', { numeric: 'always' })
const NUMBER = new Intl.NumberFormat('en-US')

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** 'June 21, 2025'; null for an invalid date. */
export function formatDate(iso: string | null): string | null {
  return formatWith(DATE, iso)
}

/** 'June 21, 2025 at 3:04:05 PM' in the user's time zone; null for an invalid date. */
export function formatDateTime(iso: string | null): string | null {
  return formatWith(DATE_TIME, iso)
}

/** The camera's local time regardless of the user's time zone, with its zone where known: '… 7:04 AM UTC+09:00'. */
export function formatCameraDate(iso: string | null): string | null {
  if (iso === null) return null
  const zone = /(Z|[+-]\d\d:?\d\d)$/i.exec(iso)?.[0] ?? ''
  const clock = iso.slice(0, iso.length - zone.length)
  const text = formatWith(CAMERA_DATE_TIME, `${clock}Z`)
  return text && zone ? `${text} ${zoneName(zone)}` : text
}

/** 'UTC', 'UTC+09:00'. */
function zoneName(zone: string): string {
  if (/^(Z|[+-]00:?00)$/i.test(zone)) return 'UTC'
  return `UTC${zone.slice(0, 3)}:${zone.slice(-2)}`
}

/** 'Nov 28, 2026' for '2026-11-28'. */
export function formatDay(day: string): string {
  return DAY.format(new Date(`${day}T00:00:00Z`))
}

/** 'November 2026' for '2026-11'. */
export function formatMonth(month: string): string {
  return MONTH.format(new Date(`${month}-01T00:00:00Z`))
}

function formatWith(format: Intl.DateTimeFormat, iso: string | null): string | null {
  if (iso === null || !/^\d{4}-\d\d/.test(iso)) return null // Browsers parse many formats beside ISO 8601.
  const date = new Date(iso)
  return Number.isNaN(date.getTime()) ? null : format.format(date)
}

/** '3 hours ago', 'yesterday', 'just now'; null for an invalid date. */
export function formatRelative(iso: string | null, now: number = Date.now()): string | null {
  const seconds = (Date.parse(iso ?? '') - now) / 1000
  if (Number.isNaN(seconds)) return null
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return RELATIVE.format(Math.trunc(seconds / length), unit)
  }
  return 'just now'
}

/** '3 hours ago', '1 day ago', 'less than a minute ago', also for times that a slow clock puts into the future; null for an invalid date. */
export function formatAgo(iso: string | null, now: number = Date.now()): string | null {
  const seconds = (now - Date.parse(iso ?? '')) / 1000
  if (Number.isNaN(seconds)) return null
  for (const [unit, length] of UNITS) {
    if (seconds >= length) return RELATIVE_NUMERIC.format(-Math.trunc(seconds / length), unit)
  }
  return 'less than a minute ago'
}

/** '45 s', '12 min', '1 h 5 min'. */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const rest = minutes % 60
  return `${Math.floor(minutes / 60)} h${rest > 0 ? ` ${rest} min` : ''}`
}

/** '0 Bytes', '24.81 MB': at most two decimals, 1 KB = 1024 Bytes. */
export function formatBytes(bytes: number): string {
  const units = ['Bytes', 'KB', 'MB', 'GB']
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log(bytes) / Math.log(1024)), units.length - 1)
  const value = bytes / 1024 ** power
  return `${power === 0 ? value : value.toFixed(2)} ${units[power]}`
}

/** '25MB', as limits are displayed. */
export function formatMegabytes(bytes: number): string {
  return `${Number((bytes / 1_048_576).toFixed(1))}MB`
}

/** '46.842607, -91.994101'; null without coordinates. */
export function formatCoordinates(latitude: string | null, longitude: string | null): string | null {
  if (latitude === null || longitude === null) return null
  return `${Number(latitude).toFixed(6)}, ${Number(longitude).toFixed(6)}`
}

/** 'Duluth, Minnesota', or the one that is known; null without both. */
export function formatPlace(place: { city: string | null; state: string | null }): string | null {
  return [place.city, place.state].filter(Boolean).join(', ') || null
}

/** '1,284'. */
export function formatNumber(value: number): string {
  return NUMBER.format(value)
}

/** '1 photo', '1,284 photos'. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}

/** Alternative text of a photo: its title and place. */
export function altText(photo: { title: string; city: string | null; state: string | null }): string {
  return [photo.title || 'Untitled photo', formatPlace(photo)].filter(Boolean).join(', ')
}

/** With a capital letter at the beginning. */
export function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** '(218) 555-0123' for ten digits; other numbers stay as they are. */
export function formatPhone(phone: string): string {
  const digits = /^1?(\d{3})(\d{3})(\d{4})$/.exec(phone.replaceAll(/[\s().+-]/g, ''))
  return digits ? `(${digits[1]}) ${digits[2]}-${digits[3]}` : phone.trim()
}
