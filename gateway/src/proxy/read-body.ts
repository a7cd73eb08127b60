import {
  type App,
  type AppError,
  badRequest,
  createFairQueue,
  metrics,
  payloadTooLarge,
  requestTimeout,
  unavailable,
} from '@skyfolio/kit'
import type { FastifyRequest } from 'fastify'
import { inQuarters, shareKeys } from '../client-limits.ts'
import { proxyMetrics } from './proxy-metrics.ts'
import { TOO_LARGE } from './request-body.ts'

type Done = (error: Error | null, body?: Buffer) => void

export interface BodyReader {
  /** Calls `done` once: with the whole body, or with what is wrong with it (400, 408, 413, 503). */
  read(request: FastifyRequest, done: Done): void
}

export interface BodyReaderOptions {
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
export function createBodyReader(app: App, { deadlineMs, maxIncomplete }: BodyReaderOptions): BodyReader {
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

  return {
    read(request, done) {
      const body = collect(request, (error, bytes) => {
        incomplete.delete(body)
        body.release()
        done(error, bytes)
      })
      if (arriving.push(body) === 1) setImmediate(count)
    },
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
    if (length > maxBytes) finish(payloadTooLarge(TOO_LARGE))
    else chunks.push(chunk)
  }
  // Always a copy: the chunks are parts of the connection's buffer.
  const onEnd = () => finish(null, Buffer.concat(chunks, length))
  const onClose = () => finish(badRequest('The request was cut off.'))

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
export function parseBodies(app: App, reader: BodyReader): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, _payload, done) =>
    reader.read(request, (error, body) => (error ? done(error) : parseJson(request, String(body), done))),
  )
  app.addContentTypeParser('text/plain', (request, _payload, done) =>
    reader.read(request, (error, body) => done(error, String(body))),
  )
}
