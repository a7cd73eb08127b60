import type { IncomingMessage } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import {
  type App,
  type AppError,
  createFairQueue,
  enforceMinimumRate,
  metrics,
  payloadTooLarge,
  requestCutOff,
  requestTimeout,
  unavailable,
} from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { inQuarters, shareKeys } from '../client-limits.ts'
import { proxyMetrics } from './proxy-metrics.ts'

/** How much of a rejected body is still read and discarded, and for how long. */
export interface DiscardLimits {
  bytes: number
  ms: number
}

export interface ForwardableBodyOptions {
  maxBytes?: number | undefined
  /** How far the client may fall behind the minimum rate. */
  stallMs: number
}

/** Below that of media, which knows what it waits for: this one holds whatever a service does. */
export const MIN_UPLOAD_RATE = 1024

/**
 * Returns the body of an upload as a stream for the service. When the client disconnects, stalls or sends more than
 * `maxBytes`, the stream fails, which ends the request to the service.
 */
export function forwardableBody(request: IncomingMessage, options: ForwardableBodyOptions): PassThrough {
  const { maxBytes = Number.POSITIVE_INFINITY, stallMs } = options
  const body = new PassThrough()
  request.once('close', enforceMinimumRate(request, { stallMs, minRate: MIN_UPLOAD_RATE }))
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxBytes) body.destroy(payloadTooLarge())
  })
  request.pipe(body)
  request.once('close', () => {
    if (!request.complete) body.destroy(new Error('The client disconnected'))
  })
  body.once('close', () => {
    request.unpipe(body)
    // Discard the rest; `respondBeforeBodyEnds` bounds how much.
    request.resume()
  })
  // The request to the service reports the error; without a listener it would be unhandled.
  body.on('error', () => {})
  return body
}

/** Resolves when the request has ended, the client has disconnected, or a limit is reached. */
function bodyDiscarded(request: IncomingMessage, { bytes, ms }: DiscardLimits): Promise<void> {
  const { socket } = request
  const end = { bytes: socket.bytesRead + bytes, at: performance.now() + ms }
  return new Promise((resolve) => {
    const check = () => {
      const mayContinue = socket.bytesRead < end.bytes && performance.now() < end.at
      if (mayContinue && !request.complete && !socket.destroyed) return
      clearInterval(timer)
      request.off('data', check)
      resolve()
    }
    const timer = setInterval(check, 100)
    // Between two ticks a fast client can send far more than `bytes`.
    request.on('data', check)
  })
}

async function* sendThenDiscard(payload: unknown, request: IncomingMessage, limits: DiscardLimits) {
  const discarded = bodyDiscarded(request, limits)
  if (payload instanceof Readable) yield* payload
  else if (payload) yield payload as string | Buffer
  await discarded
}

/**
 * Sends a response that is ready before the client has sent its whole body at once, as the last one of its connection,
 * which is closed after the rest of the body has been read and discarded: browsers read only after sending, and might
 * miss the response if the connection ended earlier. Beyond `limits` the connection is closed.
 */
export function respondBeforeBodyEnds(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  limits: DiscardLimits,
): unknown {
  if (raw.complete) return payload
  const hasBody = Number(raw.headers['content-length'] ?? 0) > 0 || raw.headers['transfer-encoding'] !== undefined
  if (!hasBody) return payload
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) {
    reply.header('content-length', Buffer.byteLength(payload))
  }
  reply.header('connection', 'close')
  // Nothing reads the body yet.
  if (raw.readableFlowing === null) raw.resume()
  return Readable.from(sendThenDiscard(payload, raw, limits), { objectMode: false })
}

type Done = (error: Error | null, body?: Buffer) => void

/** Calls `done` once: with the whole body, or with what is wrong with it (400, 408, 413, 503). */
export type ReadBody = (request: FastifyRequest, done: Done) => void

interface BodyReaderOptions {
  deadlineMs: number
  /** Bodies that may be incomplete at the same time; one site, and one user, has at most a quarter. */
  maxIncomplete: number
}

interface Incomplete {
  request: FastifyRequest
  isDone: boolean
  expiresAt: number
  release: () => void
  fail(error: AppError): void
}

