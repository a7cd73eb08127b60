import { Readable } from 'node:stream'
import { AppError, matchesEntityTag, type ObjectStore } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ByteRange } from './range-header.ts'
import { requestedRange } from './responses.ts'

/** The headers that differ between objects. Bytes under a name never change and names are never reused. */
export type ObjectHeaders = Record<'etag' | 'cache-control' | 'content-type' | 'content-disposition', string>

/** The requested part of an object. */
export interface OpenedObject {
  /** Of the whole object. */
  size: number
  /** Null: all of it. */
  range: ByteRange | null
  body: Readable
}

/** Sends 304 and returns true when the client has the object. */
export function sendUnchanged(request: FastifyRequest, reply: FastifyReply, headers: ObjectHeaders): boolean {
  if (!matchesEntityTag(request.headers['if-none-match'], headers.etag)) return false
  reply.code(304).headers({ etag: headers.etag, 'cache-control': headers['cache-control'] }).send()
  return true
}

/**
 * Opens the requested part of the object, with an empty body for HEAD. Returns null when the store has no such object.
 * @throws AppError 416
 */
export async function openObject(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ObjectStore,
  key: string,
  etag: string,
): Promise<OpenedObject | null> {
  if (request.method === 'GET' && !request.headers.range) {
    // The most frequent case: one request to the store is enough.
    const object = await store.get(key)
    return object && { ...object, range: null }
  }
  const head = await store.head(key)
  if (!head) return null
  const { size } = head
  const range = requestedRange(request, etag, size)
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${size}`)
    throw new AppError(416, 'range_not_satisfiable', 'The file is shorter than the requested part.')
  }
  // A stream: Fastify would set the content length from an empty body.
  if (request.method === 'HEAD') return { size, range, body: Readable.from([]) }
  const object = await store.get(key, range ?? undefined)
  return object && { size, range, body: object.body }
}

/** Sends an opened object. */
export function sendOpened(reply: FastifyReply, object: OpenedObject, headers: ObjectHeaders): FastifyReply {
  const { size, range, body } = object
  const { start, end } = range ?? { start: 0, end: size - 1 }
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`)
  return reply
    .headers({
      ...headers,
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-length': end - start + 1,
    })
    .send(body)
}
