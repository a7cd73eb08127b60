import { finished } from 'node:stream'
import { type App, AppError, errorResponses, type FairQueue, notFound, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import { safeFolderName } from '../archives/safe-names.ts'
import { sendArchive } from '../archives/send-archive.ts'
import type { MediaDeps } from '../deps.ts'
import { measureDownload, openDownloadArchive, prepareDownload } from '../downloads/download-files.ts'
import { DOWNLOAD_FILES } from '../downloads/tickets.ts'
import { limitPerUser } from '../limits.ts'
import { Id, signedIn } from './schemas.ts'
import { Except, ListFilter, MAX_EXCEPT, selectIds, strict } from './selection.ts'

/** The entries of an archive are in memory while it is sent. The export has any number. */
export const MAX_PHOTOS = 10_000
const TOO_MANY_IDS = `Up to ${MAX_EXCEPT.toLocaleString('en-US')} photos can be chosen one by one. Choose fewer, or Select All.`
const PREPARATIONS_PER_USER = 2
const PREPARATIONS = 8
const TOO_MANY_PREPARATIONS = 'You are preparing several downloads already. Please wait for one of them.'

const Amount = Type.Object({
  photos: Type.Integer({ description: 'A pair is one' }),
  files: Type.Integer(),
  bytes: Type.Integer({ description: 'Of the files' }),
})
const DownloadParams = Type.Object({
  id: Type.String({ pattern: '^[0-9a-f]{32}$' }),
  size: Type.Union([Type.Literal('original'), Type.Literal('web')]),
})
const create = {
  summary: 'Makes a ticket for the download of own photos as a ZIP archive, by ids or by a filter',
  description: `At most ${MAX_PHOTOS} photos. Photos of others and deleted ones are left out, as are those without a file of the
size: while they are processed, or when they have no preview. The ticket is valid for six hours from its last use.`,
  body: Type.Object(
    {
      ids: Type.Optional(
        Type.Array(Id, { minItems: 1, maxItems: MAX_EXCEPT, 'x-message': { maxItems: TOO_MANY_IDS } }),
      ),
      filter: Type.Optional(ListFilter),
      except: Except,
      files: Type.Optional(
        Type.Enum([...DOWNLOAD_FILES], {
          default: 'both',
          description: 'Which originals: all but raw files, raw files alone (DNG, and TIFF of a pair), or both',
        }),
      ),
      name: Type.Optional(Type.String({ maxLength: 500, description: 'Of the archive, without its extension' })),
    },
    strict,
  ),
  response: {
    201: Type.Object({
      id: Type.String(),
      photos: Type.Integer(),
      original: Amount,
      web: Amount,
      jpeg: Type.Object(Amount.properties, { description: 'What `original` would have with `files: jpeg`' }),
      raw: Type.Object(Amount.properties, { description: 'What `original` would have with `files: raw`' }),
    }),
    ...errorResponses,
  },
}
const prepare = {
  summary: 'Prepares a download in one size, for some seconds; to be repeated until nothing is left',
  params: DownloadParams,
  response: {
    200: Type.Object({
      left: Type.Integer({ description: 'Photos whose checksum is still to be read' }),
      url: Type.String({ description: 'Of the archive, once nothing is left' }),
    }),
    ...errorResponses,
  },
}
const download = {
  summary: 'Sends the archive of a prepared download, made while it is sent; with ranges',
  params: DownloadParams,
  response: errorResponses,
}

/** Downloads of chosen photos, or of a folder, as one archive. */
export function downloadRoutes(app: App, deps: MediaDeps, archives: FairQueue): void {
  const { db, store, downloadTickets } = deps
  const preparations = limitPerUser({
    total: PREPARATIONS,
    perKey: PREPARATIONS_PER_USER,
    maxWaitingPerKey: 2,
    maxWaiting: 100,
    limit: 'download-preparations-of-user',
    messages: { tooManyOfKey: TOO_MANY_PREPARATIONS },
  })

  app.post('/api/photos/downloads', { ...signedIn, ...preparations, schema: create }, async (request, reply) => {
    const { userId } = requireUser(request)
    const { files = 'both', name } = request.body
    const photoIds = [...new Set(await selectIds(deps, userId, request.body))]
    if (photoIds.length > MAX_PHOTOS) throw tooManyPhotos()
    const amounts = await measureDownload(db, { userId, photoIds, files })
    if (amounts.photos === 0) throw notFound('Photo not found')
    if (files !== 'both' && amounts.original.files === 0) throw notFound('None of these photos has such a file.')
    const { id } = await downloadTickets.create(userId, { name: archiveName(name), photoIds, files })
    return reply.code(201).send({ id, ...amounts })
  })

  app.post('/api/photos/downloads/:id/:size', { ...signedIn, ...preparations, schema: prepare }, async (request) => {
    const { userId } = requireUser(request)
    const { id, size } = request.params
    const ticket = await downloadTickets.find(id, userId)
    const left = await prepareDownload(deps, ticket, size)
    if (left === 0) await downloadTickets.markPrepared(id, size)
    return { left, url: `/api/photos/downloads/${id}/${size}` }
  })

  app.get('/api/photos/downloads/:id/:size', { ...signedIn, schema: download }, async (request, reply) => {
    const { userId } = requireUser(request)
    const { id, size } = request.params
    const ticket = await downloadTickets.find(id, userId)
    if (!ticket.prepared.includes(size)) throw new AppError(409, 'not_prepared', 'This download is not prepared yet.')
    // At once when the client has gone meanwhile.
    finished(reply.raw, await archives.acquire({ key: userId }))
    const { archive, etag } = await openDownloadArchive(db, ticket, size)
    if (archive.directory.entryCount === 0) throw photosGone()
    return sendArchive(request, reply, store, {
      archive,
      etag,
      filename: `${ticket.name}${size === 'web' ? ' (web size)' : ''}.zip`,
      missing: photosGone,
    })
  })
}

function archiveName(name = ''): string {
  return safeFolderName(name, `skyfolio-photos-${new Date().toISOString().slice(0, 10)}`)
}

export function tooManyPhotos(ending = ', or prepare an export of everything in your profile'): AppError {
  const most = MAX_PHOTOS.toLocaleString('en-US')
  return new AppError(413, 'too_many_photos', `One download has up to ${most} photos. Choose fewer${ending}.`)
}

export function photosGone(): AppError {
  return new AppError(410, 'photos_gone', 'These photos were deleted, or their files cannot be found.')
}
