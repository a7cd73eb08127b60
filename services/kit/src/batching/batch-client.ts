import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { unavailable } from '../http/errors.ts'
import { IDENTITY_HEADER, type Identity, signIdentity } from '../http/identity.ts'
import type { Logger } from '../process/logger.ts'
import { metrics } from '../telemetry/metrics.ts'
import { sampledTrace } from '../telemetry/trace-context.ts'
import {
  BATCH_SIGNATURE_HEADER,
  type BatchedRequest,
  type BatchedResponse,
  batchPath,
  decodeResponses,
  encodeRequest,
  signBatch,
} from './batch-wire.ts'
import { createBatcher } from './batcher.ts'

export interface BatchClientOptions {
  logger: Logger
  /** Base URL of the service. */
  upstream: string
  method: string
  /** The route's pattern. */
  route: string
  identityKeys: string[]
  /** Requests that may wait or be under way; more are refused. 5,000 by default. */
  maxQueued?: number
}

export interface BatchClient {
  /**
   * Sends a request on in the next fold, and resolves with the service's answer to it, or with null when it is to be sent
   * on its own: the service, of another release, knows no such fold, or for a GET the answer is too large for a fold or
   * the fold has failed. A request that may have been processed is not sent again unless it is a GET.
   * @throws AppError 503 with Retry-After when too many wait, or when the fold of another method fails
   */
  send(item: BatchedRequest): Promise<BatchedResponse | null>
  /** Closes the connections; what is under way fails. */
  close(): void
}

const IN_FLIGHT = 2
const MAX_ITEMS = 500
const MAX_CHARACTERS = 1024 * 1024
const MAX_QUEUED = 5_000
const SILENCE_MS = 20_000
const UNKNOWN_BATCH_ROUTE = 404
/** After so many folds a connection is made anew, so that replicas of the service that came later get their share. */
const BATCHES_PER_CONNECTION = 500
/** Who sends the fold as a whole; the items have identities of their own. */
const nobody: Identity = { userId: null, username: null, isAdmin: false, sessionHash: null, address: '' }

const sizes = metrics.histogram('skyfolio_fold_items', 'Requests in a fold', ['route'], [1, 3, 10, 30, 100, 300, 500])
const waits = metrics.histogram(
  'skyfolio_fold_wait_seconds',
  'How long the first request of a fold waited for its start',
  ['route'],
  [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
)
const failures = metrics.counter('skyfolio_fold_failed_requests_total', 'Requests whose fold was not answered', [
  'route',
])
const refusals = metrics.counter('skyfolio_fold_refused_requests_total', 'Requests refused since too many wait', [
  'route',
])
const queued = metrics.gauge('skyfolio_fold_queued_requests', 'Requests that wait for a fold or are under way in one', [
  'route',
])

/**
 * Folds the requests to one route of a service, which has it from `foldableRoute`, into few: while two folds are under
 * way the next one forms, so an idle gateway sends at once and a busy one sends more with each fold.
 */
export function createBatchClient(o: BatchClientOptions): BatchClient {
  const label = { route: `${o.method} ${o.route}` }
  const path = batchPath(o.method, o.route)
  const url = new URL(path, o.upstream)
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT })

  let sent = 0

  /** The answers; null when the service knows no such fold, and so has not looked at it. */
  function post(body: string): Promise<(BatchedResponse | null)[] | null> {
    return new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        [IDENTITY_HEADER]: signIdentity(nobody, o.identityKeys),
        [BATCH_SIGNATURE_HEADER]: signBatch(path, body, o.identityKeys),
        connection: ++sent % BATCHES_PER_CONNECTION === 0 ? 'close' : 'keep-alive',
      }
      const request = httpRequest(url, { method: 'POST', agent, headers, timeout: SILENCE_MS })
      request.on('timeout', () => request.destroy(new Error(`the service was silent for ${SILENCE_MS} ms`)))
      request.on('error', reject)
      request.on('response', (response) => {
        if (response.statusCode === 200) return read(response).then(resolve, reject)
        response.resume()
        if (response.statusCode === UNKNOWN_BATCH_ROUTE) return resolve(null)
        reject(new Error(`the service answered ${response.statusCode} to a fold`))
      })
      request.end(body)
    })
  }

  const batches = createBatcher<string, BatchedResponse | null>({
    async run(items) {
      try {
        return (await post(`[${items.join()}]`)) ?? items.map(() => null)
      } catch (error) {
        failures.inc(label, items.length)
        o.logger.error({ err: error, requests: items.length, ...label }, 'fold failed')
        // Nobody knows whether it was processed.
        if (o.method !== 'GET') throw unavailable(undefined, 1)
        return items.map(() => null)
      }
    },
    weightOf: (item) => item.length,
    maxInFlight: IN_FLIGHT,
    maxBatch: MAX_ITEMS,
    maxWeight: MAX_CHARACTERS,
    maxQueued: o.maxQueued ?? MAX_QUEUED,
    refused: () => refusals.inc(label),
    observe({ size, waitMs }) {
      sizes.observe(label, size)
      waits.observe(label, waitMs / 1000)
    },
  })
  failures.inc(label, 0)
  refusals.inc(label, 0)
  const unmeasure = metrics.onScrape(`fold ${label.route}`, () => [[queued, batches.queued(), label]])

  return {
    send: (item) => batches.submit(encodeRequest(item, sampledTrace())),
    close() {
      unmeasure()
      agent.destroy()
    },
  }
}

async function read(response: IncomingMessage): Promise<(BatchedResponse | null)[]> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return decodeResponses(Buffer.concat(chunks))
}
