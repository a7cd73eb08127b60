import { ClientRequest, type IncomingMessage } from 'node:http'
import { finished, type Writable } from 'node:stream'
import { pipeBody } from '../http/pipe-body.ts'
import { freeBuffersOf } from '../process/free-buffers.ts'
import { PartMismatch } from './part-errors.ts'
import type { PartSpec, StoredPart } from './types.ts'

/** The parser of HTTP ends a body at its Content-Length, so nobody counts its bytes again. */
export function requireLength({ number, bytes }: PartSpec, { headers }: IncomingMessage): void {
  if (headers['content-length'] === String(bytes)) return
  throw new PartMismatch(`part ${number} has ${headers['content-length']} bytes instead of ${bytes}`)
}

/**
 * Sends the body to the target at the target's pace. A body that breaks off destroys the target with its error; a target
 * that fails, or is ended by the signal with its reason, leaves the rest of the body unread, so that the client can still get
 * a response. Returns a function that ends the connection of both.
 */
export function sendBody(body: IncomingMessage, target: Writable, signal?: AbortSignal): () => void {
  const stopWatching = finished(body, { writable: false }, (error) => {
    if (error) target.destroy(error)
  })
  const end = () => target.destroy(signal?.reason)
  if (signal?.aborted) end()
  signal?.addEventListener('abort', end)
  const stopPiping = target instanceof ClientRequest ? pipeBody(body, target) : pipe(body, target)
  return () => {
    stopWatching()
    signal?.removeEventListener('abort', end)
    stopPiping()
  }
}

function pipe(body: IncomingMessage, target: Writable): () => void {
  body.pipe(target)
  freeBuffersOf(body)
  return () => void body.unpipe(target)
}

/** The numbers of parts that are not stored as they must be. */
export function missingOf(parts: PartSpec[], stored: StoredPart[]): number[] {
  const found = new Map(stored.map((part) => [part.number, part]))
  const isStored = ({ number, bytes, sha256 }: PartSpec) => {
    const part = found.get(number)
    return part?.bytes === bytes && part.sha256.equals(sha256)
  }
  return parts.filter((part) => !isStored(part)).map(({ number }) => number)
}
