import type { QueryClient } from '@tanstack/react-query'
import { refreshOrders } from '../../../api/orders.ts'
import {
  type CurrentFigures,
  changedFigures,
  type OrderResult,
  readProducts,
  refreshPrinting,
  rememberCustomer,
  submitOrder,
} from '../../../api/print-orders.ts'
import { toast } from '../../../components/ui/toast.tsx'
import { ApiError, concernsSession } from '../../../lib/http.ts'
import { amountsOf, attemptOf, isComplete, isSameOrder } from '../order.ts'
import {
  edit,
  figuresOffered,
  goTo,
  mustCheckCoupon,
  productsLoaded,
  type WizardState,
  withError,
  withNotice,
} from '../wizard-state.ts'
import {
  type Attempt,
  activity,
  currentSession,
  forgetAttempt,
  keepAttempt,
  type Session,
  unknownAttempt,
} from '../wizard-store.ts'
import { filesAreReady, pause } from './prepare-photos.ts'
import { checkCoupon } from './prices.ts'
import { codeOf, reportError, run, sentenceOf } from './run.ts'

const FAILED = 'Order submission failed'
const NOT_PREPARED = 'Your photos could not be prepared for printing. Please try again.'
const CHECKING_LAST = 'Checking your last order...'
const SAFE_TO_REPEAT = 'You can submit again: it will not be ordered twice.'
export const UNKNOWN_OUTCOME = 'We are checking with the store. Do not order again yet.'
const SENT_BEFORE = 'This is the order as you sent it first. What you changed afterwards is not part of it.'
const CUSTOMER_FIELDS = ['firstName', 'lastName', 'email', 'phone']
/** The orders list the one that is in the way. */
const LISTED = ['order_unresolved', 'idempotency_conflict']

/** Places the order: once, however often it is called, and not before it is known what became of the last one. */
export async function submit(client: QueryClient): Promise<void> {
  const session = currentSession()
  const { busy, checkingCoupon } = activity.get()
  if (busy || checkingCoupon) return
  session.change(withError, null)
  const isReady = await couponIsReady(client, session)
  if (!isReady || session.signal.aborted) return
  await run(client, { busy: 'prepare', failed: NOT_PREPARED }, async (_, order) => {
    if (!isComplete(order) || !(await lastIsSettled(client, session, order))) return
    session.setBusy('prepare', 0, 'Preparing your photos...')
    if (!(await filesAreReady(session, order))) return
    session.setBusy('place', 90, 'Placing your order...')
    const attempt = attemptOf(order)
    await report(client, session, attempt, settled(attempt, await send(attempt, true)))
  })
}

/** The specified texts have no period. */
const asSentence = (text: string) => text.replace(/\.?$/, '.')

/** Finds out what became of the last order, when the wizard was opened anew. */
export async function checkLastOrder(client: QueryClient): Promise<void> {
  await run(client, { busy: 'place', failed: FAILED }, async (session, { userId }) => {
    const last = unknownAttempt(userId)
    if (!last) return
    session.setBusy('place', 50, CHECKING_LAST)
    const fate = await sendAgain(last, session.signal)
    if (fate.kind !== 'notPlaced' || session.signal.aborted) return report(client, session, last, fate)
    const reason = sentenceOf(fate.error, '')
    session.change(withNotice, `Your last order was not placed.${reason && ` ${reason}`}`)
  })
}

