import { HOUR, MINUTE } from '../state/clock.ts'
import type { Store } from './stores.ts'

/** What a store promises that cannot name a time. Clients show it as "Within 48 hours". */
export const SENTINEL = '01-01-3000 00:00 AM'
const SENTINEL_READY_MS = 47 * HOUR

const QUARTER_HOUR = 15 * MINUTE
const LAST_PRINT_BEFORE_CLOSING = 30

export interface Promised {
  text: string
  /** When an order with this promise is ready, in the sandbox's time. */
  readyAt: number
}

/** When the store would have these prints ready: within its hours, on a full quarter of an hour. */
export function promise(store: Store, now: number, prints: number, laterMinutes = 0): Promised {
  const workMs = (store.leadMinutes + Math.floor(prints / 20) + laterMinutes) * MINUTE
  if (store.isUnscheduled) return { text: SENTINEL, readyAt: now + SENTINEL_READY_MS + laterMinutes * MINUTE }
  const begin = isWithinHours(store, now) ? now : nextOpening(store, now)
  const ready = roundUp(begin + workMs)
  const readyAt = isWithinHours(store, ready) ? ready : nextOpening(store, ready) + HOUR
  return { text: localText(readyAt, store.timeZone), readyAt }
}

function roundUp(time: number): number {
  return Math.ceil(time / QUARTER_HOUR) * QUARTER_HOUR
}

function isWithinHours({ opensAt, closesAt, timeZone }: Store, time: number): boolean {
  const { minutes } = toLocal(time, timeZone)
  return minutes >= opensAt && minutes <= closesAt - LAST_PRINT_BEFORE_CLOSING
}

function nextOpening({ opensAt, timeZone }: Store, time: number): number {
  const local = toLocal(time, timeZone)
  const day = local.minutes < opensAt ? local.day : local.day + 1
  return fromLocal({ ...local, day, minutes: opensAt }, timeZone)
}

/** A promise that was sent. */
export interface Issued extends Promised {
  issuedAt: number
}

/** Date and time on the clocks of a time zone. */
interface LocalTime {
  year: number
  month: number
  day: number
  /** Minutes since midnight. */
  minutes: number
}

export function toLocal(time: number, zone: string): LocalTime {
  const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...fields })
  const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts
  return { year, month, day, minutes: hour * 60 + minute }
}

/** The moment of this local time; minutes and days may run over. */
function fromLocal({ year, month, day, minutes }: LocalTime, zone: string): number {
  const wanted = Date.UTC(year, month - 1, day, 0, minutes)
  const shift = (guess: number) => {
    const local = toLocal(guess, zone)
    return Date.UTC(local.year, local.month - 1, local.day, 0, local.minutes) - guess
  }
  const first = wanted - shift(wanted)
  return wanted - shift(first)
}

/** `9:05 PM` */
export function clockText(minutes: number): string {
  const [hour, minute] = [Math.floor(minutes / 60) % 24, minutes % 60]
  return `${hour % 12 || 12}:${String(minute).padStart(2, '0')} ${hour < 12 ? 'AM' : 'PM'}`
}

/** `MM-DD-YYYY H:MM AM/PM` */
export function localText(time: number, zone: string): string {
  const { year, month, day, minutes } = toLocal(time, zone)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(month)}-${two(day)}-${year} ${clockText(minutes)}`
}
