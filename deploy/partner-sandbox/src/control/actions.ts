import { addHistory } from '../orders/order.ts'
import { HOUR, MINUTE } from '../state/clock.ts'
import type { SandboxState } from '../state/state.ts'

// What API and page have in common.

/** An error that the caller caused; its message is shown. */
export class ControlError extends Error {
  readonly statusCode: number

  constructor(message: string, statusCode = 400) {
    super(message)
    this.statusCode = statusCode
  }
}

/** Runs a change whose errors are the caller's. @throws ControlError */
export function attempt<T>(change: () => T): T {
  try {
    return change()
  } catch (error) {
    throw new ControlError(error instanceof Error ? error.message : String(error))
  }
}

export interface ClockChange {
  advanceMinutes?: number
  advanceHours?: number
  /** ISO 8601. */
  now?: string
  toNextStep?: boolean
  reset?: boolean
}

/** Turns the clock and waits until the orders have followed. @throws ControlError */
export async function turnClock({ clock, life }: SandboxState, change: ClockChange): Promise<void> {
  attempt(() => {
    if (change.reset) return clock.setOffset(0)
    if (change.now !== undefined) return clock.setTo(readTime(change.now))
    if (change.toNextStep) return clock.setTo(nextStep(life.nextStepAt()))
    clock.advance((change.advanceMinutes ?? 0) * MINUTE + (change.advanceHours ?? 0) * HOUR)
  })
  await life.settle()
}

function readTime(text: string): number {
  const time = Date.parse(text)
  if (Number.isFinite(time)) return time
  throw new Error('now must be a time like 2026-11-22T12:00:00Z.')
}

function nextStep(at: number | undefined): number {
  if (at === undefined) throw new Error('No order has a next step.')
  return at
}

/** Sets the status text of an order, or with null gives it back to its life. @throws ControlError */
export function scriptStatus(state: SandboxState, vendorOrderId: string, status: string | null): void {
  const order = state.orders.get(vendorOrderId)
  if (!order) throw new ControlError('There is no such order.', 404)
  order.scriptedStatus = status
  addHistory(
    order,
    state.clock.now(),
    status === null ? 'Status follows the clock again' : `Status set by hand: ${status}`,
  )
  state.changed()
}

/** Forgets everything and sets the clock to the machine's. */
export async function resetAll(state: SandboxState): Promise<void> {
  state.reset()
  await state.file.save()
}
