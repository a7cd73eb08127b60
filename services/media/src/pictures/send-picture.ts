import { Readable } from 'node:stream'
import { type ObjectStore, unavailable, within } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Piece, piecesInRange, sizeOf } from '../archives/archive.ts'
import { MissingObjectError } from '../archives/read-pieces.ts'
import { sendPieces } from '../archives/send-archive.ts'
import { type FileCleaner, readCleanPieces } from '../clean-files/clean-files.ts'
import type { Database } from '../database.ts'
import { mediaTypeOf, originalKey, renditionKey } from '../files/object-keys.ts'
import {
  contentDisposition,
  isShownByBrowsers,
  type ObjectHeaders,
  openObject,
  requestedRange,
  sendOpened,
  sendUnchanged,
} from '../files/responses.ts'
import { photoNotFound } from './may-see.ts'
import { downloadsOff, isFresh, type Picture } from './pictures.ts'

interface CardReader {
  read(name: string): Promise<Buffer | null>
}

interface SendPictureDeps {
  db: Database
  store: ObjectStore
  cards: CardReader
  fileCleaner: Pick<FileCleaner, 'prepareAll'>
}

interface SendPictureOptions {
  /** Confirms that the caller may have the picture at this moment. */
  confirm(): Promise<Picture>
  isDownload: boolean
}

/**
 * Sends the bytes of a picture. When the store has taken long, or the picture has been rendered anew meanwhile, the
 * permission is confirmed once more before the first byte.
 * @throws AppError what `confirm` throws, 404 when the store has no such file, 416
 */
export async function sendPicture(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: SendPictureDeps,
  options: SendPictureOptions,
): Promise<FastifyReply> {
  const { store, cards } = deps
  const { confirm, isDownload } = options
  const open = (one: Picture) =>
    one.isCard ? openCard(request, reply, cards, one) : openObject(request, reply, store, keyOf(one), one.etag)
  let picture = await confirm()
  if (picture.isOriginal && picture.byLink) return sendOriginal(request, reply, deps, options, picture)
  if (sendUnchanged(request, reply, pictureHeaders(picture, isDownload))) return reply
  let object = await open(picture)
  if (!object || !isFresh(picture)) {
    const former = picture
    picture = await confirm().catch((error) => {
      object?.body.destroy()
      throw error
    })
    if (picture.storedName !== former.storedName) {
      object?.body.destroy()
      object = await open(picture)
    }
  }
  if (object) return sendOpened(reply, object, pictureHeaders(picture, isDownload))
  request.log.error({ photoId: picture.photoId, key: keyOf(picture) }, 'object missing from the store')
  throw photoNotFound()
}

/**
 * Sends an original to somebody who has a link, without what the link hides, while the link gives it.
 * @throws AppError 403 when its format cannot be cleaned
 */
async function sendOriginal(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: SendPictureDeps,
  { confirm, isDownload }: SendPictureOptions,
  picture: Picture,
): Promise<FastifyReply> {
  const pieces = await piecesOf(deps, picture)
  // To clean it the first time, the whole of it was read.
  if (!isFresh(picture)) await confirm()
  return sendPieces(request, reply, deps.store, {
    size: pieces.reduce((size, piece) => size + sizeOf(piece), 0),
    pieces: (range) => piecesInRange(pieces, range),
    headers: pictureHeaders(picture, isDownload),
    missing: photoNotFound,
    confirm: async () => void (await confirm()),
  })
}

async function piecesOf({ db, store, fileCleaner }: SendPictureDeps, picture: Picture): Promise<Piece[]> {
  const { photoId, cleaning } = picture
  if (!cleaning) {
    const key = keyOf(picture)
    const object = await store.head(key)
    if (!object) throw photoNotFound()
    return [{ key, size: object.size, range: { start: 0, end: object.size - 1 } }]
  }
  if ((await fileCleaner.prepareAll([photoId])) > 0) throw unavailable(undefined, 1)
  return readCleanPieces(db, photoId, cleaning).catch((error) => {
    throw error instanceof MissingObjectError ? downloadsOff() : error
  })
}

async function openCard(
  request: FastifyRequest,
  reply: FastifyReply,
  cards: CardReader,
  { storedName, etag }: Picture,
) {
  const bytes = await cards.read(storedName)
  if (!bytes) return null
  const range = requestedRange(request, reply, etag, bytes.length)
  const sent = range ? bytes.subarray(range.start, range.end + 1) : bytes
  return { size: bytes.length, range, body: Readable.from(request.method === 'HEAD' ? [] : [sent]) }
}

function keyOf({ storedName, isOriginal }: Picture): string {
  return isOriginal ? originalKey(storedName) : renditionKey(storedName)
}

/** Browsers revalidate each time, since permission can be withdrawn; shared caches keep what everybody may see for a second. */
const SHAREABLE = 'public, max-age=0, s-maxage=1, must-revalidate'
const PRIVATE = 'private, no-cache'

/** The headers of a picture's response. @param isDownload the browser is to save the file, not to show it */
export function pictureHeaders(picture: Picture, isDownload: boolean): ObjectHeaders {
  const { storedName, etag, savedAs, isShareable } = picture
  const kind = isShownByBrowsers(storedName) && !isDownload ? 'inline' : 'attachment'
  return {
    etag,
    'cache-control': isShareable ? SHAREABLE : PRIVATE,
    'content-type': mediaTypeOf(storedName),
    'content-disposition': contentDisposition(kind, savedAs),
  }
}

/** In so long the store sends a whole rendition. */
const WHOLE_WITHIN_MS = 5_000

/**
 * Opens a rendition. Its stream fails when the store has not sent all of it within five seconds. Null when the store has
 * no such object.
 * @throws AppError 503 when the store does not begin within five seconds
 */
export async function openRendition(store: Pick<ObjectStore, 'get'>, name: string, withinMs = WHOLE_WITHIN_MS) {
  const until = performance.now() + withinMs
  const opening = store.get(renditionKey(name))
  const object = await within(withinMs, opening).catch((error) => {
    opening.then(
      (late) => late?.body.destroy(),
      () => {},
    )
    throw error
  })
  if (!object) return null
  const { body } = object
  const tooLate = () => body.destroy(new Error(`the object store did not send the rendition in ${withinMs} ms`))
  const timer = setTimeout(tooLate, until - performance.now())
  body.once('close', () => clearTimeout(timer))
  return object
}
