import { type App, errorResponses, Nullable, notFound, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { MediaDeps } from '../deps.ts'
import type { Photo } from '../generated/client.ts'
import { CorrectionSchema, readCorrection } from '../photos/correction-request.ts'
import { correctPhoto } from '../photos/corrections.ts'
import { deletePhotos } from '../photos/delete-photos.ts'
import { createLocationFixer, FixedLocations } from '../photos/fix-locations.ts'
import { type PhotoResponse, PhotoSchema, toPhotoResponses } from '../photos/photo-response.ts'
import { movePhotos, setPrivacy } from '../photos/placement.ts'
import { reprocessPhotos } from '../photos/status.ts'
import { Id, IdParams, signedIn } from './schemas.ts'

const response = { 200: PhotoSchema, ...errorResponses }
const move = {
  summary: 'Moves a photo to another folder, or to none',
  params: IdParams,
  body: Type.Object({ folderId: Nullable(Id) }),
  response,
}
const privacy = {
  summary: 'Shows a photo to those who have the link of its folder, or hides it',
  params: IdParams,
  body: Type.Object({ isPublic: Type.Boolean() }),
  response,
}
const reprocess = { summary: 'Processes a photo again', params: IdParams, response }
const remove = { summary: 'Deletes a photo', params: IdParams, response: { 204: Type.Null(), ...errorResponses } }
const correct = {
  summary: 'Corrects an own photo: absent fields stay unchanged, null clears a field',
  description: 'Processing keeps corrected values.',
  params: IdParams,
  body: CorrectionSchema,
  response,
}
const fixLocations = {
  summary: 'Geocodes own photos that have a position but no place',
  response: { 200: FixedLocations, ...errorResponses },
}

/** Changes of single photos. */
export function photoRoutes(app: App, deps: MediaDeps): void {
  const { db, folders, places, relay } = deps
  const locationFixer = createLocationFixer(db, places, () => relay.wake())

  app.patch('/api/photos/:id/folder', { ...signedIn, schema: move }, async (request) => {
    const { userId } = requireUser(request)
    const { id } = request.params
    return changedPhoto(deps, id, await movePhotos({ db, folders, userId }, [id], request.body.folderId))
  })

  app.patch('/api/photos/:id/privacy', { ...signedIn, schema: privacy }, async (request) => {
    const { userId } = requireUser(request)
    const { id } = request.params
    return changedPhoto(deps, id, await setPrivacy({ db, folders, userId }, [id], request.body.isPublic))
  })

  app.post('/api/photos/:id/reprocess', { ...signedIn, schema: reprocess }, async (request) => {
    const { userId } = requireUser(request)
    await deps.uploadShares.countProcessing(userId)
    const photos = await reprocessPhotos(db, [request.params.id], userId)
    deps.enqueue('photos', photos)
    return changedPhoto(deps, request.params.id, photos)
  })

  app.delete('/api/photos/:id', { ...signedIn, schema: remove }, async (request, reply) => {
    const [deleted] = await deletePhotos(db, [request.params.id], requireUser(request))
    if (!deleted) throw notFound('Photo not found')
    relay.wake()
    return reply.code(204).send(null)
  })

  app.patch('/api/photos/:id', { ...signedIn, schema: correct }, async (request) => {
    const { userId } = requireUser(request)
    const correction = readCorrection(request.body)
    const { id } = request.params
    return changedPhoto(deps, id, await correctPhoto({ db, folders, places, userId }, id, correction))
  })

  app.post('/api/photos/geocode-update', { ...signedIn, schema: fixLocations }, (request) =>
    locationFixer.fix(requireUser(request).userId),
  )
}

/** The response to a change of one photo. @throws AppError 404 when the photo is not the caller's to change */
async function changedPhoto({ db, relay }: MediaDeps, id: number, changed: Photo[]): Promise<PhotoResponse> {
  const [photo] = await toPhotoResponses(
    db,
    changed.filter((one) => one.id === id),
  )
  if (!photo) throw notFound('Photo not found')
  relay.wake()
  return photo
}
