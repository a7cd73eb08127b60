import { HOUR, MINUTE } from '../state/clock.ts'
import { fromLocal, localText, toLocal } from './local-time.ts'
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

interface Issued extends Promised {
  issuedAt: number
}

const MAX_STORES = 5_000
const MAX_PER_STORE = 50

/** The promise times that were sent, by store. */
export class PromiseTimes {
  readonly #issued = new Map<string, Issued[]>()

  issue(storeNum: string, promised: Promised, now: number): void {
    const others = (this.#issued.get(storeNum) ?? []).filter(({ text }) => text !== promised.text)
    this.#issued.delete(storeNum)
    this.#issued.set(storeNum, [...others.slice(1 - MAX_PER_STORE), { ...promised, issuedAt: now }])
    for (const oldest of this.#issued.keys()) {
      if (this.#issued.size <= MAX_STORES) return
      this.#issued.delete(oldest)
    }
  }

  /** The promise with this text, if it was made for this store. */
  find(storeNum: string, text: string): Issued | undefined {
    return this.#issued.get(storeNum)?.find((issued) => issued.text === text)
  }

  clear(): void {
    this.#issued.clear()
  }
}