/** Of routes that declare nothing else. */
const MAX_BYTES = 64 * 1024
const CHECKS_PER_DEADLINE = 10
const TOO_MANY = 'Too many requests are incomplete. Please try again in a moment.'

/**
 * Reads bodies whole, with a deadline. One that arrives with its headers costs neither a timer nor an entry: only what is incomplete
 * when the data at hand has been processed is counted, and checked against its deadline in one sweep over all.
 */
export function createBodyReader(app: App, { deadlineMs, maxIncomplete }: BodyReaderOptions): ReadBody {
  // When all places are taken, the site with the most loses its oldest body to one that has fewer.
  const places = createFairQueue({ ...inQuarters(maxIncomplete), displaceAfterMs: 0 })
  /** In the order in which they expire. */
  const incomplete = new Set<Incomplete>()
  let arriving: Incomplete[] = []

  function count(): void {
    const bodies = arriving
    arriving = []
    const expiresAt = performance.now() + deadlineMs
    for (const body of bodies) if (!body.isDone) admit(body, expiresAt)
  }

  function admit(body: Incomplete, expiresAt: number): void {
    const displaceable = { rank: () => body.expiresAt, cutOff: () => reject(body) }
    const release = places.tryAcquire({ key: shareKeys(body.request), displaceable })
    if (!release) {
      reject(body)
      return
    }
    Object.assign(body, { release, expiresAt })
    incomplete.add(body)
  }

  function reject(body: Incomplete): void {
    proxyMetrics.rejectedIncomplete.inc({ reason: 'full' })
    body.fail(unavailable(TOO_MANY, 1, 'incomplete-requests'))
  }

  function endLate(): void {
    const now = performance.now()
    for (const body of incomplete) {
      if (body.expiresAt > now) return
      proxyMetrics.rejectedIncomplete.inc({ reason: 'late' })
      body.fail(requestTimeout())
    }
  }

  const sweep = setInterval(endLate, deadlineMs / CHECKS_PER_DEADLINE)
  sweep.unref()
  const stopMeasuring = metrics.onScrape('incomplete requests', () => [[proxyMetrics.incomplete, places.running()]])
  app.addHook('onClose', async () => {
    clearInterval(sweep)
    stopMeasuring()
  })

  return (request, done) => {
    const body = collect(request, (error, bytes) => {
      incomplete.delete(body)
      body.release()
      done(error, bytes)
    })
    if (arriving.push(body) === 1) setImmediate(count)
  }
}

/** Collects the body, and calls `done` once. What arrives after an error is discarded. */
function collect(request: FastifyRequest, done: Done): Incomplete {
  const { raw, routeOptions } = request
  const maxBytes = routeOptions.config.maxBytes ?? MAX_BYTES
  const chunks: Buffer[] = []
  let length = 0

  function onData(chunk: Buffer): void {
    length += chunk.length
    if (length > maxBytes) finish(payloadTooLarge())
    else chunks.push(chunk)
  }
  // Always a copy: the chunks are parts of the connection's buffer.
  const onEnd = () => finish(null, Buffer.concat(chunks, length))
  const onClose = () => finish(requestCutOff())

  function finish(error: AppError | null, bytes?: Buffer): void {
    if (body.isDone) return
    body.isDone = true
    raw.off('data', onData).off('end', onEnd).off('close', onClose)
    done(error, bytes)
  }
  const body: Incomplete = {
    request,
    isDone: false,
    expiresAt: 0,
    release: () => {},
    fail: (error) => finish(error),
  }
  raw.on('data', onData).once('end', onEnd).once('close', onClose)
  // The client left before: there is no further event.
  if (raw.destroyed) queueMicrotask(onClose)
  return body
}

/** Parses the bodies of the routes that the gateway handles itself, votes among them, by this reader. */
export function parseBodies(app: App, readBody: ReadBody): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, _payload, done) =>
    readBody(request, (error, body) => (error ? done(error) : parseJson(request, String(body), done))),
  )
  app.addContentTypeParser('text/plain', (request, _payload, done) =>
    readBody(request, (error, body) => done(error, String(body))),
  )
}
