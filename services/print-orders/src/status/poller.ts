import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@skyfolio/kit'
import type { Pool } from 'pg'
import type { Database } from '../database.ts'
import type { Partner } from '../partner/partner.ts'
import { ENVIRONMENTS, type Environment } from '../partner/types.ts'
import { applyReports } from './apply-reports.ts'
import { type AskFailure, askPartner } from './ask-partner.ts'
import { createBatchSize } from './batch-size.ts'
import { claimDueOrders, type DueOrder, scheduleOrders } from './due-orders.ts'
import { nextCheck } from './next-check.ts'

export interface PollerDeps {
  db: Database
  pool: Pool
  partner: Partner
  logger: Logger
  /** Most orders in one request. */
  batchSize: number
  /** Between two requests in one environment, so that an order whose user waits can be next. */
  pauseMs: number
  /** Called after changes. */
  onChange(): void
}

export interface StatusPoller {
  /** Asks the partner about everything that is due. Stops after the present request when a signal aborts. */
  run(signal: AbortSignal): Promise<void>
}

/** Time limit of one request with its waiting for a permit and its retries. */
const REQUEST_MS = 20_000
/** Orders of a failed request are due again after about this time, those that are rejected alone after a longer one. */
const RETRY_MS = 60_000
const RETRY_REJECTED_MS = 60 * 60_000
/** After a failure an environment is left alone, longer after each further one. */
const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 60_000

/** Keeps the status of open orders up to date. One `run` at a time. */
export function createStatusPoller(deps: PollerDeps): StatusPoller {
  const polls = ENVIRONMENTS.map((environment) => createEnvironmentPoll(deps, environment))
  return {
    // Together, so that a slow sandbox does not delay orders in production.
    run: async (signal) => void (await Promise.all(polls.map((poll) => poll(signal)))),
  }
}

function createEnvironmentPoll(deps: PollerDeps, environment: Environment): (signal: AbortSignal) => Promise<void> {
  const { pool, partner, logger } = deps
  const size = createBatchSize(deps.batchSize)
  let failures = 0
  let pausedUntil = 0
  let nextRequestAt = 0

  /** Waits for the next request's time; false when the work is to stop. */
  async function awaitTurn(signal: AbortSignal): Promise<boolean> {
    const wait = nextRequestAt - Date.now()
    if (wait > 0) await delay(wait, undefined, { signal }).catch(() => {})
    nextRequestAt = Date.now() + deps.pauseMs
    return !signal.aborted
  }

  function pauseAfter({ reason, retryAfterMs }: AskFailure): void {
    failures += 1
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS)
    pausedUntil = Date.now() + Math.max(pause, retryAfterMs ?? 0)
    if (failures === 1) logger.warn({ environment, reason }, 'order status not read, will retry')
  }

  function resume(): void {
    if (failures > 0) logger.info({ environment }, 'order status is read again')
    failures = 0
  }

  async function pollBatch(batch: DueOrder[], signal: AbortSignal): Promise<void> {
    const options = { partner, environment, withinMs: REQUEST_MS, beforeRequest: () => awaitTurn(signal) }
    const result = await askPartner(batch, options)
    size.learn(batch.length, result)
    if (result.reported.length > 0) resume()
    for (const { orders, entries } of result.reported) {
      if (await applyReports(deps, orders, entries)) deps.onChange()
      await scheduleOrders(pool, orders, (order) => nextCheck(order, new Date()))
    }
    if (result.rejected.length > 0) {
      const orderIds = result.rejected.map(({ id }) => id)
      logger.warn({ environment, orderIds }, 'partner rejects status requests for orders, will retry in an hour')
    }
    await scheduleOrders(pool, result.rejected, () => new Date(Date.now() + RETRY_REJECTED_MS))
    await scheduleOrders(pool, result.unanswered, () => new Date(Date.now() + retryDelay(result.failure)))
    if (result.failure) pauseAfter(result.failure)
  }

  return async (signal) => {
    while (!signal.aborted && Date.now() >= pausedUntil && partner.configured(environment)) {
      const batch = await claimDueOrders(pool, environment, size.current())
      if (batch.length === 0) return
      await pollBatch(batch, signal)
    }
  }
}

/** Orders that may be the cause of a failure wait, each for another time, so that they are not asked for together again. */
function retryDelay(failure: AskFailure | null): number {
  return failure?.isSuspicious ? RETRY_MS * (0.5 + Math.random()) : 0
}
