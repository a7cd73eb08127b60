import { type App, errorResponses, type Identity, notFound } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { MediaDeps } from '../deps.ts'
import { FILE_NAME_PATTERN } from '../files/object-keys.ts'
import { isShownByBrowsers, sendFile, sendPrintImage } from '../files/send-file.ts'
import type { Photo } from '../generated/client.ts'
import { maySee } from '../photos/may-see.ts'
import { isPrintImageName } from '../print-images/names.ts'

const MAX_ID = 2 ** 31 - 1
/** As in the parameters of other routes. JavaScript accepts further notations of numbers. */
const DECIMAL = /^[1-9]\d{0,9}$/

const publicAccess = { config: { access: 'public' } } as const
const querystring = Type.Object({
  download: Type.Optional(Type.String({ description: 'Present with any value: returned as a download' })),
})
const file = {
  description: 'An original or a rendition; or a print image under its signed name, for anybody until it expires',
  params: Type.Object({ filename: Type.String() }),
  querystring,
  response: errorResponses,
}
const image = {
  description: 'The large preview',
  params: Type.Object({ id: Type.String() }),
  querystring,
  response: errorResponses,
}

/** The bytes of photos. */
export function fileRoutes(app: App, deps: MediaDeps): void {
  app.get('/api/uploads/:filename', { ...publicAccess, schema: file }, async (request, reply) => {
    const { filename } = request.params
    if (isPrintImageName(filename)) {
      const name = deps.printImageNames.verify(filename)
      if (!name) throw notFound('Photo not found')
      return sendPrintImage(request, reply, deps.store, name)
    }
    const photo = await requireVisible(deps, await findByFilename(deps, filename), request.identity)
    return sendFile(request, reply, deps.store, { photo, name: filename, download: isDownload(request.query) })
  })

  app.get('/api/photos/:id/image', { ...publicAccess, schema: image }, async (request, reply) => {
    const photo = await requireVisible(deps, await findById(deps, request.params.id), request.identity)
    const name = photo.preview ?? photo.filename
    if (!isShownByBrowsers(name)) throw notFound('There is no preview of this photo.')
    return sendFile(request, reply, deps.store, { photo, name, download: isDownload(request.query) })
  })
}

async function findByFilename({ db }: MediaDeps, filename: string): Promise<Photo | null> {
  if (!FILE_NAME_PATTERN.test(filename)) return null
  return db.photo.findFirst({ where: { OR: [{ filename }, { thumbnail: filename }, { preview: filename }] } })
}

async function findById({ db }: MediaDeps, text: string): Promise<Photo | null> {
  const id = Number(text)
  if (!DECIMAL.test(text) || id > MAX_ID) return null
  return db.photo.findUnique({ where: { id } })
}

/** A photo that the caller may not see is reported as missing. @throws AppError 404 */
async function requireVisible({ folders }: MediaDeps, photo: Photo | null, identity: Identity): Promise<Photo> {
  if (!photo || !(await maySee(photo, identity, folders))) throw notFound('Photo not found')
  return photo
}

function isDownload({ download }: Type.Static<typeof querystring>): boolean {
  return download !== undefined
}
