import { type OrderFigures, type SubmitBody, submitBody } from '../../api/print-orders.ts'
import { centsToText } from '../../lib/order-formats.ts'
import { createStore, useStore } from '../../lib/store.ts'
import { amountsOf, chosenStore, orderRequest } from './order.ts'
import { randomKey } from './random-key.ts'
import type { WizardState } from './wizard-types.ts'

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
  const attempt = lastAttempt.get()
  return attempt?.userId === userId ? attempt : null
}

export function useUnknownAttempt(userId: number): Attempt | null {
  const attempt = useStore(lastAttempt)
  return attempt?.userId === userId ? attempt : null
}

/** Reads what this tab kept for the user over a reload. */
export function recallAttempt(userId: number): void {
  if (lastAttempt.get()?.userId !== userId) lastAttempt.set(readKept(userId))
}

/** A new attempt to place the order. */
export function attemptOf(order: WizardState): Attempt {
  const { userId, session, remember } = order
  const attempt = { userId, session, remember, key: randomKey(), body: submitBody(orderRequest(order)), sentAt: 0 }
  return { ...attempt, figures: figuresOf(order) }
}

/** True when the wizard shows the order that was sent. */
export function isSameOrder(order: WizardState, { session, body }: Attempt): boolean {
  return order.session === session && JSON.stringify(submitBody(orderRequest(order))) === JSON.stringify(body)
}

/** To be called before it is sent: after a reload the tab still knows it. */
export function keepAttempt(attempt: Attempt): void {
  lastAttempt.set(attempt)
  try {
    sessionStorage.setItem(storageKey(attempt.userId), JSON.stringify(attempt))
  } catch {
    // Without storage a reload forgets it; the server still knows its prints.
  }
}

/** To be called when its fate is certain. */
export function forgetAttempt({ userId, key }: Attempt): void {
  if (lastAttempt.get()?.key === key) lastAttempt.set(null)
  try {
    if (readKept(userId)?.key === key) sessionStorage.removeItem(storageKey(userId))
  } catch {
    // Without storage nothing is kept.
  }
}

const storageKey = (userId: number) => `skyfolio-print-attempt-${userId}`

function readKept(userId: number): Attempt | null {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey(userId)) ?? 'null') as Attempt | null
  } catch {
    return null
  }
}

function figuresOf(order: WizardState): OrderFigures {
  const { subtotal, discount, total } = amountsOf(order)
  return {
    subtotalAmount: centsToText(subtotal),
    discountAmount: centsToText(discount),
    totalAmount: centsToText(total),
    promiseTime: order.confirmed?.promiseTime ?? chosenStore(order)?.promiseTime ?? null,
  }
}
