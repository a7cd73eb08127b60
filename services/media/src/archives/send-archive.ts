import { finished, Readable } from 'node:stream'
import { AppError, matchesEntityTag, metrics, type ObjectStore } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { contentDisposition, requestedRange } from '../files/responses.ts'
import type { Archive } from './archive.ts'
import { MissingObjectError, readArchive } from './read-archive.ts'

export interface ArchiveToSend {
  archive: Archive
  /** A strong entity tag: the same bytes each time. */
  etag: string
  /** Under which browsers save it. */
  filename: string
  /** The error when the store turns out to lack an object before the response has begun. */
  missing: () => AppError
  /** Called when the store turns out to lack an object. A response that has begun is cut off. */
  onMissing: () => Promise<void>
}

const sentBytes = metrics.counter('skyfolio_archive_bytes_total', 'Bytes of archives sent')
const running = metrics.gauge('skyfolio_archives_sending', 'Archives that are being sent')

/**
 * Sends an archive or a range of it. A client that is too slow is disconnected by the server; it can resume.
 * @throws AppError 416, or what `missing` returns
 */
export async function sendArchive(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ObjectStore,
  { archive, etag, filename, missing, onMissing }: ArchiveToSend,
): Promise<FastifyReply> {
  const caching = { etag, 'cache-control': 'private, no-cache' }
  if (matchesEntityTag(request.headers['if-none-match'], etag)) return reply.code(304).headers(caching).send()
  const { size } = archive
  const range = requestedRange(request, etag, size)
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${size}`)
    throw new AppError(416, 'range_not_satisfiable', 'The file is shorter than the requested part.')
  }
  const wanted = range ?? { start: 0, end: size - 1 }
  const headers = {
    ...caching,
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'content-type': 'application/zip',
    'content-length': wanted.end - wanted.start + 1,
    'content-disposition': contentDisposition('attachment', filename),
  }
  const contentRange = range && { 'content-range': `bytes ${wanted.start}-${wanted.end}/${size}` }
  const answer = () =>
    reply
      .code(range ? 206 : 200)
      .headers(headers)
      .headers(contentRange ?? {})
  // A stream: Fastify would set the content length from an empty body.
  if (request.method === 'HEAD') return answer().send(Readable.from([]))

  const stopping = new AbortController()
  const chunks = readArchive(store, archive, wanted, stopping.signal)
  const reportMissing = async (error: unknown): Promise<void> => {
    if (error instanceof MissingObjectError) await onMissing()
  }
  const first = await chunks.next().catch(async (error) => {
    await reportMissing(error)
    throw error instanceof MissingObjectError ? missing() : error
  })
  async function* body() {
    running.inc()
    try {
      for (let next = first; !next.done; next = await chunks.next()) {
        sentBytes.inc(next.value.length)
        yield next.value
      }
    } catch (error) {
      if (!stopping.signal.aborted) {
        // The length was announced, so the connection ends before it.
        request.log.warn({ err: error }, 'archive not sent to its end')
        await reportMissing(error)
      }
      throw error
    } finally {
      running.dec()
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
  return answer().send(stream)
}
