import type { OrderFigures, SubmitBody } from '../../api/print-orders.ts'
import { createStore, useStore } from '../../lib/store.ts'
import { keep, readKept } from './wizard-store.ts'

/** An order that was sent, until it is certain what became of it. Nobody else's order is sent before that. */
export interface Attempt {
  userId: number
  /** The wizard session that sent it. */
  session: string
  /** Under this key it is placed once, however often it is sent. */
  key: string
  /** Exactly what was sent. */
  body: SubmitBody
  /** What the user saw. */
  figures: OrderFigures
  remember: boolean
  /** The last time, in milliseconds. */
  sentAt: number
}

const lastAttempt = createStore<Attempt | null>(null)

/** The order of this user whose fate is not known; null if there is none. */
export function unknownAttempt(userId: number): Attempt | null {
  return ofUser(lastAttempt.get(), userId)
}

export function useUnknownAttempt(userId: number): Attempt | null {
  return ofUser(useStore(lastAttempt), userId)
}

function ofUser(attempt: Attempt | null, userId: number): Attempt | null {
  return attempt?.userId === userId ? attempt : null
}

const storageKey = (userId: number) => `skyfolio-print-attempt-${userId}`

/** Reads what this tab kept for the user over a reload. */
export function recallAttempt(userId: number): void {
  if (lastAttempt.get()?.userId !== userId) lastAttempt.set(readKept(storageKey(userId)))
}

/** To be called before it is sent: after a reload the tab still knows it. */
export function keepAttempt(attempt: Attempt): void {
  lastAttempt.set(attempt)
  keep(storageKey(attempt.userId), attempt)
}

/** To be called when its fate is certain. */
export function forgetAttempt({ userId, key }: Attempt): void {
  if (lastAttempt.get()?.key === key) lastAttempt.set(null)
  if (readKept<Attempt>(storageKey(userId))?.key === key) keep(storageKey(userId), null)
}
