import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import type { Partner } from '../partner/partner.ts'
import { ENVIRONMENTS, type Environment } from '../partner/types.ts'
import { applyReports, type ReportDeps } from './apply-reports.ts'
import { type DueOrder, leaseDueOrders, nextCheckIn, renewLeases, scheduleOrders } from './due-orders.ts'
import { type RequestFailure, requestStatuses } from './request-status.ts'

export interface PollerDeps {
  db: Database
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
  /** Requests the status of everything that is due. Stops after the present request when a signal aborts. */
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
  const loggedTexts = new Set<string>()
  const polls = ENVIRONMENTS.map((environment) => createEnvironmentPoll({ ...deps, loggedTexts }, environment))
  return {
    // Together, so that a slow sandbox does not delay orders in production.
    run: async (signal) => void (await Promise.all(polls.map((poll) => poll(signal)))),
  }
}

function createEnvironmentPoll(
  deps: PollerDeps & ReportDeps,
  environment: Environment,
): (signal: AbortSignal) => Promise<void> {
  const { db, partner, logger } = deps
  let failures = 0
  let pausedUntil = 0
  let nextRequestAt = 0

  /** Waits until the next request is allowed; false when the work is to stop. */
  async function waitForInterval(signal: AbortSignal): Promise<boolean> {
    const wait = nextRequestAt - performance.now()
    if (wait > 0) await delay(wait, undefined, { signal }).catch(() => {})
    nextRequestAt = performance.now() + deps.pauseMs
    return !signal.aborted
  }

  function pauseAfter({ reason, retryAfterMs }: RequestFailure): void {
    failures += 1
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS)
    pausedUntil = performance.now() + Math.max(pause, retryAfterMs ?? 0)
    if (failures === 1) logger.warn({ environment, reason }, 'order status not read, will retry')
  }

  function resume(): void {
    if (failures > 0) logger.info({ environment }, 'order status is read again')
    failures = 0
  }

  async function pollBatch(batch: DueOrder[], signal: AbortSignal): Promise<void> {
    const beforeRequest = async (sent: number) => {
      const isRunning = await waitForInterval(signal)
      if (isRunning && sent > 0) await renewLeases(db, batch)
      return isRunning
    }
    const result = await requestStatuses(batch, { partner, environment, withinMs: REQUEST_MS, beforeRequest })
    if (result.reported.length > 0) resume()
    for (const { orders, entries } of result.reported) {
      if (await applyReports(deps, orders, entries)) deps.onChange()
      await scheduleOrders(db, orders, nextCheckIn)
    }
    if (result.rejected.length > 0) {
      const orderIds = result.rejected.map(({ id }) => id)
      logger.warn({ environment, orderIds }, 'partner rejects status requests for orders, will retry in an hour')
    }
    await scheduleOrders(db, result.rejected, () => RETRY_REJECTED_MS)
    await scheduleOrders(db, result.withoutResponse, () => retryDelay(result.failure))
    if (result.failure) pauseAfter(result.failure)
  }

  return async (signal) => {
    while (!signal.aborted && performance.now() >= pausedUntil && partner.configured(environment)) {
      const batch = await leaseDueOrders(db, environment, deps.batchSize)
      if (batch.length === 0) return
      await pollBatch(batch, signal)
    }
  }
}

/** Orders that may be the cause of a failure wait, each for another time, so that they are not in one request again. */
function retryDelay(failure: RequestFailure | null): number {
  return failure?.isSuspicious ? RETRY_MS * (0.5 + Math.random()) : 0
}
