import { extname } from 'node:path'
import { Readable } from 'node:stream'
import { AppError, notFound, type ObjectStore } from '@skyfolio/kit'
import { UPLOAD_FORMATS } from '@skyfolio/proto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Photo } from '../generated/client.ts'
import { formatOf, mediaTypeOf, originalKey, renditionKey } from './object-keys.ts'
import { parseRange } from './range-header.ts'

export interface FileToSend {
  photo: Photo
  /** The file name of the original or of a rendition. */
  name: string
  /** The browser is to save the file, not to show it. */
  download: boolean
}

const SHOWN_BY_BROWSERS = new Set(['.jpg', '.png', '.gif', '.bmp', '.webp'])

/**
 * Sends the bytes of one of the photo's files. Bytes under a name never change and names are never reused, so the name
 * is a strong entity tag, for renditions too. Browsers must revalidate each time, since permission can be withdrawn;
 * shared caches must not store anything.
 * @throws AppError 404 when the store has no such file, 416
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ObjectStore,
  { photo, name, download }: FileToSend,
): Promise<FastifyReply> {
  const etag = `"${name}"`
  const caching = { etag, 'cache-control': 'private, no-cache' }
  if (matchesEntityTag(request.headers['if-none-match'], etag)) return reply.code(304).headers(caching).send()

  const isOriginal = name === photo.filename
  const key = isOriginal ? originalKey(name) : renditionKey(name)
  const object = await openObject(request, reply, store, key, etag)
  if (!object) {
    request.log.error({ photoId: photo.id, key }, 'object missing from the store')
    throw notFound('Photo not found')
  }
  const { size, range, body } = object
  const { start, end } = range ?? { start: 0, end: size - 1 }
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`)
  const kind = isShownByBrowsers(name) && !download ? 'inline' : 'attachment'
  const savedAs = isOriginal && maySeeOriginalName(request, photo) ? withTrueExtension(name, photo.originalName) : name
  return reply
    .headers({
      ...caching,
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-type': mediaTypeOf(name),
      'content-length': end - start + 1,
      'content-disposition': contentDisposition(kind, savedAs),
    })
    .send(body)
}

/** Whether browsers can show a file of this name as an image. */
export function isShownByBrowsers(name: string): boolean {
  return SHOWN_BY_BROWSERS.has(extname(name))
}

function matchesEntityTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((entry) => ['*', etag, `W/${etag}`].includes(entry.trim()))
}

/**
 * Opens the requested part of the object, with an empty body for HEAD. Returns null when the store has no such object.
 */
async function openObject(request: FastifyRequest, reply: FastifyReply, store: ObjectStore, key: string, etag: string) {
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

/** The requested byte range; null for the whole file, also when If-Range names another version. */
function requestedRange({ method, headers }: FastifyRequest, etag: string, size: number) {
  const ifRange = headers['if-range']
  if (method !== 'GET' || (ifRange !== undefined && ifRange !== etag)) return null
  return parseRange(headers.range, size)
}

/** Only the owner and administrators see the original name: it may contain names of people and places. */
function maySeeOriginalName({ identity }: FastifyRequest, photo: Photo): boolean {
  return photo.originalName !== '' && (identity.isAdmin || identity.userId === photo.userId)
}

/**
 * The name under which the file is saved. It ends with an extension of the true format: a file that claims to be a web
 * page must not become one on a user's disk.
 */
function withTrueExtension(name: string, originalName: string): string {
  const { extensions } = UPLOAD_FORMATS[formatOf(name)]
  const isTrue = extensions.some((extension) => originalName.toLowerCase().endsWith(extension))
  return isTrue ? originalName : originalName + extname(name)
}

/** The name in ASCII for old clients, and in full for others. */
function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replaceAll(/[^\w. ()-]/g, '_')
  const full = encodeURIComponent(name).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  return `${kind}; filename="${plain}"; filename*=UTF-8''${full}`
}
