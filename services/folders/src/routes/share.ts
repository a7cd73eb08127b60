import { type App, type BatchedRequest, batchRoute } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import type { Static } from 'typebox'
import type { SharePages } from '../sharing/share-pages.ts'
import { REVALIDATE, sendVersioned, sharePageResponse } from '../sharing/share-response.ts'
import { readSharedPhoto } from '../sharing/shared-photo.ts'
import { NO_RANKED_PHOTOS, type RankedPhotos } from '../voting/ranks.ts'
import type { BallotReader } from '../voting/read-ballots.ts'
import type { VoterIdentity } from '../voting/voter-identity.ts'
import type { RequestOf } from './request.ts'
import {
  GET_SHARE,
  GET_SHARE_CARD,
  GET_SHARED_FOLDER,
  GET_SHARED_PHOTO,
  LIST_SHARED_PHOTOS,
  type SharedFolder,
} from './share-schemas.ts'

export interface ShareRouteDeps {
  identityKeys: string[]
  pool: Pool
  sharePages: SharePages
  ballots: BallotReader
  voterIdentity: VoterIdentity
}

type ShareRequest = BatchedRequest<Static<typeof GET_SHARE.params>, Static<typeof GET_SHARE.querystring>>

const config = { access: 'public', quiet: true } as const

/** What visitors with a link see. */
export function shareRoutes(app: App, deps: ShareRouteDeps): void {
  batchRoute(app, deps.identityKeys, {
    method: 'GET',
    url: '/api/share/:shareCode',
    config,
    schema: GET_SHARE,
    handler: (request) => getShare(deps, request),
  })
  app.get('/api/share/:shareCode/photos/:id', { config, schema: GET_SHARED_PHOTO }, (request, reply) =>
    getSharedPhoto(deps, request, reply),
  )
  app.get('/api/folders/share/:shareCode', { config, schema: GET_SHARED_FOLDER }, (request, reply) =>
    getSharedFolder(deps, request, reply),
  )
  app.get('/api/folders/share/:shareCode/photos', { config, schema: LIST_SHARED_PHOTOS }, (request, reply) =>
    listSharedPhotos(deps, request, reply),
  )
  // For the gateway, which writes the card into the HTML of a share page. It routes no public request here.
  app.get('/share-cards/:shareCode', { config, schema: GET_SHARE_CARD }, (request) => getShareCard(deps, request))
}

async function getShare(deps: ShareRouteDeps, { params, query, headers }: ShareRequest) {
  const { voterIdentity } = deps
  const page = await deps.sharePages.get(params.shareCode)
  const rankings = await readOwnRanks(deps, page.folderId, query.fingerprint)
  const response = await sharePageResponse(page, rankings, headers)
  // The first page already sets the token: a voter's first votes, which may arrive at the same time, then share it.
  if (voterIdentity.tokenOf(headers.cookie)) return response
  const cookie = voterIdentity.cookie(voterIdentity.newToken())
  return { ...response, headers: { ...response.headers, 'set-cookie': cookie } }
}

async function readOwnRanks(
  { ballots, voterIdentity }: ShareRouteDeps,
  folderId: number,
  fingerprint: string | undefined,
): Promise<RankedPhotos> {
  if (!fingerprint) return NO_RANKED_PHOTOS
  return ballots.read({ folderId, voter: voterIdentity.hash('fingerprint', folderId, fingerprint) })
}

async function getSharedPhoto(
  { pool }: ShareRouteDeps,
  { params }: RequestOf<typeof GET_SHARED_PHOTO>,
  reply: FastifyReply,
) {
  reply.header('cache-control', REVALIDATE)
  return readSharedPhoto(pool, params.shareCode, params.id)
}

async function getSharedFolder(
  { sharePages }: ShareRouteDeps,
  { params, headers }: RequestOf<typeof GET_SHARED_FOLDER> & Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
) {
  const { version, folder } = await sharePages.get(params.shareCode)
  return sendVersioned(headers, reply, { version, json: folder })
}

async function listSharedPhotos(
  { sharePages }: ShareRouteDeps,
  { params, headers }: RequestOf<typeof LIST_SHARED_PHOTOS> & Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
) {
  const { version, photos } = await sharePages.get(params.shareCode)
  return sendVersioned(headers, reply, { version, json: photos })
}

async function getShareCard({ sharePages }: ShareRouteDeps, { params }: RequestOf<typeof GET_SHARE_CARD>) {
  const { folder, photoIds, newestPreviewUrl } = await sharePages.get(params.shareCode)
  const { name, description }: Static<typeof SharedFolder> = JSON.parse(folder)
  return { name, description, photos: photoIds.size, picture: newestPreviewUrl }
}
