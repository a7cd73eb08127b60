import { extname } from 'node:path'
import { Readable } from 'node:stream'
import { AppError, matchesEntityTag, type ObjectStore } from '@skyfolio/kit'
import { UPLOAD_FORMATS } from '@skyfolio/proto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { formatOf } from './object-keys.ts'

/** Bytes `start` to `end`, both inclusive. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * Parses a Range header for a body of `size` bytes. Returns null when the whole body is to be sent: no header, an
 * unknown syntax, or several ranges. Returns `unsatisfiable` when the range begins beyond the end.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const [, first, last] = header?.match(/^bytes=(\d*)-(\d*)$/i) ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return null
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return null
  return start >= size ? 'unsatisfiable' : { start, end }
}

const SHOWN_BY_BROWSERS = new Set(['.jpg', '.png', '.gif', '.bmp', '.webp'])

/** Whether browsers can show a file of this name as an image. */
export function isShownByBrowsers(name: string): boolean {
  return SHOWN_BY_BROWSERS.has(extname(name))
}

/** The requested byte range; null for the whole file, also when If-Range names another version. @throws AppError 416 */
export function requestedRange(
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
  etag: string,
  size: number,
): ByteRange | null {
  const ifRange = headers['if-range']
  if (method !== 'GET' || (ifRange !== undefined && ifRange !== etag)) return null
  const range = parseRange(headers.range, size)
  if (range !== 'unsatisfiable') return range
  reply.header('content-range', `bytes */${size}`)
  throw new AppError(416, 'range_not_satisfiable', 'The file is shorter than the requested part.')
}

/** The name in ASCII for old clients, and in full for others. */
export function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replaceAll(/[^\w. ()-]/g, '_')
  const full = encodeURIComponent(name).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  return `${kind}; filename="${plain}"; filename*=UTF-8''${full}`
}

/**
 * The name under which the file is saved. It ends with an extension of the true format: a file that claims to be a web
 * page must not become one on a user's disk.
 */
export function withTrueExtension(name: string, originalName: string): string {
  const { extensions } = UPLOAD_FORMATS[formatOf(name)]
  const isTrue = extensions.some((extension) => originalName.toLowerCase().endsWith(extension))
  return isTrue ? originalName : originalName + extname(name)
}

/** The headers that differ between objects. Bytes under a name never change and names are never reused. */
export type ObjectHeaders = Record<'etag' | 'cache-control' | 'content-type' | 'content-disposition', string>

/** The requested part of an object or an archive. */
interface OpenedObject {
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
  const range = requestedRange(request, reply, etag, size)
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
