import type { PrintStore } from '../../api/print-orders.ts'
import { formatPromiseTime } from '../../lib/order-formats.ts'

export function storeName({ storeName, storeNum }: PrintStore): string {
  return storeName?.trim() || `Walgreens #${storeNum}`
}

/** '123 Main St, Duluth, MN 55804'. */
export function addressOf({ street, city, state, zip }: PrintStore): string {
  const region = [state, zip].filter(Boolean).join(' ')
  const parts = [street, city, region].map((part) => part?.trim())
  return parts.filter(Boolean).join(', ')
}

/** When a store has the prints ready, by its own clock. */
export function readyTime(promiseTime: string | null | undefined): string {
  return formatPromiseTime(promiseTime) ?? 'Same Day'
}

/** Zones of states whose clock differs from that of the abbreviation. */
const ZONES_OF_STATES: Record<string, string> = {
  AK: 'America/Anchorage',
  AZ: 'America/Phoenix',
  HI: 'Pacific/Honolulu',
  PR: 'America/Puerto_Rico',
  VI: 'America/St_Thomas',
}

/** IANA zones of the partner's abbreviations: standard and daylight time are the same place. */
const ZONES: Record<string, string> = {
  A: 'America/Puerto_Rico',
  AK: 'America/Anchorage',
  H: 'Pacific/Honolulu',
  HA: 'Pacific/Honolulu',
  P: 'America/Los_Angeles',
  M: 'America/Denver',
  C: 'America/Chicago',
  E: 'America/New_York',
}

type StoreHours = Pick<PrintStore, 'openTime' | 'closeTime'> & Partial<Pick<PrintStore, 'timeZone' | 'state'>>

export function hoursOf({ openTime, closeTime }: StoreHours): [open: string, close: string] {
  return [openTime || '8:00 AM', closeTime || '10:00 PM']
}

/** Minutes since midnight of '8:00 AM', '8AM' or '20:00'; null for other texts. */
export function minutesOfDay(text: string): number | null {
  const match = /^\s*(\d\d?)(?::(\d\d))?(?::\d\d)?\s*([AP])?\.?M?\.?\s*$/i.exec(text)
  if (!match) return null
  const [, hour, minute = '0', half] = match
  const hours = half ? (Number(hour) % 12) + (half.toUpperCase() === 'P' ? 12 : 0) : Number(hour)
  return hours < 24 && Number(minute) < 60 ? hours * 60 + Number(minute) : null
}

/** True while the store is open, by its time zone or else the browser's; null if its hours are not readable. */
export function isOpenNow(store: StoreHours, now: Date): boolean | null {
  const [open = null, close = null] = hoursOf(store).map(minutesOfDay)
  const time = clockIn(zoneOf(store), now)
  if (open === null || close === null || time === null) return null
  if (open === close) return true
  return open < close ? time >= open && time < close : time >= open || time < close
}

/** The IANA zone of 'America/Chicago', 'CST' or 'CT'; undefined, the browser's zone, if there is none. */
function zoneOf({ timeZone, state }: StoreHours): string | undefined {
  const text = timeZone?.trim() ?? ''
  const abbreviation = /^(A|AK|H|HA|P|M|C|E)[SD]?T$/i.exec(text)
  if (text !== '' && !abbreviation) return text
  const ofState = ZONES_OF_STATES[state?.trim().toUpperCase() ?? '']
  return ofState ?? (abbreviation ? ZONES[(abbreviation[1] ?? '').toUpperCase()] : undefined)
}

/** Minutes since midnight in a zone; null for an unknown one. */
function clockIn(timeZone: string | undefined, now: Date): number | null {
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
    return minutesOfDay(format.format(now))
  } catch {
    return null
  }
}
