import type { QueryClient } from '@tanstack/react-query'
import { refreshOrders } from '../../../api/orders.ts'
import {
  changedFigures,
  type OrderFigures,
  type OrderResult,
  readProducts,
  refreshPrinting,
  rememberCustomer,
} from '../../../api/print-orders.ts'
import { toast } from '../../../components/ui/toast.tsx'
import { ApiError, concernsSession } from '../../../lib/http.ts'
import { type Attempt, isSameOrder } from '../attempt.ts'
import { productsLoaded } from '../prints-state.ts'
import { figuresOffered, orderPlaced, withFieldErrors } from '../submit-state.ts'
import { withError, withNotice } from '../wizard-state.ts'
import type { Session } from '../wizard-store.ts'
import { codeOf, reportError, sentenceOf } from './report-error.ts'

const FAILED = 'Order submission failed'
const SAFE_TO_REPEAT = 'You can submit again: it will not be ordered twice.'
const CHECKING = 'We are checking with the store. Do not order again yet.'
const CUSTOMER_FIELDS = ['firstName', 'lastName', 'email', 'phone']
/** The orders list the one that is in the way. */
const LISTED = ['order_unresolved', 'idempotency_conflict']
const SENT_BEFORE = 'This is the order as you sent it first. What you changed afterwards is not part of it.'

/** The server has the order. A wizard that was opened after it stays where it is. */
export function reportPlaced(client: QueryClient, session: Session, attempt: Attempt, result: OrderResult): void {
  void refreshOrders(client)
  const id = result.vendorOrderId ?? result.orderId ?? null
  const isKnown = result.orderStatus !== 'unknown'
  if (isKnown && id === null) {
    session.change(withError, `${FAILED} - no order ID received`, true)
    return
  }
  if (isKnown) toast({ title: 'Order Submitted Successfully!', description: `Order #${id} placed for pickup` })
  const order = session.order()
  if (order?.session === attempt.session) {
    session.change(orderPlaced, result, attempt.body.storeNum, isSameOrder(order, attempt) ? null : SENT_BEFORE)
  } else if (order) {
    const notice = isKnown ? `Your last order was placed: order #${id}.` : `Your last order: ${CHECKING}`
    session.change(withNotice, notice, true)
  } else if (!isKnown) {
    toast({ title: 'Order not confirmed yet', description: CHECKING })
  }
  if (attempt.remember) remember(attempt)
}

function remember({ body: { firstName, lastName, email, phone } }: Attempt): void {
  rememberCustomer({ firstName, lastName, email, phone }).catch(() =>
    toast({ title: 'Your details could not be saved', description: 'The order is not affected.', tone: 'danger' }),
  )
}

/** Nothing was ordered, and nothing will be. */
export async function reportNotPlaced(
  client: QueryClient,
  session: Session,
  attempt: Attempt,
  error: unknown,
): Promise<void> {
  if (session.signal.aborted && !concernsSession(error)) {
    toast({ title: 'Your order was not placed', description: sentenceOf(error, FAILED), tone: 'danger' })
    return
  }
  const now = changedFigures(error)
  if (now) return offer(client, session, attempt, now)
  if (LISTED.includes(codeOf(error))) {
    session.change(withError, sentenceOf(error, FAILED), true)
    return
  }
  const fields = error instanceof ApiError ? (error.body?.fields ?? {}) : {}
  session.change(withFieldErrors, fields)
  // The sentences are at the fields.
  if (CUSTOMER_FIELDS.some((field) => fields[field])) session.change(withError, 'Please check the marked fields.')
  else reportError(client, session, error, FAILED)
}

/** Shows what changed. The prices are read again, so that the order names the new ones; so is where orders go. */
async function offer(client: QueryClient, session: Session, attempt: Attempt, now: OrderFigures): Promise<void> {
  refreshPrinting(client)
  const products = await readProducts().catch(() => null)
  if (products) session.change(productsLoaded, products)
  session.change(figuresOffered, { before: attempt.figures, now })
}

/** Nobody knows yet whether the order was placed. */
export function reportUnsure(client: QueryClient, session: Session, error: unknown): void {
  if (concernsSession(error)) reportError(client, session, error, FAILED)
  else if (session.signal.aborted) {
    const description = 'It may have been placed. Open the print wizard to check it, or look into your orders.'
    toast({ title: 'Your order got no response', description, tone: 'danger' })
  } else session.change(withError, `${sentenceOf(error, FAILED).replace(/\.?$/, '.')} ${SAFE_TO_REPEAT}`)
}
