import { countOf } from '../../lib/format.ts'

const MOMENT = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'short' })
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** 'June 21, 2025 at 3:04 PM' in the user's time zone. */
export function formatMoment(iso: string): string {
  return MOMENT.format(new Date(iso))
}

/** 'in 7 days', 'in 1 hour', 'in less than a minute'. */
export function formatUntil(iso: string, now: number): string {
  const left = Date.parse(iso) - now
  if (left < MINUTE_MS) return 'in less than a minute'
  if (left < HOUR_MS - MINUTE_MS / 2) return `in ${countOf(Math.round(left / MINUTE_MS), 'minute')}`
  if (left < DAY_MS - HOUR_MS / 2) return `in ${countOf(Math.round(left / HOUR_MS), 'hour')}`
  return `in ${countOf(Math.round(left / DAY_MS), 'day')}`
}

/** When the deletion becomes final, before it is requested. */
export function finalitySentence(deletionDays: number): string {
  if (deletionDays === 0) return 'It begins at once and cannot be taken back.'
  const time = countOf(deletionDays, 'day')
  return `You have ${time} to change your mind: log in and choose “Keep my account”. After that, nobody can bring it back.`
}
