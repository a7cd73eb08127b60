import { type App, errorResponses, notFound, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { MediaDeps } from '../app.ts'
import { toJson } from '../gallery/listing.ts'
import { CorrectionBody, readCorrection } from '../photos/correction-form.ts'
import { correctPhoto } from '../photos/corrections.ts'
import { createLocationFixer } from '../photos/fix-locations.ts'
import { Id, PhotoBody } from '../photos/photo.ts'

const access = { config: { access: 'user' } } as const

export function correctionRoutes(app: App, deps: MediaDeps): void {
  const { db, places, relay } = deps
  const fixer = createLocationFixer(db, places, () => relay.wake())

  app.patch(
    '/api/photos/:id',
    {
      ...access,
      schema: {
        description: 'Corrects an own photo: what is absent stays, null empties. Processing keeps what was corrected',
        params: Type.Object({ id: Id }),
        body: CorrectionBody,
        response: { 200: PhotoBody, ...errorResponses },
      },
    },
    async (request) => {
      const { userId } = requireUser(request)
      const { id } = request.params
      const [photo] = await toJson(db, await correctPhoto(db, places, { id, userId }, readCorrection(request.body)))
      if (!photo) throw notFound('Photo not found')
      relay.wake()
      return photo
    },
  )

  app.post(
    '/api/photos/geocode-update',
    {
      ...access,
      schema: {
        description: 'Names the places of own photos that have a position and no place',
        response: { 200: Type.Object({ updatedCount: Type.Integer() }), ...errorResponses },
      },
    },
    async (request) => ({ updatedCount: await fixer.fix(requireUser(request).userId) }),
  )
}
