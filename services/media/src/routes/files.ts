import { type App, errorResponses, notFound, within } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { MediaDeps } from '../deps.ts'
import { confirmNow, type Picture } from '../pictures/pictures.ts'
import { sendPicture } from '../pictures/send-picture.ts'
import { isPrintImageName } from '../print-images/names.ts'
import { sendPrintImage } from '../print-images/send-print-image.ts'

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
  description: "Others than the owner need the folder's current link: its cookie, or its share code",
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
    const confirm = () => inTime(() => deps.pictures.byName(filename, request.identity))
    return sendPicture(request, reply, deps.store, { confirm, isDownload: isDownload(request.query) })
  })

  app.get('/api/photos/:id/image', { config, schema: image, onRequest: uncachedErrors }, async (request, reply) => {
    const id = parseId(request.params.id)
    const { cookie: cookies, 'x-share-code': shareCode } = request.headers
    const caller = { identity: request.identity, cookies, shareCode }
    reply.header('vary', 'cookie, x-share-code')
    const confirm = () => inTime(() => deps.pictures.largestOf(id, caller))
    return sendPicture(request, reply, deps.store, { confirm, isDownload: isDownload(request.query) })
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

function isDownload({ download }: Type.Static<typeof querystring>): boolean {
  return download !== undefined
}
