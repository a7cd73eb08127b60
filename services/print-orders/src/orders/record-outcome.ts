import { isUniqueViolation, type Logger, oneLine } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import { rejectionSentence } from '../partner/problem.ts'
import type { FailureKind, PartnerError, SubmitOutcome } from '../partner/types.ts'
import { applyStatus, lockOrder } from './change-order.ts'
import type { OrderWithItems } from './order-events.ts'

const WORDS_MAX = 300

const REASON: Partial<Record<FailureKind, string>> = {
  timeout: 'The store did not respond in time.',
  reset: 'The connection to the store broke during the order.',
  http: 'The store responded with an error that does not say whether it has the order.',
  unreadable: 'The response of the store could not be read.',
  too_large: 'The response of the store could not be read.',
}

/** The sentence for the customer when the partner does not take an order. */
export function orderRejection(outcome: Pick<PartnerError, 'code' | 'words'>): string {
  const reason = rejectionSentence({ ...outcome, words: oneLine(outcome.words).slice(0, WORDS_MAX) })
  return `The store did not accept the order: ${reason.replace(/\.$/, '')}.`
}

/** A claim: the order, and the attempt that made it. */
export interface ClaimedOrder {
  id: number
  claimId: string | null
}

/** Records what became of a claimed order, with history and events. Safe to repeat. Returns the order, null if it is gone. */
export async function recordOutcome(
  { db, logger }: { db: Database; logger: Logger },
  claim: ClaimedOrder,
  outcome: SubmitOutcome,
): Promise<OrderWithItems | null> {
  try {
    return await db.$transaction((tx) => apply(tx, claim, outcome, logger))
  } catch (error) {
    if (outcome.outcome !== 'accepted' || !isUniqueViolation(error)) throw error
    logger.error({ orderId: claim.id }, 'the partner gave two orders the same number')
    const note = `The store named order ${outcome.vendorOrderId}, which is another order.`
    return db.$transaction((tx) => markUnknown(tx, claim, note))
  }
}

function apply(
  tx: Transaction,
  claim: ClaimedOrder,
  outcome: SubmitOutcome,
  logger: Logger,
): Promise<OrderWithItems | null> {
  switch (outcome.outcome) {
    case 'accepted':
      return accept(tx, claim, oneLine(outcome.vendorOrderId), logger)
    case 'rejected':
      return reject(tx, claim, orderRejection(outcome))
    case 'notSent':
      return release(tx, claim)
    case 'unknown':
      return markUnknown(tx, claim, REASON[outcome.kind] ?? null)
  }
}

async function markUnknown(tx: Transaction, { id }: ClaimedOrder, note: string | null): Promise<OrderWithItems | null> {
  return (await applyStatus(tx, { id }, 'unknown', note)) ?? lockOrder(tx, id)
}

async function accept(
  tx: Transaction,
  { id }: ClaimedOrder,
  vendorOrderId: string,
  logger: Logger,
): Promise<OrderWithItems | null> {
  const accepted = await applyStatus(tx, { id }, 'submitted', `Order ${vendorOrderId}.`, { vendorOrderId })
  if (accepted) return accepted
  const order = await lockOrder(tx, id)
  if (order?.vendorOrderId === vendorOrderId) return order
  // Erased meanwhile, or an administrator decided otherwise: the number must not be lost without a trace.
  logger.error({ orderId: id, vendorOrderId, status: order?.orderStatus }, 'order accepted after it was decided')
  const note = `The store accepted it late as order ${vendorOrderId}.`
  await tx.$executeRaw`
    INSERT INTO order_history (order_id, status, note) SELECT id, order_status, ${note} FROM walgreens_orders WHERE id = ${id}`
  return order
}

/** An order that users have seen as unknown cannot be hidden again: it is cancelled. */
async function reject(tx: Transaction, { id }: ClaimedOrder, rejection: string): Promise<OrderWithItems | null> {
  const rejected = await applyStatus(tx, { id }, 'rejected', rejection, { rejection })
  if (rejected) return rejected
  const order = await lockOrder(tx, id)
  return order?.orderStatus === 'unknown' ? applyStatus(tx, { id }, 'cancelled', rejection, { rejection }) : order
}

/** Nothing was sent: the claim goes, and its key can be used again. */
async function release(tx: Transaction, { id, claimId }: ClaimedOrder): Promise<OrderWithItems | null> {
  const order = await lockOrder(tx, id)
  if (order?.claimId !== claimId) return order
  if (order?.orderStatus === 'unknown') return applyStatus(tx, { id }, 'cancelled', 'It was not sent to the store.')
  if (order?.orderStatus === 'claimed') await tx.order.delete({ where: { id } })
  return null
}
