const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })

/** '$1,234.50' for an amount in dollars, as a number or a decimal text; null without one. */
export function formatDollars(amount: number | string | null | undefined): string | null {
  if (amount === null || amount === undefined || amount === '') return null
  const value = Number(amount)
  return Number.isFinite(value) ? DOLLARS.format(value) : null
}

/** '0.39' → 39 cents; null for text that is no amount. Computing with floating point would lose cents. */
export function toCents(amount: string | number | null | undefined): number | null {
  const match = /^\s*\$?\s*(\d{1,9})(?:\.(\d+))?\s*$/.exec(String(amount ?? ''))
  if (!match) return null
  const [, whole = '0', fraction = ''] = match
  const cents = Number(whole) * 100 + Number(fraction.slice(0, 2).padEnd(2, '0'))
  return Number(fraction[2] ?? 0) >= 5 ? cents + 1 : cents
}

/** 1617 → '16.17', as amounts are sent. */
export function centsToText(cents: number): string {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
}

/** 161700 → '$1,617.00'. */
export function formatCents(cents: number): string {
  return DOLLARS.format(cents / 100)
}

/** The partner writes this year when it promises no exact time. */
const NO_TIME_YEAR = 3000

const PARTNER_TIME = /^(\d{1,2})-(\d{1,2})-(\d{4}) (\d{1,2}):(\d\d)(?::\d\d)? ?([AP]M)$/i
/** The store's clock, whatever the user's time zone: the parts are formatted as if they were UTC. */
const STORE_TIME = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/**
 * When prints are ready, by the store's clock: 'Jun 23, 2026, 4:30 PM' for the partner's '06-23-2026 4:30 PM'. Its year
 * 3000 means 'Within 48 hours'; texts in other formats ('Same Day') stay as they are. Null without a text.
 */
export function formatPromiseTime(text: string | null | undefined): string | null {
  const trimmed = text?.trim()
  if (!trimmed) return null
  const parts = PARTNER_TIME.exec(trimmed)
  if (!parts) return trimmed
  const [month, day, year, hour, minute] = parts.slice(1, 6).map(Number) as [number, number, number, number, number]
  if (year >= NO_TIME_YEAR) return 'Within 48 hours'
  const afternoon = parts[6]?.toUpperCase() === 'PM' ? 12 : 0
  const time = new Date(Date.UTC(year, month - 1, day, (hour % 12) + afternoon, minute))
  // 02-31 would become a day in March.
  if (time.getUTCMonth() !== month - 1 || time.getUTCDate() !== day) return trimmed
  return STORE_TIME.format(time)
}
