import type { IncomingMessage } from 'node:http'
import { finished, type Writable } from 'node:stream'
import { AppError } from '../http/errors.ts'
import { isWaitingForServer } from '../http/minimum-rate.ts'
import { freeBuffersOf } from '../process/free-buffers.ts'
import type { PartAdmission, PartedUpload, PartSpec } from './types.ts'

// What both stores need to receive parts.

/** The bytes of a part are not those whose SHA-256 was declared, or have another length. */
export class PartMismatch extends Error {
  override name = 'PartMismatch'
}

/** The upload was completed, aborted or never begun; or the store has forgotten it. */
export class UnknownUpload extends Error {
  override name = 'UnknownUpload'
}

/** The part is being sent by another request. */
const superseded = (message: string) => new AppError(409, 'part_superseded', message, { retryAfter: 2 })

/** The parser of HTTP ends a body at its Content-Length, so nobody counts its bytes again. */
export function requireLength({ number, bytes }: PartSpec, { headers }: IncomingMessage): void {
  if (headers['content-length'] === String(bytes)) return
  throw new PartMismatch(`part ${number} has ${headers['content-length']} bytes instead of ${bytes}`)
}

/** The numbers of parts that are not stored as they must be. */
export function missingOf(parts: PartSpec[], stored: PartSpec[]): number[] {
  const found = new Map(stored.map((part) => [part.number, part]))
  const isStored = ({ number, bytes, sha256 }: PartSpec) => {
    const part = found.get(number)
    return part?.bytes === bytes && part.sha256.equals(sha256)
  }
  return parts.filter((part) => !isStored(part)).map(({ number }) => number)
}

/**
 * Pipes the body into the target. A body that breaks off destroys the target with its error; a target that fails, or is ended by
 * the signal with its reason, leaves the rest of the body unread, so that the client can still get a response. Returns a function
 * that ends the connection of both.
 */
export function sendBody(body: IncomingMessage, target: Writable, signal: AbortSignal): () => void {
  const stopWatching = finished(body, { writable: false }, (error) => {
    if (error) target.destroy(error)
  })
  const end = () => target.destroy(signal.reason)
  if (signal.aborted) end()
  signal.addEventListener('abort', end)
  body.pipe(target)
  freeBuffersOf(body)
  return () => {
    stopWatching()
    signal.removeEventListener('abort', end)
    body.unpipe(target)
  }
}

/** Nothing has arrived for so long: the connection may be broken without an end, and its client back with another one. */
const HANGING_MS = 3_000

interface PartRequest {
  body: IncomingMessage
  admission: PartAdmission
  closed: Promise<void>
  /** Resolves when the one that it ended is closed. */
  turn: Promise<void>
  /** When bytes arrived, or it was read again; null before it is read at all, since it waits for its turn. */
  progressAt: number | null
}

/** The requests that send parts. One that hangs gives way to the next one of its part; while it makes progress the next is rejected. */
export function partRequests() {
  /** The one of each part that was admitted last. */
  const latest = new Map<string, PartRequest>()

  /** @throws AppError 409 `part_superseded` */
  return async function admit({ uploadId }: PartedUpload, { number }: PartSpec, body: IncomingMessage) {
    const name = `${uploadId}-${number}`
    const before = latest.get(name)
    if (before && !hangs(before)) throw superseded('This part is being sent already.')
    const turn = before ? end(before) : Promise.resolve()
    const request = createRequest(body, turn, () => {
      if (latest.get(name) === request) latest.delete(name)
    })
    latest.set(name, request)
    await turn
    return request.admission
  }
}

function createRequest(body: IncomingMessage, turn: Promise<void>, onClose: () => void): PartRequest {
  const controller = new AbortController()
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const progressed = () => {
    // Not before: who listens to data makes it flow.
    if (request.progressAt === null) body.on('data', progressed)
    request.progressAt = performance.now()
  }
  body.on('resume', progressed)
  const close = () => {
    body.off('resume', progressed).off('data', progressed)
    onClose()
    resolve()
  }
  const admission = { signal: controller.signal, end: (reason: Error) => controller.abort(reason), close }
  const request: PartRequest = { body, admission, closed, turn, progressAt: null }
  return request
}

function hangs({ body, progressAt }: PartRequest): boolean {
  if (body.destroyed && !body.complete) return true
  if (progressAt === null || isWaitingForServer(body)) return false
  return performance.now() - progressAt > HANGING_MS
}

/** Resolves when it writes nothing any more. One that nobody has begun to read never will, but its predecessor may. */
async function end({ admission, progressAt, closed, turn }: PartRequest): Promise<void> {
  admission.end(superseded('This part was sent again.'))
  await (progressAt === null ? turn : closed)
}