/** Checks a code that was typed but not checked; false when the user has to look at the new total first. */
async function couponIsReady(client: QueryClient, session: Session): Promise<boolean> {
  const before = session.order()
  if (!before || !mustCheckCoupon(before)) return true
  await checkCoupon(client)
  const order = session.order()
  if (!order || mustCheckCoupon(order)) return false
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

async function report(client: QueryClient, session: Session, attempt: Attempt, fate: Fate): Promise<void> {
  if (fate.kind === 'placed') reportPlaced(client, session, attempt, fate.result)
  else if (fate.kind === 'notPlaced') await reportNotPlaced(client, session, attempt, fate.error)
  else reportUnsure(client, session, fate.error)
}

/** The server has the order. A wizard that was opened after it stays where it is. */
function reportPlaced(client: QueryClient, session: Session, attempt: Attempt, outcome: OrderResult): void {
  void refreshOrders(client)
  const id = outcome.vendorOrderId ?? outcome.orderId ?? null
  const isKnown = outcome.orderStatus !== 'unknown'
  if (isKnown && id === null) {
    session.change(withError, `${FAILED} - no order ID received`, true)
    return
  }
  if (isKnown) toast({ title: 'Order Submitted Successfully!', description: `Order #${id} placed for pickup` })
  const order = session.order()
  if (order?.session === attempt.session) {
    const outcomeNote = isSameOrder(order, attempt) ? null : SENT_BEFORE
    const placed = { outcome, outcomeNote, storeNum: attempt.body.storeNum }
    session.change((state) => edit(goTo(state, 'complete'), placed))
  } else if (order) {
    const notice = isKnown ? `Your last order was placed: order #${id}.` : `Your last order: ${UNKNOWN_OUTCOME}`
    session.change(withNotice, notice, true)
  } else if (!isKnown) {
    toast({ title: 'Order not confirmed yet', description: UNKNOWN_OUTCOME })
  }
  if (!attempt.remember) return
  const { firstName, lastName, email, phone } = attempt.body
  rememberCustomer({ firstName, lastName, email, phone }).catch(() =>
    toast({ title: 'Your details could not be saved', description: 'The order is not affected.', tone: 'danger' }),
  )
}

/** Nothing was ordered, and nothing will be. */
async function reportNotPlaced(client: QueryClient, session: Session, attempt: Attempt, error: unknown): Promise<void> {
  if (session.signal.aborted && !concernsSession(error)) {
    toast({ title: 'Your order was not placed', description: sentenceOf(error, FAILED), tone: 'danger' })
    return
  }
  const now = changedFigures(error)
  if (now) return offer(client, session, attempt, now)
  if (LISTED.includes(codeOf(error))) return session.change(withError, sentenceOf(error, FAILED), true)
  const fieldErrors = error instanceof ApiError ? (error.body?.fields ?? {}) : {}
  session.change(edit, { fieldErrors })
  // The sentences are at the fields.
  if (CUSTOMER_FIELDS.some((field) => fieldErrors[field])) session.change(withError, 'Please check the marked fields.')
  else reportError(client, session, error, FAILED)
}

/** Shows what changed. The prices are read again, so that the order names the new ones; so is where orders go. */
async function offer(client: QueryClient, session: Session, attempt: Attempt, now: CurrentFigures): Promise<void> {
  refreshPrinting(client)
  const products = await readProducts().catch(() => null)
  if (products) session.change(productsLoaded, products)
  session.change(figuresOffered, { before: attempt.figures, now })
}

/** Nobody knows yet whether the order was placed. */
function reportUnsure(client: QueryClient, session: Session, error: unknown): void {
  if (concernsSession(error)) reportError(client, session, error, FAILED)
  else if (session.signal.aborted) {
    const description = 'It may have been placed. Open the print wizard to check it, or look into your orders.'
    toast({ title: 'Your order got no response', description, tone: 'danger' })
  } else session.change(withError, `${asSentence(sentenceOf(error, FAILED))} ${SAFE_TO_REPEAT}`)
}

/** What became of an order that was sent. The server itself follows one whose result says `unknown`. */
type Fate =
  | { kind: 'placed'; result: OrderResult }
  | { kind: 'notPlaced'; error: unknown }
  | { kind: 'unsure'; error: unknown }

/** The server has decided on a request by then, even if its response was lost. */
const DECIDED_MS = 25_000
/** Not sent, or not processed: that says nothing about the same request before. */
const NOT_PROCESSED = [401, 403, 408, 425, 429]
/** Errors of the server with which it says that nothing was ordered. */
const NOTHING_ORDERED = ['partner_failed', 'partner_not_configured', 'images_not_ready']
/** The order itself was found. */
const FINAL = ['partner_refused', 'order_not_placed']

/** Sends an order again whose fate is not known, under its key. */
async function sendAgain(attempt: Attempt, signal: AbortSignal): Promise<Fate> {
  const decidedAt = attempt.sentAt + DECIDED_MS
  let fate = await send(attempt, false)
  const early = Math.min(decidedAt - Date.now(), DECIDED_MS)
  if (fate.kind === 'notPlaced' && early > 0 && !FINAL.includes(codeOf(fate.error))) {
    // The request before may still be on its way through the server.
    const { error } = fate
    fate = await pause(early, signal).then(
      () => send(attempt, false),
      () => ({ kind: 'unsure', error }) as const,
    )
  }
  return settled(attempt, fate)
}

async function send(attempt: Attempt, isFirst: boolean): Promise<Fate> {
  keepAttempt({ ...attempt, sentAt: Date.now() })
  try {
    return { kind: 'placed', result: await submitOrder(attempt.body, attempt.key) }
  } catch (error) {
    return { kind: saysNotPlaced(error, isFirst) ? 'notPlaced' : 'unsure', error }
  }
}

function saysNotPlaced(error: unknown, isFirst: boolean): boolean {
  if (!(error instanceof ApiError)) return false
  if (NOTHING_ORDERED.includes(codeOf(error))) return true
  if (NOT_PROCESSED.includes(error.status)) return isFirst
  return error.status >= 400 && error.status < 500
}

function settled(attempt: Attempt, fate: Fate): Fate {
  if (fate.kind !== 'unsure') forgetAttempt(attempt)
  return fate
}
