import { finished, Readable } from 'node:stream'
import type { AppError, ObjectStore } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ByteRange } from '../files/responses.ts'
import {
  contentDisposition,
  type ObjectHeaders,
  requestedRange,
  sendOpened,
  sendUnchanged,
} from '../files/responses.ts'
import { type Archive, archivePieces, type Piece } from './archive.ts'
import { MissingObjectError, readPieces } from './read-pieces.ts'

export interface ArchiveToSend {
  archive: Archive
  /** A strong entity tag: the same bytes each time. */
  etag: string
  /** Under which browsers save it. */
  filename: string
  /** Called when the store turns out to lack an object: returns the error. A response that has begun is cut off. */
  missing: () => AppError | Promise<AppError>
  /** Called twice a second while it is sent: throws when the client may have no more of it. */
  confirm?: () => Promise<void>
}

/** Sends an archive or a range of it. @throws as `sendPieces` */
export async function sendArchive(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ObjectStore,
  { archive, etag, filename, ...rest }: ArchiveToSend,
): Promise<FastifyReply> {
  const headers: ObjectHeaders = {
    etag,
    'cache-control': 'private, no-cache',
    'content-type': 'application/zip',
    'content-disposition': contentDisposition('attachment', filename),
  }
  const pieces = (range: ByteRange) => archivePieces(archive, range)
  return sendPieces(request, reply, store, { size: archive.size, pieces, headers, ...rest })
}

const CONFIRM_MS = 500

interface PiecesToSend extends Pick<ArchiveToSend, 'missing' | 'confirm'> {
  /** Bytes of the whole. */
  size: number
  /** Those that make up a range, in their order. */
  pieces(range: ByteRange): Generator<Piece> | AsyncGenerator<Piece>
  headers: ObjectHeaders
}

/**
 * Sends what consists of pieces, or a range of it. A client that is too slow is disconnected by the server; it can resume.
 * @throws AppError 416, or what `missing` returns
 */
export async function sendPieces(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ObjectStore,
  { size, pieces, headers, missing, confirm }: PiecesToSend,
): Promise<FastifyReply> {
  if (sendUnchanged(request, reply, headers)) return reply
  const range = requestedRange(request, reply, headers.etag, size)
  const send = (body: Readable) => sendOpened(reply, { size, range, body }, headers)
  // A stream: Fastify would set the content length from an empty body.
  if (request.method === 'HEAD') return send(Readable.from([]))

  const stopping = new AbortController()
  const chunks = readPieces(store, pieces(range ?? { start: 0, end: size - 1 }), stopping.signal)
  const explain = async (error: unknown) => (error instanceof MissingObjectError ? missing() : error)
  let confirmedAt = performance.now()
  const confirmAgain = async () => {
    if (!confirm || performance.now() - confirmedAt < CONFIRM_MS) return
    await confirm()
    confirmedAt = performance.now()
  }
  const first = await chunks.next().catch(async (error) => {
    throw await explain(error)
  })
  await confirmAgain().catch(async (error) => {
    await chunks.return(undefined)
    throw error
  })
  async function* body() {
    try {
      if (!first.done) yield first.value
      for await (const chunk of chunks) {
        await confirmAgain()
        yield chunk
      }
    } catch (error) {
      if (!stopping.signal.aborted) {
        // The length was announced, so the connection ends before it.
        request.log.warn({ err: error }, 'file not sent to its end')
        await explain(error)
      }
      throw error
    } finally {
      await chunks.return(undefined)
    }
  }
  const stream = Readable.from(body(), { objectMode: false })
  const stop = () => stopping.abort(new Error('the client disconnected'))
  stream.once('close', stop)
  // The stream does not know that the client has gone before anything is read, and its body ends only what it began.
  finished(reply.raw, () => {
    stream.destroy()
    void chunks.return(undefined).catch(() => {})
  })
  return send(stream)
}
