import { type App, type BatchedRequest, batchRoute, type LinkCookie, type PublicNames } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import type { Static } from 'typebox'
import type { SharePage, SharePages } from '../sharing/share-pages.ts'
import { REVALIDATE, sendVersioned, sharePageResponse } from '../sharing/share-response.ts'
import { readSharedPhoto } from '../sharing/shared-photo.ts'
import { NO_RANKED_PHOTOS, type RankedPhotos } from '../voting/ranks.ts'
import type { BallotReader } from '../voting/read-ballots.ts'
import type { VoterIdentity } from '../voting/voter-identity.ts'
import type { RequestOf } from './request.ts'
import { GET_SHARE, GET_SHARE_CARD, GET_SHARED_FOLDER, GET_SHARED_PHOTO, LIST_SHARED_PHOTOS } from './share-schemas.ts'

export interface ShareRouteDeps {
  identityKeys: string[]
  pool: Pool
  publicNames: PublicNames
  linkCookie: LinkCookie
  sharePages: SharePages
  ballots: BallotReader
  voterIdentity: VoterIdentity
}

type ShareRequest = BatchedRequest<Static<typeof GET_SHARE.params>, Static<typeof GET_SHARE.querystring>>

type WithHeaders<Schema> = RequestOf<Schema> & Pick<FastifyRequest, 'headers'>

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
  app.get(
    '/share-cards/:shareCode',
    { config: { access: 'gateway', quiet: true }, schema: GET_SHARE_CARD },
    (request) => getShareCard(deps, request),
  )
}

async function getShare(deps: ShareRouteDeps, { params, query, headers }: ShareRequest) {
  const page = await deps.sharePages.get(params.shareCode)
  const rankings = await readOwnRanks(deps, page.folderId, query.fingerprint)
  const response = await sharePageResponse(page, rankings, headers)
  return { ...response, headers: { ...response.headers, ...visitorHeaders(deps, headers.cookie, page) } }
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
  deps: ShareRouteDeps,
  { params, headers }: WithHeaders<typeof GET_SHARED_PHOTO>,
  reply: FastifyReply,
) {
  reply.header('cache-control', REVALIDATE)
  const { photo, ...link } = await readSharedPhoto(deps, params.shareCode, params.id)
  reply.headers(visitorHeaders(deps, headers.cookie, link))
  return photo
}

async function getSharedFolder(
  deps: ShareRouteDeps,
  { params, headers }: WithHeaders<typeof GET_SHARED_FOLDER>,
  reply: FastifyReply,
) {
  const page = await deps.sharePages.get(params.shareCode)
  reply.headers(visitorHeaders(deps, headers.cookie, page))
  return sendVersioned(headers, reply, { version: page.version, json: page.folder })
}

async function listSharedPhotos(
  deps: ShareRouteDeps,
  { params, headers }: WithHeaders<typeof LIST_SHARED_PHOTOS>,
  reply: FastifyReply,
) {
  const page = await deps.sharePages.get(params.shareCode)
  reply.headers(visitorHeaders(deps, headers.cookie, page))
  return sendVersioned(headers, reply, { version: page.version, json: page.photos })
}

async function getShareCard({ sharePages }: ShareRouteDeps, { params }: RequestOf<typeof GET_SHARE_CARD>) {
  return (await sharePages.get(params.shareCode)).card
}

type OpenedLink = Pick<SharePage, 'folderId' | 'linkRevision'>

/**
 * What the browser does not have yet of the two cookies of visitors. The voter token says in its votes that it loaded a
 * page, and its first votes, which may arrive at the same time, share it. That of links says that it has the folder's link,
 * for the routes that name folder and photo by their ids. A browser that keeps no cookies returns the token of the header
 * with its votes.
 */
function visitorHeaders(
  { voterIdentity, linkCookie }: ShareRouteDeps,
  cookies: string | undefined,
  { folderId, linkRevision }: OpenedLink,
): Record<string, string | string[]> {
  const token = voterIdentity.tokenOf(cookies) ? null : voterIdentity.newToken()
  const added = [token && voterIdentity.cookie(token), linkCookie.add(cookies, folderId, linkRevision)]
  const setCookies = added.filter((cookie) => cookie !== null)
  return {
    ...(setCookies.length > 0 && { 'set-cookie': setCookies }),
    ...(token !== null && { 'voter-token': token }),
  }
}
