import { finished, Readable } from 'node:stream'
import type { AppError, ObjectStore } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  contentDisposition,
  type ObjectHeaders,
  requestedRange,
  sendOpened,
  sendUnchanged,
} from '../files/responses.ts'
import type { Archive } from './archive.ts'
import { MissingObjectError, readArchive } from './read-archive.ts'

export interface ArchiveToSend {
  archive: Archive
  /** A strong entity tag: the same bytes each time. */
  etag: string
  /** Under which browsers save it. */
  filename: string
  /** Called when the store turns out to lack an object: returns the error. A response that has begun is cut off. */
  missing: () => AppError | Promise<AppError>
}

/**
 * Sends an archive or a range of it. A client that is too slow is disconnected by the server; it can resume.
 * @throws AppError 416, or what `missing` returns
 */
export async function sendArchive(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ObjectStore,
  { archive, etag, filename, missing }: ArchiveToSend,
): Promise<FastifyReply> {
  const headers: ObjectHeaders = {
    etag,
    'cache-control': 'private, no-cache',
    'content-type': 'application/zip',
    'content-disposition': contentDisposition('attachment', filename),
  }
  if (sendUnchanged(request, reply, headers)) return reply
  const { size } = archive
  const range = requestedRange(request, reply, etag, size)
  const send = (body: Readable) => sendOpened(reply, { size, range, body }, headers)
  // A stream: Fastify would set the content length from an empty body.
  if (request.method === 'HEAD') return send(Readable.from([]))

  const stopping = new AbortController()
  const chunks = readArchive(store, archive, range ?? { start: 0, end: size - 1 }, stopping.signal)
  const explain = async (error: unknown) => (error instanceof MissingObjectError ? missing() : error)
  const first = await chunks.next().catch(async (error) => {
    throw await explain(error)
  })
  async function* body() {
    try {
      if (!first.done) yield first.value
      yield* chunks
    } catch (error) {
      if (!stopping.signal.aborted) {
        // The length was announced, so the connection ends before it.
        request.log.warn({ err: error }, 'archive not sent to its end')
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
