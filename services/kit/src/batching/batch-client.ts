import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { unavailable } from '../http/errors.ts'
import { IDENTITY_HEADER, signIdentity, visitorIdentity } from '../http/identity.ts'
import type { Logger } from '../process/logger.ts'
import { createRepeatedLines } from '../process/repeated-lines.ts'
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
  /** Name in metrics and logs, for a route with several clients. Default: method and pattern. */
  name?: string
  identityKeys: string[]
  /** Requests that may be queued or in flight; more are rejected. Default: 5,000. */
  maxQueued?: number
  /** A batch fails when the service is silent for so long. Default: 20 seconds. */
  silenceMs?: number
}

export interface BatchClient {
  /**
   * Sends a request in the next batch, and resolves with its response, or with null when the caller must send it on its
   * own: the service is of a release without this batch route or, for a GET, the response is too large for a batch or
   * the batch has failed. A request that may have been processed is not sent again unless it is a GET.
   * @throws AppError 503 with Retry-After when the queue is full, or when the batch of another method fails
   */
  send(item: BatchedRequest): Promise<BatchedResponse | null>
  /** Closes the connections; batches in flight fail. */
  close(): void
}

const IN_FLIGHT = 2
const MAX_ITEMS = 500
const MAX_CHARACTERS = 1024 * 1024
const MAX_QUEUED = 5_000
const SILENCE_MS = 20_000
const UNKNOWN_BATCH_ROUTE = 404
/** After so many batches a connection is replaced, so that newer replicas of the service receive their share. */
const BATCHES_PER_CONNECTION = 500
/** The sender of the batch as a whole; its requests have identities of their own. */
const ANONYMOUS = visitorIdentity('')

const sizes = metrics.histogram('skyfolio_batch_items', 'Requests in a batch', ['route'], [1, 3, 10, 30, 100, 300, 500])
const waits = metrics.histogram(
  'skyfolio_batch_wait_seconds',
  'Time that the first request of a batch waited for its start',
  ['route'],
  [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
)
const failures = metrics.counter('skyfolio_batch_failed_requests_total', 'Requests whose batch got no response', [
  'route',
])
const rejections = metrics.counter(
  'skyfolio_batch_rejected_requests_total',
  'Requests rejected because the queue was full',
  ['route'],
)
const queued = metrics.gauge('skyfolio_batch_queued_requests', 'Requests queued for a batch or in flight', ['route'])

/**
 * Sends the requests to one route of a service, declared there with `batchRoute`, in batches: while two batches are in
 * flight the next one forms, so an idle gateway sends at once and a busy one sends more with each batch.
 */
export function createBatchClient(options: BatchClientOptions): BatchClient {
  const label = { route: options.name ?? `${options.method} ${options.route}` }
  const path = batchPath(options.method, options.route)
  const url = new URL(path, options.upstream)
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT })

  const repeatedLines = createRepeatedLines(options.logger)
  const silenceMs = options.silenceMs ?? SILENCE_MS
  let sent = 0

  /** The responses; null when the service has no such batch route, and so has processed nothing. */
  function post(body: string): Promise<(BatchedResponse | null)[] | null> {
    return new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        [IDENTITY_HEADER]: signIdentity(ANONYMOUS, options.identityKeys),
        [BATCH_SIGNATURE_HEADER]: signBatch(path, body, options.identityKeys),
        connection: ++sent % BATCHES_PER_CONNECTION === 0 ? 'close' : 'keep-alive',
      }
      const request = httpRequest(url, { method: 'POST', agent, headers, timeout: silenceMs })
      request.on('timeout', () => request.destroy(new Error(`the service was silent for ${silenceMs} ms`)))
      request.on('error', reject)
      request.on('response', (response) => {
        if (response.statusCode === 200) return read(response).then(resolve, reject)
        response.resume()
        if (response.statusCode === UNKNOWN_BATCH_ROUTE) return resolve(null)
        reject(new Error(`the service responded with ${response.statusCode} to a batch`))
      })
      request.end(body)
    })
  }

  function logFailure(error: NodeJS.ErrnoException, requests: number): void {
    const fields = { err: error, requests, ...label }
    const kind = `batch failed ${error.code ?? error.message}`
    repeatedLines.log({ kind, level: 'error', fields, message: 'request batch failed' })
  }

  const batches = createBatcher<string, BatchedResponse | null>({
    async run(items) {
      try {
        return (await post(`[${items.join()}]`)) ?? items.map(() => null)
      } catch (error) {
        failures.inc(label, items.length)
        logFailure(error as NodeJS.ErrnoException, items.length)
        // It is unknown whether it was processed.
        if (options.method !== 'GET') throw unavailable(undefined, 1)
        return items.map(() => null)
      }
    },
    weightOf: (item) => item.length,
    maxInFlight: IN_FLIGHT,
    maxBatch: MAX_ITEMS,
    maxWeight: MAX_CHARACTERS,
    maxQueued: options.maxQueued ?? MAX_QUEUED,
    onReject: () => rejections.inc(label),
    observe({ size, waitMs }) {
      sizes.observe(label, size)
      waits.observe(label, waitMs / 1000)
    },
  })
  failures.inc(label, 0)
  rejections.inc(label, 0)
  const stopMeasuring = metrics.onScrape(`batch ${label.route}`, () => [[queued, batches.queued(), label]])

  return {
    send: (item) => batches.submit(encodeRequest(item, sampledTrace())),
    close() {
      stopMeasuring()
      repeatedLines.close()
      agent.destroy()
    },
  }
}

async function read(response: IncomingMessage): Promise<(BatchedResponse | null)[]> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return decodeResponses(Buffer.concat(chunks))
}
