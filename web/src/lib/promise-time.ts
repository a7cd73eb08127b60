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
