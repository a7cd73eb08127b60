import { finished } from 'node:stream'
import { type App, AppError, createFairQueue, errorResponses, LARGEST_SHARE, notFound, siteOf } from '@skyfolio/kit'
import { Type } from 'typebox'
import { safeFolderName } from '../archives/safe-names.ts'
import { sendArchive } from '../archives/send-archive.ts'
import type { MediaDeps } from '../deps.ts'
import {
  findOffered,
  givenSize,
  openLink,
  openSharedArchive,
  prepareShared,
  type SharedDownload,
} from '../downloads/shared-download.ts'
import { MAX_PHOTOS, photosGone, tooManyPhotos } from './downloads.ts'
import { Id } from './schemas.ts'
import { MAX_EXCEPT, strict } from './selection.ts'

const ARCHIVES = 16
const PREPARATIONS = 8
/** Who takes an archive slowly gives way to a network that has none: who was cut off resumes. */
const WAITING = { maxWaiting: 64, maxWaitingPerKey: 4, waitMs: 10_000, displaceAfterMs: 1_000 }
const TOO_MANY = 'Several downloads are running in your network already. Please wait for one of them.'

const ShareParams = Type.Object({ shareCode: Type.String({ pattern: '^[\\w-]{1,64}$' }) })
const create = {
  summary: 'Makes a ticket for the download of photos of a shared folder as a ZIP archive',
  description: `At most ${MAX_PHOTOS} photos. Photos that visitors do not see are left out, as are those without a file of the size, and
originals that cannot be cleaned of what the link hides. 503 \`preparing\`: to be repeated.`,
  params: ShareParams,
  body: Type.Object(
    {
      ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: MAX_EXCEPT, description: 'Without it: all photos' })),
      size: Type.Optional(
        Type.Union([Type.Literal('original'), Type.Literal('web')], {
          description: 'By default the largest that the link gives',
        }),
      ),
    },
    strict,
  ),
  response: { 201: Type.Object({ url: Type.String() }), ...errorResponses },
}
const download = {
  summary: 'Sends the archive of a ticket, made while it is sent; with ranges',
  params: Type.Object({ ...ShareParams.properties, id: Type.String({ pattern: '^[0-9a-f]{32}$' }) }),
  response: errorResponses,
}

/** Downloads of the photos that a link shows. */
export function sharedDownloadRoutes(app: App, deps: MediaDeps): void {
  const { db, store, folders, linkCookies, sharedDownloadTickets: tickets } = deps
  const config = { access: 'public' } as const
  const limits = {
    limit: 'downloads-by-link-of-site',
    limitOfAll: 'downloads-by-link',
    messages: { tooManyOfKey: TOO_MANY },
    retryAfter: 30,
    ...WAITING,
  }
  const archives = createFairQueue({ total: ARCHIVES, perKey: ARCHIVES * LARGEST_SHARE, ...limits })
  const preparations = createFairQueue({ total: PREPARATIONS, perKey: PREPARATIONS * LARGEST_SHARE, ...limits })

  app.post('/api/share/:shareCode/download', { config, schema: create }, async (request, reply) => {
    const { params, body, headers, identity } = request
    const site = siteOf(identity.address)
    const opened = await openLink(folders, params.shareCode, linkCookies.unlocked.read(headers.cookie))
    const wanted: SharedDownload = { ...opened, size: givenSize(opened.link, body.size), photoIds: body.ids ?? null }
    const offered = await findOffered(db, wanted)
    if (offered.length === 0) throw notFound('There is nothing to download.')
    if (offered.length > MAX_PHOTOS) throw tooManyPhotos('')
    const left = await preparations.run({ key: site }, () => prepareShared(deps, wanted))
    if (left > 0) throw preparing(left)
    const photoIds = wanted.photoIds && offered
    const id = await tickets.create(site, { linkId: opened.link.id, size: wanted.size, photoIds })
    return reply.code(201).send({ url: `/api/share/${params.shareCode}/downloads/${id}` })
  })

  app.get('/api/share/:shareCode/downloads/:id', { config, schema: download }, async (request, reply) => {
    const { params, headers, identity } = request
    const { folder, link } = await openLink(folders, params.shareCode, linkCookies.unlocked.read(headers.cookie))
    const { size, photoIds } = await tickets.find(params.id, link.id)
    const wanted: SharedDownload = { folder, link, size: givenSize(link, size), photoIds }
    const displaceable = { rank: () => 0, cutOff: () => void reply.raw.destroy() }
    // At once when the client has gone meanwhile.
    finished(reply.raw, await archives.acquire({ key: siteOf(identity.address), displaceable }))
    const { archive, etag, photoIds: offered } = await openSharedArchive(db, wanted)
    if (archive.directory.entryCount === 0) throw photosGone()
    return sendArchive(request, reply, store, {
      archive,
      etag,
      filename: `${safeFolderName(folder.name, `photos-${folder.id}`)}${size === 'web' ? ' (web size)' : ''}.zip`,
      missing: photosGone,
      confirm: () => requireUnchanged(deps, { ...wanted, photoIds: offered }),
    })
  })
}

/** While an archive is sent: the link shows what it did, and visitors see all its photos. @throws otherwise */
async function requireUnchanged({ db, folders }: MediaDeps, sent: SharedDownload): Promise<void> {
  const folder = await folders.fetchCurrent(sent.folder.id)
  const isOpen = folder?.isPublic && !folder.ownerSuspended
  const isSame = folder?.links.some(({ id, revision }) => id === sent.link.id && revision === sent.link.revision)
  if (!isOpen || !isSame) throw new Error('the link was withdrawn or changed')
  const offered = await findOffered(db, { ...sent, folder })
  if (offered.length < (sent.photoIds?.length ?? 0)) throw new Error('a photo was withdrawn')
}

function preparing(left: number): AppError {
  const photos = `${left.toLocaleString('en-US')} ${left === 1 ? 'photo' : 'photos'}`
  return new AppError(503, 'preparing', `The download is being prepared: ${photos} left.`, { retryAfter: 1 })
}
