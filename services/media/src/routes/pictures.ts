import { type App, batchRoute, errorResponses, Nullable, within } from '@skyfolio/kit'
import { type Static, Type } from 'typebox'
import type { MediaDeps } from '../deps.ts'
import { mediaTypeOf, RENDITION_NAME_PATTERN } from '../files/object-keys.ts'
import { photoNotFound } from '../pictures/may-see.ts'
import { openRendition } from '../pictures/picture-bytes.ts'
import { pictureHeaders } from '../pictures/picture-headers.ts'
import type { Picture } from '../pictures/pictures.ts'

/** A later response would make the others of its batch useless too. The gateway requests it again. */
const CONFIRM_WITHIN_MS = 700

const PictureState = Type.Object({
  object: Nullable(
    Type.String({ description: 'The stored name of a rendition; null: an original, which is streamed' }),
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
      const picture = await within(CONFIRM_WITHIN_MS, deps.pictures.byName(params.filename, identity))
      return { body: stateOf(picture, begun) }
    },
  })

  // Whether somebody may have the bytes is what the gateway has confirmed by the state.
  app.get('/picture-bytes/:name', { config, exposeHeadRoute: false, schema: BYTES_SCHEMA }, async (request, reply) => {
    const { name } = request.params
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
