import { isUniqueViolation, type Logger, oneLine } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import type { FailureKind, SubmitOutcome } from '../partner/types.ts'
import { applyStatus, lockOrder } from './change-order.ts'
import type { OrderWithItems } from './order-events.ts'

const WORDS_MAX = 300

/** What the partner's codes mean, for answers without words. */
const MEANING: Record<string, string> = {
  '112': 'ordering is not activated for this account (112, API_NOT_ACTIVATED)',
  '659': 'the account is not known there (659)',
  '2003': 'the credentials of this service are not accepted (2003)',
}

const REASON: Partial<Record<FailureKind, string>> = {
  timeout: 'The store did not respond in time.',
  reset: 'The connection to the store broke during the order.',
  http: 'The store responded with an error that does not say whether it has the order.',
  unreadable: 'The response of the store could not be read.',
  too_large: 'The response of the store could not be read.',
}

/** The sentence for the customer when the partner does not take an order. */
export function refusalSentence({ code, words }: { code: string; words: string }): string {
  const reason = oneLine(words).slice(0, WORDS_MAX) || MEANING[code] || `error ${oneLine(code).slice(0, 20)}`
  return `The store did not accept the order: ${reason.replace(/\.$/, '')}.`
}

/** Records what became of a claimed order, with history and events. Safe to repeat. Returns the order, null if erased. */
export async function recordOutcome(
  { db, logger }: { db: Database; logger: Logger },
  claim: { id: number; claimId: string | null },
  outcome: SubmitOutcome,
): Promise<OrderWithItems | null> {
  try {
    return await db.$transaction(async (tx) => {
      await apply(tx, claim, outcome, logger)
      return lockOrder(tx, claim.id)
    })
  } catch (error) {
    if (outcome.outcome !== 'accepted' || !isUniqueViolation(error)) throw error
    logger.error({ orderId: claim.id }, 'the partner gave two orders the same number')
    const note = `The store named order ${outcome.vendorOrderId}, which is another order.`
    return db.$transaction(async (tx) => {
      await applyStatus(tx, claim, 'unknown', note, { claimedUntil: null })
      return lockOrder(tx, claim.id)
    })
  }
}

async function apply(
  tx: Transaction,
  claim: { id: number; claimId: string | null },
  outcome: SubmitOutcome,
  logger: Logger,
): Promise<void> {
  switch (outcome.outcome) {
    case 'accepted':
      return accept(tx, claim, oneLine(outcome.vendorOrderId), logger)
    case 'refused':
      return refuse(tx, claim, refusalSentence(outcome))
    case 'notSent':
      return release(tx, claim)
    case 'unknown':
      await applyStatus(tx, claim, 'unknown', REASON[outcome.kind] ?? null, { claimedUntil: null })
  }
}

async function accept(tx: Transaction, claim: { id: number }, vendorOrderId: string, logger: Logger): Promise<void> {
  const change = { vendorOrderId, claimedUntil: null, nextCheckAt: new Date() }
  if (await applyStatus(tx, claim, 'submitted', `Order ${vendorOrderId}.`, change)) return
  const order = await lockOrder(tx, claim.id)
  if (order?.vendorOrderId === vendorOrderId) return
  // Erased meanwhile, or an administrator decided otherwise: the number must not be lost without a trace.
  logger.error({ orderId: claim.id, vendorOrderId, status: order?.orderStatus }, 'order accepted after it was decided')
  if (!order) return
  const note = `The store accepted it late as order ${vendorOrderId}.`
  await tx.orderHistory.create({ data: { orderId: order.id, status: order.orderStatus, note } })
}

/** An order that users have seen as unknown cannot be hidden again: it is cancelled. */
async function refuse(tx: Transaction, claim: { id: number }, refusal: string): Promise<void> {
  const change = { refusal, claimedUntil: null }
  if (await applyStatus(tx, claim, 'refused', refusal, change)) return
  const order = await lockOrder(tx, claim.id)
  if (order?.orderStatus === 'unknown') await applyStatus(tx, claim, 'cancelled', refusal, change)
}

/** Nothing was sent: the claim goes, and its key can be used again. */
async function release(tx: Transaction, { id, claimId }: { id: number; claimId: string | null }): Promise<void> {
  const order = await lockOrder(tx, id)
  if (order?.claimId !== claimId) return
  if (order?.orderStatus === 'claimed') await tx.order.delete({ where: { id } })
  if (order?.orderStatus === 'unknown') await applyStatus(tx, { id }, 'cancelled', 'It was not sent to the store.')
}
