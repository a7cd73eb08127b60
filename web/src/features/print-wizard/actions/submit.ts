import type { QueryClient } from '@tanstack/react-query'
import { type Attempt, attemptOf, isSameOrder, unknownAttempt } from '../attempt.ts'
import { mustCheckCoupon } from '../coupon-state.ts'
import { amountsOf, isComplete } from '../order.ts'
import { makePrintFiles } from '../print-files.ts'
import { stallGuard } from '../stall-guard.ts'
import { withError, withNotice } from '../wizard-state.ts'
import { activity, currentSession, type Session } from '../wizard-store.ts'
import type { WizardState } from '../wizard-types.ts'
import { checkCoupon } from './check-coupon.ts'
import { reportError, sentenceOf } from './report-error.ts'
import { reportNotPlaced, reportPlaced, reportUnsure } from './report-fate.ts'
import { type Fate, sendAgain, sendFirst } from './send-attempt.ts'

/** The files are given up when none is made for this time: a large photo takes its time, hundreds take minutes. */
const FILES_STALL_MS = 60_000
const NOT_PREPARED = 'Your photos could not be prepared for printing. Please try again.'
const CHECKING_LAST = 'Checking your last order...'

let making = new AbortController()

/** Has the files of the prints made while the user goes on. Submitting waits for them, and shows what failed. */
export function makeFilesInBackground(): void {
  const session = currentSession()
  const order = session.order()
  if (!order) return
  making.abort()
  making = new AbortController()
  makePrintFiles(order, AbortSignal.any([making.signal, session.signal])).catch(() => {})
}

/** Places the order: once, however often it is called, and not before it is known what became of the last one. */
export async function submit(client: QueryClient): Promise<void> {
  const session = currentSession()
  const { busy, checkingCoupon } = activity.get()
  if (busy || checkingCoupon) return
  session.change(withError, null)
  const isReady = await couponIsReady(client, session)
  const order = session.order()
  if (!isReady || !order || activity.get().busy || !isComplete(order)) return
  try {
    if (!(await lastIsSettled(client, session, order))) return
    session.setBusy('prepare', 0, 'Preparing your photos...')
    if (await filesAreReady(session, order)) await place(client, session, order)
  } catch (error) {
    // The wizard was closed: nothing was ordered.
    if (!session.signal.aborted) reportError(client, session, error, NOT_PREPARED)
  } finally {
    session.setBusy(null)
  }
}

/** Finds out what became of the last order, when the wizard was opened anew. */
export async function checkLastOrder(client: QueryClient): Promise<void> {
  const session = currentSession()
  const order = session.order()
  const last = order && unknownAttempt(order.userId)
  if (!last || activity.get().busy) return
  session.change(withError, null)
  session.setBusy('place', 50, CHECKING_LAST)
  const fate = await sendAgain(last, session.signal)
  if (fate.kind === 'notPlaced' && !session.signal.aborted) {
    const reason = sentenceOf(fate.error, '')
    session.change(withNotice, `Your last order was not placed.${reason && ` ${reason}`}`)
  } else await report(client, session, last, fate)
  session.setBusy(null)
}

/** Checks a code that was typed but not checked; false when the user has to look at the order again. */
async function couponIsReady(client: QueryClient, session: Session): Promise<boolean> {
  const before = session.order()
  if (!before || !mustCheckCoupon(before)) return true
  await checkCoupon(client)
  const order = session.order()
  if (!order || mustCheckCoupon(order)) return false
  if (order.coupon.status === 'invalid') {
    session.change(withError, `${order.coupon.message}. Change the code, or submit again to order without it.`)
    return false
  }
  if (amountsOf(order).total === amountsOf(before).total) return true
  session.change(withNotice, 'The coupon was applied. Please check the new total and submit again.')
  return false
}

/** False when the last order was placed, when nobody knows, and when it is this one and was rejected. */
async function lastIsSettled(client: QueryClient, session: Session, order: WizardState): Promise<boolean> {
  const last = unknownAttempt(order.userId)
  if (!last) return true
  session.setBusy('place', 50, CHECKING_LAST)
  const fate = await sendAgain(last, session.signal)
  if (fate.kind === 'notPlaced' && !isSameOrder(order, last)) return !session.signal.aborted
  await report(client, session, last, fate)
  return false
}

async function filesAreReady(session: Session, order: WizardState): Promise<boolean> {
  making.abort()
  const stall = stallGuard(FILES_STALL_MS)
  const signal = AbortSignal.any([session.signal, stall.signal])
  try {
    const failed = await makePrintFiles(order, signal, (done, total) => {
      stall.progress()
      const text = `Preparing your photos: ${done} of ${total}`
      if (total > 0) session.setBusy('prepare', (done / total) * 80, text)
    })
    if (failed.length === 0) return !session.signal.aborted
    session.change(withError, failed.map(({ title, message }) => `${title}: ${message}`).join(' '))
    return false
  } finally {
    stall.stop()
  }
}

async function place(client: QueryClient, session: Session, order: WizardState): Promise<void> {
  session.setBusy('place', 90, 'Placing your order...')
  const attempt = attemptOf(order)
  await report(client, session, attempt, await sendFirst(attempt))
}

async function report(client: QueryClient, session: Session, attempt: Attempt, fate: Fate): Promise<void> {
  if (fate.kind === 'placed') reportPlaced(client, session, attempt, fate.result)
  else if (fate.kind === 'notPlaced') await reportNotPlaced(client, session, attempt, fate.error)
  else reportUnsure(client, session, fate.error)
}
