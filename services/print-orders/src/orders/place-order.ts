import { setTimeout as delay } from 'node:timers/promises'
import { isUnavailable, type Logger, metrics } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import type { Partner } from '../partner/partner.ts'
import type { Environment, SubmitOutcome, SubmitRequest } from '../partner/types.ts'
import { dropClaim } from './claim.ts'
import type { OrderWithItems } from './order-events.ts'
import { recordOutcome } from './record-outcome.ts'

const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 2_000
const FAILURES_MAX = 5

const OUTCOME_LABEL = { accepted: 'submitted', rejected: 'rejected', unknown: 'unknown', notSent: 'not_sent' } as const

const submitted = metrics.counter(
  'skyfolio_orders_submitted_total',
  'Orders sent to the print partner, by outcome: submitted, rejected, unknown, not_sent',
  ['outcome'],
)

interface PlacerDeps {
  db: Database
  partner: Partner
  logger: Logger
  /** Publishes the events of a commit. */
  onCommit(): void
}

export interface Placement {
  outcome: SubmitOutcome
  /** The order as recorded, null if it was erased or nothing was sent; `unrecorded` if that takes longer. */
  recorded: OrderWithItems | null | 'unrecorded'
}

export interface OrderPlacer {
  /** Sends a claimed order once, and records what became of it. Waits for the record until the deadline. */
  place(claim: OrderWithItems, request: SubmitRequest, time: { callMs: number; deadline: number }): Promise<Placement>
  /** Makes sure that a claim is gone whose commit failed, or seemed to: it is not sent. */
  drop(claimId: string): void
  /** Resolves when every order that was sent is recorded. */
  settled(): Promise<void>
}

/**
 * The only place that sends orders. There is no second attempt: the partner takes the same order twice. Recording is
 * repeated while the process lives; should it end before, the claim expires and the order is unknown.
 */
export function createOrderPlacer({ db, partner, logger, onCommit }: PlacerDeps): OrderPlacer {
  const inProgress = new Set<Promise<unknown>>()

  async function send(claim: OrderWithItems, request: SubmitRequest, callMs: number): Promise<SubmitOutcome> {
    const environment = claim.environment as Environment
    const outcome = await partner.submit(environment, request, { withinMs: callMs }).catch((error): SubmitOutcome => {
      logger.error({ err: error, orderId: claim.id }, 'order call failed')
      return { outcome: 'unknown', kind: 'reset' }
    })
    const label = OUTCOME_LABEL[outcome.outcome]
    submitted.inc({ outcome: label })
    const detail = 'kind' in outcome ? { kind: outcome.kind } : 'code' in outcome ? { partnerCode: outcome.code } : {}
    logger.info({ orderId: claim.id, environment, outcome: label, ...detail }, 'order sent')
    return outcome
  }

  async function record(claim: OrderWithItems, outcome: SubmitOutcome): Promise<Placement['recorded']> {
    const order = await untilDone(claim.claimId, () => recordOutcome({ db, logger }, claim, outcome))
    onCommit()
    return order
  }

  /** Waits for a database that is unavailable; after other failures the claim expires. */
  async function untilDone<T>(claimId: string | null, work: () => Promise<T>): Promise<T | 'unrecorded'> {
    let failures = 0
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      try {
        return await work()
      } catch (error) {
        failures += isUnavailable(error) ? 0 : 1
        logger[failures > 0 ? 'error' : 'warn']({ err: error, claimId }, 'outcome of an order not recorded')
        if (failures === FAILURES_MAX) return 'unrecorded'
        await delay(wait)
      }
    }
  }

  function track<T>(work: Promise<T>): Promise<T> {
    inProgress.add(work)
    work.finally(() => inProgress.delete(work)).catch(() => {})
    return work
  }

  return {
    place(claim, request, { callMs, deadline }) {
      const sending = track(send(claim, request, callMs))
      const recording = track(sending.then((outcome) => record(claim, outcome)))
      return sending.then(async (outcome) => {
        const recorded = await Promise.race([recording, unrecordedAt(deadline)])
        return { outcome, recorded }
      })
    },
    drop(claimId) {
      void track(untilDone(claimId, () => dropClaim(db, claimId)))
    },
    async settled() {
      await Promise.allSettled(inProgress)
    },
  }
}

async function unrecordedAt(deadline: number): Promise<'unrecorded'> {
  await delay(Math.max(0, deadline - performance.now()), undefined, { ref: false })
  return 'unrecorded'
}
