import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { ObjectStore } from '@skyfolio/kit'
import type { ObjectPart, Piece } from './archive.ts'

/** The store lacks an object that is sent, or has another one under its key. */
export class MissingObjectError extends Error {
  override name = 'MissingObjectError'
}

/** Objects that are requested from the store before their turn, so that small ones do not wait for it one by one. */
const OPENED_AHEAD = 3
/** How often an object is opened again without a byte more of it. */
const MAX_FAILURES = 4
const RETRY_MS = 500

type OpenPiece = Buffer | (ObjectPart & { body: Promise<Readable> })

/**
 * Reads pieces one after another, in constant memory whatever their size: an object that is opened ahead of its turn is read only
 * as far as the buffers of its connection go. The store may close a connection on which a slow client keeps it waiting;
 * the object is then opened again where it ended. An aborted signal ends the reading at once.
 * @throws MissingObjectError
 */
export async function* readPieces(
  store: ObjectStore,
  pieces: Generator<Piece> | AsyncGenerator<Piece>,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const opened: OpenPiece[] = []
  try {
    for (let isLast = false; ; ) {
      while (!isLast && opened.length <= OPENED_AHEAD) {
        const { value, done } = await pieces.next()
        if (done) isLast = true
        else opened.push(Buffer.isBuffer(value) ? value : { ...value, body: openEarly(store, value, signal) })
      }
      const piece = opened.shift()
      if (!piece) return
      if (Buffer.isBuffer(piece)) yield piece
      else yield* readObject(store, piece, signal)
    }
  } finally {
    for (const piece of opened) if (!Buffer.isBuffer(piece)) piece.body.then((body) => body.destroy()).catch(() => {})
    await pieces.return(undefined)
  }
}

async function* readObject(
  store: ObjectStore,
  part: ObjectPart & { body: Promise<Readable> },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let { start, end } = part.range
  let failures = 0
  for (let body = part.body; ; body = openObject(store, { ...part, range: { start, end } }, signal)) {
    try {
      for await (const chunk of await body) {
        start += chunk.length
        failures = 0
        yield chunk
      }
      if (start > end) return
      throw new Error(`the object ${part.key} ended early`)
    } catch (error) {
      failures += 1
      if (signal.aborted || error instanceof MissingObjectError || failures > MAX_FAILURES) throw error
    }
    await delay(RETRY_MS, undefined, { signal })
  }
}

/** Opens an object ahead of its turn: an error is found when its turn comes. */
function openEarly(store: ObjectStore, part: ObjectPart, signal: AbortSignal): Promise<Readable> {
  const body = openObject(store, part, signal)
  body.catch(() => {})
  return body
}

async function openObject(store: ObjectStore, part: ObjectPart, signal: AbortSignal): Promise<Readable> {
  signal.throwIfAborted()
  const object = await store.get(part.key, part.range)
  if (object?.size !== part.size) {
    object?.body.destroy()
    throw new MissingObjectError(`the store has ${object ? `${object.size} bytes` : 'nothing'} of ${part.key}`)
  }
  const { body } = object
  // Until it is read nobody else listens.
  body.on('error', () => {})
  const abort = () => body.destroy(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  body.once('close', () => signal.removeEventListener('abort', abort))
  if (signal.aborted) abort()
  return body
}
