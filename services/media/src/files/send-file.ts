import { extname } from 'node:path'
import { Readable } from 'node:stream'
import { AppError, notFound, type ObjectStore } from '@skyfolio/kit'
import { UPLOAD_FORMATS } from '@skyfolio/proto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Photo } from '../generated/client.ts'
import type { PrintImageName } from '../print-images/names.ts'
import {
  formatOf,
  mediaTypeOf,
  originalKey,
  PRINT_IMAGE_MEDIA_TYPE,
  printImageKey,
  renditionKey,
} from './object-keys.ts'
import { parseRange } from './range-header.ts'

export interface FileToSend {
  photo: Photo
  /** The file name of the original or of a rendition. */
  name: string
  /** The browser is to save the file, not to show it. */
  download: boolean
}

/** An object of the store as a response. Bytes under a name never change and names are never reused. */
interface ObjectToSend {
  key: string
  etag: string
  mediaType: string
  cacheControl: string
  contentDisposition: string
}

const SHOWN_BY_BROWSERS = new Set(['.jpg', '.png', '.gif', '.bmp', '.webp'])
const PRINT_IMAGE_CACHE_SECONDS = 3600

/**
 * Sends the bytes of one of the photo's files. Its name is a strong entity tag, for renditions too. Browsers must
 * revalidate each time, since permission can be withdrawn; shared caches must not store anything.
 * @throws AppError 404 when the store has no such file, 416
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ObjectStore,
  { photo, name, download }: FileToSend,
): Promise<FastifyReply> {
  const isOriginal = name === photo.filename
  const key = isOriginal ? originalKey(name) : renditionKey(name)
  const kind = isShownByBrowsers(name) && !download ? 'inline' : 'attachment'
  const savedAs = isOriginal && maySeeOriginalName(request, photo) ? withTrueExtension(name, photo.originalName) : name
  const sent = await sendObject(request, reply, store, {
    key,
    etag: `"${name}"`,
    mediaType: mediaTypeOf(name),
    cacheControl: 'private, no-cache',
    contentDisposition: contentDisposition(kind, savedAs),
  })
  if (sent) return sent
  request.log.error({ photoId: photo.id, key }, 'object missing from the store')
  throw notFound('Photo not found')
}

/**
 * Sends a print image to anybody who has its signed name, which the caller has verified. The object is all that is needed,
 * so it works while database and folders are unavailable. Without the object, the image was removed: 404.
 */
export async function sendPrintImage(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ObjectStore,
  { id, expiresAt }: PrintImageName,
): Promise<FastifyReply> {
  const remaining = Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1000))
  const sent = await sendObject(request, reply, store, {
    key: printImageKey(id),
    etag: `"${id}"`,
    mediaType: PRINT_IMAGE_MEDIA_TYPE,
    cacheControl: `private, max-age=${Math.min(remaining, PRINT_IMAGE_CACHE_SECONDS)}`,
    contentDisposition: contentDisposition('inline', 'print.jpg'),
  })
  if (!sent) throw notFound('Photo not found')
  return sent
}

/** Sends an object, with ranges and entity tags. Returns null when the store has no such object. @throws AppError 416 */
async function sendObject(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ObjectStore,
  { key, etag, mediaType, cacheControl, contentDisposition }: ObjectToSend,
): Promise<FastifyReply | null> {
  const caching = { etag, 'cache-control': cacheControl }
  if (matchesEntityTag(request.headers['if-none-match'], etag)) return reply.code(304).headers(caching).send()
  const object = await openObject(request, reply, store, key, etag)
  if (!object) return null
  const { size, range, body } = object
  const { start, end } = range ?? { start: 0, end: size - 1 }
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`)
  return reply
    .headers({
      ...caching,
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-type': mediaType,
      'content-length': end - start + 1,
      'content-disposition': contentDisposition,
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
