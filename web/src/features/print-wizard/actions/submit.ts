import type { QueryClient } from '@tanstack/react-query'
import { refreshOrders } from '../../../api/orders.ts'
import { changedFigures, readProducts, rememberCustomer, submitOrder } from '../../../api/print-orders.ts'
import type { OrderFigures, OrderResult } from '../../../api/print-types.ts'
import { toast } from '../../../components/ui/toast.tsx'
import { ApiError, hasStatus, isRetryable } from '../../../lib/http.ts'
import { centsToText } from '../../../lib/money.ts'
import { amountsOf, chosenStore, customerOf, isComplete, orderRequest } from '../order.ts'
import { makePrintFiles } from '../print-files.ts'
import {
  attemptRejected,
  figuresOffered,
  orderPlaced,
  productsLoaded,
  withAttempt,
  withError,
  withFieldErrors,
} from '../wizard-state.ts'
import { activity, change, currentOrder, setBusy } from '../wizard-store.ts'
import type { WizardState } from '../wizard-types.ts'
import { codeOf, reportError, sentenceOf } from './report-error.ts'

const FAILED = 'Order submission failed'
const SAFE_TO_REPEAT = 'You can submit again: it will not be ordered twice.'
/** Hundreds of large photos take minutes to render. */
const FILES_TIMEOUT_MS = 600_000

let making = new AbortController()

/** Has the files of the prints made while the user goes on. Submitting waits for them, and shows what failed. */
export function makeFilesInBackground(): void {
  const order = currentOrder()
  if (!order) return
  making.abort()
  making = new AbortController()
  makePrintFiles(order, making.signal).catch(() => {})
}

/** Places the order: once, however often it is called. */
export async function submit(client: QueryClient): Promise<void> {
  const order = currentOrder()
  if (!order || activity.get().busy || !isComplete(order)) return
  change(withError, null)
  setBusy('submit', 0, 'Preparing your photos...')
  try {
    if (await filesAreReady(order)) await place(client, order)
  } catch (error) {
    reportError(client, error, 'Your photos could not be prepared for printing. Please try again.')
  } finally {
    setBusy(null)
  }
}

async function filesAreReady(order: WizardState): Promise<boolean> {
  making.abort()
  const failed = await makePrintFiles(order, AbortSignal.timeout(FILES_TIMEOUT_MS), (done, total) => {
    // The wizard was closed: nothing is ordered.
    if (total > 0) setBusy('submit', (done / total) * 80, `Preparing your photos: ${done} of ${total}`)
  })
  if (failed.length === 0) return currentOrder() !== null
  change(withError, failed.map(({ title, message }) => `${title}: ${message}`).join(' '))
  return false
}

async function place(client: QueryClient, order: WizardState): Promise<void> {
  setBusy('submit', 90, 'Placing your order...')
  const request = orderRequest(order)
  // Kept before it is sent: after a reload the same order has the same key.
  change(withAttempt, JSON.stringify(request), newKey())
  const key = currentOrder()?.attempt?.key
  if (!key) return
  try {
    accept(client, order, await submitOrder(request, key))
  } catch (error) {
    await reject(client, order, error)
  }
}

function accept(client: QueryClient, order: WizardState, result: OrderResult): void {
  void refreshOrders(client)
  const id = result.vendorOrderId ?? result.orderId ?? null
  if (result.orderStatus !== 'unknown') {
    if (id === null) {
      change(withError, `${FAILED} - no order ID received`)
      return
    }
    toast({ title: 'Order Submitted Successfully!', description: `Order #${id} placed for pickup` })
  }
  change(orderPlaced, result)
  if (order.remember) {
    rememberCustomer(customerOf(order)).catch(() =>
      toast({ title: 'Your details could not be saved', description: 'The order is not affected.', tone: 'danger' }),
    )
  }
}

async function reject(client: QueryClient, order: WizardState, error: unknown): Promise<void> {
  if (hasStatus(error, 401)) return reportError(client, error, FAILED)
  const now = changedFigures(error)
  if (now) return offer(order, now)
  if (codeOf(error) === 'order_unresolved') {
    change(attemptRejected)
    return change(withError, sentenceOf(error, FAILED), true)
  }
  if (isRetryable(error) && codeOf(error) !== 'partner_not_configured') {
    return change(withError, `${sentenceOf(error, FAILED).replace(/\.?$/, '.')} ${SAFE_TO_REPEAT}`)
  }
  change(attemptRejected)
  if (error instanceof ApiError) change(withFieldErrors, error.body?.fields ?? {})
  reportError(client, error, FAILED)
}

/** Shows what changed. The prices are read again, so that the order names the new ones. */
async function offer(order: WizardState, now: OrderFigures): Promise<void> {
  const products = await readProducts().catch(() => null)
  if (products) change(productsLoaded, products)
  change(figuresOffered, { before: figuresOf(order), now })
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

/** 128 random bits. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
