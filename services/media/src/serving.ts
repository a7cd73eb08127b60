import { Readable } from 'node:stream'
import { type Identity, notFound, type ObjectStore } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Folders } from './folders.ts'
import type { Photo } from './generated/client.ts'
import { contentType, originalKey, renditionKey } from './objects.ts'
import { parseRange } from './range.ts'
import { isPublic } from './visibility.ts'

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

/** An inline attachment under the name the user knows, in ASCII for old clients and in full for the others. */
function disposition(name: string): string {
  const plain = name.replaceAll(/[^\w. ()-]/g, '_')
  const full = encodeURIComponent(name).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  return `inline; filename="${plain}"; filename*=UTF-8''${full}`
}

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((entry) => ['*', etag, `W/${etag}`].includes(entry.trim()))
}

/** What a photographer calls the files is for the photographer: it may name people and places. */
function mayKnowItsName({ identity }: FastifyRequest, photo: Photo): boolean {
  return photo.originalName !== '' && (identity.isAdmin || identity.userId === photo.userId)
}

/**
 * Answers with the bytes of one of the photo's files: `name` is the original's or a rendition's. Bytes under a name
 * never change, so the name is the entity tag. Browsers must ask each time, since the permission may be gone; caches
 * that several people share must keep nothing.
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ObjectStore,
  photo: Photo,
  name: string,
): Promise<FastifyReply> {
  const etag = `"${name}"`
  const isOriginal = name === photo.filename
  reply.headers({
    etag,
    'cache-control': 'private, no-cache',
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  })
  if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send()

  const key = isOriginal ? originalKey(name) : renditionKey(name)
  const ifRange = request.headers['if-range']
  const wanted = ifRange === undefined || ifRange === etag ? request.headers.range : undefined
  const head = await store.head(key)
  if (!head) {
    request.log.error({ photoId: photo.id, key }, 'an object is missing from the store')
    throw notFound('Photo not found')
  }
  const range = parseRange(wanted, head.size)
  if (range === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${head.size}`).send()

  const { start, end } = range ?? { start: 0, end: head.size - 1 }
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${head.size}`)
  reply.headers({
    'content-type': contentType(name),
    'content-length': end - start + 1,
    'content-disposition': disposition(isOriginal && mayKnowItsName(request, photo) ? photo.originalName : name),
  })
  // A stream, since the framework would take an empty body for the length.
  if (request.method === 'HEAD') return reply.send(Readable.from([]))
  const object = await store.get(key, range ?? undefined)
  if (!object) throw notFound('Photo not found')
  return reply.send(object.body)
}
