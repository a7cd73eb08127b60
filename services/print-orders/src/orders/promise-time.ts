/** A promise time: minutes of a day, in the time of the store. */
interface LocalTime {
  day: string
  minutes: number
}

const FORMAT = /^(\d{1,2})-(\d{1,2})-(\d{4}) (\d{1,2}):(\d{2})(?::\d{2})? ?([AP]M)$/i
const DAY_MS = 86_400_000
/** A store that has the prints ready this much later than shown has to be confirmed. */
const TOLERATED_MINUTES = 60
/** The partner promises no exact time, and how the wizard shows it. */
const NO_TIME = '01-01-3000 00:00 AM'
const NO_TIME_TEXT = 'Within 48 hours'

/**
 * Whether the customer has to confirm the store's fresh promise time: it is on another day than the one shown, or more
 * than an hour later, or one of both cannot be read. A text without digits, such as 'Same Day', stands for the fresh time.
 */
export function isPromiseBroken(shown: string, fresh: string): boolean {
  if (shown === fresh || !/\d/.test(shown)) return false
  const expected = readLocalTime(shown === NO_TIME_TEXT ? NO_TIME : shown)
  const now = readLocalTime(fresh)
  if (!expected || !now) return true
  return now.day !== expected.day || now.minutes - expected.minutes > TOLERATED_MINUTES
}

/** Reads `MM-DD-YYYY H:MM AM/PM`, also with seconds, the sentinel included; null for any other text. */
function readLocalTime(text: string): LocalTime | null {
  const [, month, day, year, hour, minute, half] = FORMAT.exec(text.trim()) ?? []
  if (month === undefined) return null
  const date = Date.UTC(Number(year), Number(month) - 1, Number(day))
  const hours = (Number(hour) % 12) + (half?.toUpperCase() === 'PM' ? 12 : 0)
  return { day: String(date / DAY_MS), minutes: hours * 60 + Number(minute) }
}
