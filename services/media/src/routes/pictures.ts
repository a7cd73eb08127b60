import { type App, batchRoute, errorResponses, Nullable, notFound, type ObjectStore, within } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { MediaDeps } from '../deps.ts'
import {
  CARD_NAME_PATTERN,
  mediaTypeOf,
  PRINT_IMAGE_MEDIA_TYPE,
  printImageKey,
  RENDITION_NAME_PATTERN,
} from '../files/object-keys.ts'
import { contentDisposition, openObject, sendOpened, sendUnchanged } from '../files/responses.ts'
import { photoNotFound } from '../pictures/may-see.ts'
import { confirmNow, type Picture, type PictureCaller } from '../pictures/pictures.ts'
import { openRendition, pictureHeaders, sendPicture } from '../pictures/send-picture.ts'
import { isPrintImageName, type PrintImageName } from '../print-images/names.ts'

const MAX_ID = 2 ** 31 - 1
/** As in the parameters of other routes. JavaScript accepts further notations of numbers. */
const DECIMAL = /^[1-9]\d{0,9}$/
/** Longer than folders and the database take on a busy machine. */
const CONFIRM_WITHIN_MS = 3_000

const querystring = Type.Object({
  download: Type.Optional(Type.String({ description: 'Present with any value: returned as a download' })),
})
const file = {
  summary: 'Sends a picture',
  description:
    'An original or a rendition, under its public name or its stored name; or a print image under its signed name, for anybody until it expires',
  params: Type.Object({ filename: Type.String() }),
  querystring,
  response: errorResponses,
}
const image = {
  summary: 'Sends the large preview of a photo',
  description: 'Others than the owner need a link of the folder: its cookie, or its share code',
  params: Type.Object({ id: Type.String() }),
  querystring,
  headers: Type.Object({ 'x-share-code': Type.Optional(Type.String()) }),
  response: errorResponses,
}

/** The bytes of photos. */
export function fileRoutes(app: App, deps: MediaDeps): void {
  const config = { access: 'public' } as const
  app.get('/api/uploads/:filename', { config, schema: file, onRequest: uncachedErrors }, async (request, reply) => {
    const { filename } = request.params
    if (isPrintImageName(filename)) {
      const name = deps.printImageNames.verify(filename)
      if (!name) throw notFound('Photo not found')
      return sendPrintImage(request, reply, deps.store, name)
    }
    const caller = callerOf(request)
    const confirm = () => inTime(() => deps.pictures.byName(filename, caller))
    return sendPicture(request, reply, deps, { confirm, isDownload: caller.isDownload })
  })

  app.get('/api/photos/:id/image', { config, schema: image, onRequest: uncachedErrors }, async (request, reply) => {
    const id = parseId(request.params.id)
    const caller = { ...callerOf(request), shareCode: request.headers['x-share-code'] }
    reply.header('vary', 'cookie, x-share-code')
    const confirm = () => inTime(() => deps.pictures.largestOf(id, caller))
    return sendPicture(request, reply, deps, { confirm, isDownload: caller.isDownload })
  })
}

function inTime(confirm: () => Promise<Picture>): Promise<Picture> {
  return within(CONFIRM_WITHIN_MS, confirmNow(confirm))
}

/** Responses with bytes replace the header. */
function uncachedErrors(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.header('cache-control', 'no-store')
  done()
}

/** @throws AppError 404 for what is no id */
function parseId(text: string): number {
  const id = DECIMAL.test(text) ? Number(text) : 0
  if (id === 0 || id > MAX_ID) throw notFound('Photo not found')
  return id
}

function callerOf(request: FastifyRequest): PictureCaller {
  const { identity, headers } = request
  const { download } = request.query as Static<typeof querystring>
  return { identity, cookies: headers.cookie, isDownload: download !== undefined }
}

/** A later response would make the others of its batch useless too. The gateway requests it again. */
const STATE_WITHIN_MS = 700

const PictureState = Type.Object({
  object: Nullable(
    Type.String({ description: 'The stored name of a rendition or a card; null: an original, which is streamed' }),
  ),
  size: Nullable(Type.Integer({ description: 'Bytes, where known' })),
  headers: Type.Object({
    etag: Type.String(),
    'cache-control': Type.String(),
    'content-type': Type.String(),
    'content-disposition': Type.String(),
  }),
  ageMs: Type.Integer({ description: 'How long ago the older of the requests was sent that confirm the permission' }),
  tookMs: Type.Integer({ description: 'How long this request took' }),
})

const STATE_SCHEMA = {
  hide: true,
  summary: 'What the caller gets under a public or stored name at this moment',
  params: Type.Object({ filename: Type.String() }),
  response: { 200: PictureState, ...errorResponses },
}
const BYTES_SCHEMA = { hide: true, params: Type.Object({ name: Type.String() }) }

/** For the gateway, which sends renditions from its memory. It routes no public request here. */
export function pictureRoutes(app: App, deps: MediaDeps): void {
  const config = { access: 'gateway', quiet: true } as const
  batchRoute(app, deps.identityKeys, {
    method: 'GET',
    url: '/picture-states/:filename',
    config,
    schema: STATE_SCHEMA,
    async handler({ params, identity }) {
      const begun = performance.now()
      // Without cookies a link with a password is locked: the gateway lets media decide on its pictures.
      const caller = { identity, cookies: undefined, isDownload: false }
      const picture = await within(STATE_WITHIN_MS, deps.pictures.byName(params.filename, caller))
      return { body: stateOf(picture, begun) }
    },
  })

  // Whether somebody may have the bytes is what the gateway has confirmed by the state.
  app.get('/picture-bytes/:name', { config, exposeHeadRoute: false, schema: BYTES_SCHEMA }, async (request, reply) => {
    const { name } = request.params
    if (CARD_NAME_PATTERN.test(name)) {
      const card = await deps.cards.read(name)
      if (!card) throw photoNotFound()
      return reply.headers({ 'content-type': mediaTypeOf(name) }).send(card)
    }
    const object = RENDITION_NAME_PATTERN.test(name) ? await openRendition(deps.store, name) : null
    if (!object) throw photoNotFound()
    return reply.headers({ 'content-type': mediaTypeOf(name), 'content-length': object.size }).send(object.body)
  })
}

function stateOf(picture: Picture, begun: number): Static<typeof PictureState> {
  const now = performance.now()
  return {
    object: picture.isOriginal ? null : picture.storedName,
    size: null,
    headers: pictureHeaders(picture, false) as Static<typeof PictureState>['headers'],
    // Rounded so that the gateway never takes the confirmation for newer than it is.
    ageMs: Math.ceil(now - picture.confirmedAt),
    tookMs: Math.floor(now - begun),
  }
}

const CACHE_SECONDS = 3600

/**
 * Sends a print image to anybody who has its signed name, which the caller has verified. The object is all that is needed,
 * so it works while database and folders are unavailable. Without the object, the image was removed: 404.
 */
async function sendPrintImage(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ObjectStore,
  { id, expiresAt }: PrintImageName,
): Promise<FastifyReply> {
  const remaining = Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1000))
  const headers = {
    etag: `"${id}"`,
    'cache-control': `private, max-age=${Math.min(remaining, CACHE_SECONDS)}`,
    'content-type': PRINT_IMAGE_MEDIA_TYPE,
    'content-disposition': contentDisposition('inline', 'print.jpg'),
  }
  if (sendUnchanged(request, reply, headers)) return reply
  const object = await openObject(request, reply, store, printImageKey(id), headers.etag)
  if (!object) throw notFound('Photo not found')
  return sendOpened(reply, object, headers)
}
