import { extname } from 'node:path'
import { Readable } from 'node:stream'
import { AppError, type Identity, notFound, type ObjectStore } from '@skyfolio/kit'
import { UPLOAD_FORMATS } from '@skyfolio/proto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Photo } from '../generated/client.ts'
import { isPublic } from '../photos/visibility.ts'
import type { Folders } from '../projection/folders.ts'
import { contentType, formatOf, originalKey, renditionKey } from './objects.ts'
import { parseRange } from './range.ts'

/**
 * Whether this caller may have the photo's bytes: its owner and administrators always, others while it is visible in
 * a folder that folders says is public.
 * @throws AppError 503 when folders does not answer
 */
export async function maySee(photo: Photo, identity: Identity, folders: Folders): Promise<boolean> {
  if (identity.isAdmin || identity.userId === photo.userId) return true
  if (photo.folderId === null) return false
  const folder = await folders.fresh(photo.folderId)
  return folder?.isPublic === true && isPublic(photo, folder)
}

const BROWSERS_SHOW = new Set(['.jpg', '.png', '.gif', '.bmp', '.webp'])

/** Whether browsers can show a file of this name as a picture. */
export function browsersShow(name: string): boolean {
  return BROWSERS_SHOW.has(extname(name))
}

/**
 * The name under which the file is saved. A name that the user gave ends as the true format does: what claims to be a
 * page must not become one on somebody's disk.
 */
function saveAs(name: string, given: string): string {
  const { extensions } = UPLOAD_FORMATS[formatOf(name)]
  return extensions.some((extension) => given.toLowerCase().endsWith(extension)) ? given : given + extname(name)
}

/** Shown or saved, under a name in ASCII for old clients and in full for the others. */
function disposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replaceAll(/[^\w. ()-]/g, '_')
  const full = encodeURIComponent(name).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  return `${kind}; filename="${plain}"; filename*=UTF-8''${full}`
}

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((entry) => ['*', etag, `W/${etag}`].includes(entry.trim()))
}

/** What a photographer calls the files is for the photographer: it may name people and places. */
function mayKnowItsName({ identity }: FastifyRequest, photo: Photo): boolean {
  return photo.originalName !== '' && (identity.isAdmin || identity.userId === photo.userId)
}

/** The part that is asked for; null for the whole, which also answers a range of something else than this. */
function rangeOf({ method, headers }: FastifyRequest, etag: string, size: number) {
  const ifRange = headers['if-range']
  if (method !== 'GET' || (ifRange !== undefined && ifRange !== etag)) return null
  return parseRange(headers.range, size)
}

/**
 * The part of the object that the request asks for, without bytes when it asks for the headers only. Null when the
 * store has no such object.
 */
async function openPart(request: FastifyRequest, reply: FastifyReply, store: ObjectStore, key: string, etag: string) {
  if (request.method === 'GET' && !request.headers.range) {
    // Most requests: one question to the store is enough.
    const object = await store.get(key)
    return object && { ...object, range: null }
  }
  const head = await store.head(key)
  if (!head) return null
  const { size } = head
  const range = rangeOf(request, etag, size)
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${size}`)
    throw new AppError(416, 'range_not_satisfiable', 'The file is shorter than the part that was asked for.')
  }
  // A stream, since the framework would take an empty body for the length.
  if (request.method === 'HEAD') return { size, range, body: Readable.from([]) }
  const object = await store.get(key, range ?? undefined)
  return object && { size, range, body: object.body }
}

export interface FileChoice {
  photo: Photo
  /** The original's name or a rendition's. */
  name: string
  /** The file is to be saved, not shown. */
  download: boolean
}

/**
 * Answers with the bytes of one of the photo's files. Bytes under a name never change and no name is given twice, so
 * the name is a strong entity tag, which renditions have too. Browsers must ask each time, since the permission may be
 * gone; caches that several people share must keep nothing.
 * @throws AppError 404 when the store has no such file, 416
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ObjectStore,
  { photo, name, download }: FileChoice,
): Promise<FastifyReply> {
  const etag = `"${name}"`
  const caching = { etag, 'cache-control': 'private, no-cache' }
  if (matches(request.headers['if-none-match'], etag)) return reply.code(304).headers(caching).send()

  const isOriginal = name === photo.filename
  const key = isOriginal ? originalKey(name) : renditionKey(name)
  const part = await openPart(request, reply, store, key, etag)
  if (!part) {
    request.log.error({ photoId: photo.id, key }, 'an object is missing from the store')
    throw notFound('Photo not found')
  }
  const { size, range, body } = part
  const { start, end } = range ?? { start: 0, end: size - 1 }
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`)
  const kind = browsersShow(name) && !download ? 'inline' : 'attachment'
  const savedAs = isOriginal && mayKnowItsName(request, photo) ? saveAs(name, photo.originalName) : name
  return reply
    .headers({
      ...caching,
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-type': contentType(name),
      'content-length': end - start + 1,
      'content-disposition': disposition(kind, savedAs),
    })
    .send(body)
}
