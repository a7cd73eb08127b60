import { type App, errorResponses, type Identity, notFound } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { MediaDeps } from '../app.ts'
import { NAME } from '../files/objects.ts'
import { browsersShow, maySee, sendFile } from '../files/serving.ts'
import type { Photo } from '../generated/client.ts'

const MAX_ID = 2 ** 31 - 1
/** As the parameters of other routes: what JavaScript takes for a number beside this is none. */
const DECIMAL = /^[1-9]\d{0,9}$/
const querystring = Type.Object({
  download: Type.Optional(Type.String({ description: 'Present, with any value: the file is to be saved, not shown' })),
})

function asksToSave({ query }: { query: { download?: string } }): boolean {
  return query.download !== undefined
}

export function fileRoutes(app: App, deps: MediaDeps): void {
  /** The photo, if the caller may see it; otherwise it is as if it did not exist. */
  async function visible(photo: Photo | null, identity: Identity): Promise<Photo> {
    if (!photo || !(await maySee(photo, identity, deps.folders))) throw notFound('Photo not found')
    return photo
  }

  app.get(
    '/api/uploads/:filename',
    {
      config: { access: 'public' },
      schema: {
        description: 'An original or a rendition',
        params: Type.Object({ filename: Type.String() }),
        querystring,
        response: errorResponses,
      },
    },
    async (request, reply) => {
      const { filename } = request.params
      if (!NAME.test(filename)) throw notFound('Photo not found')
      const where = { OR: [{ filename }, { thumbnail: filename }, { preview: filename }] }
      const photo = await visible(await deps.db.photo.findFirst({ where }), request.identity)
      return sendFile(request, reply, deps.store, { photo, name: filename, download: asksToSave(request) })
    },
  )

  app.get(
    '/api/photos/:id/image',
    {
      config: { access: 'public' },
      schema: {
        description: 'The large preview',
        params: Type.Object({ id: Type.String() }),
        querystring,
        response: errorResponses,
      },
    },
    async (request, reply) => {
      const id = Number(request.params.id)
      if (!DECIMAL.test(request.params.id) || id > MAX_ID) throw notFound('Photo not found')
      const photo = await visible(await deps.db.photo.findUnique({ where: { id } }), request.identity)
      const name = photo.preview ?? photo.filename
      if (!browsersShow(name)) throw notFound('There is no preview of this photo.')
      return sendFile(request, reply, deps.store, { photo, name, download: asksToSave(request) })
    },
  )
}
