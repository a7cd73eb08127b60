import { type App, type BatchedRequest, batchRoute, compressJson, errorResponses, Nullable } from '@skyfolio/kit'
import { type Static, Type } from 'typebox'
import type { FoldersDeps } from '../deps.ts'
import { PublicPhoto } from '../sharing/public-photo.ts'
import type { SharePage } from '../sharing/share-pages.ts'
import { REVALIDATE, sendVersioned, sharePageResponse } from '../sharing/share-response.ts'
import { SharedCamera } from '../sharing/shared-cameras.ts'
import { readSharedPhoto, SharedPhoto } from '../sharing/shared-photo.ts'
import { NO_RANKED_PHOTOS } from '../voting/ballots.ts'
import { FingerprintQuery, IdParams, RankByPhoto, ShareParams } from './schemas.ts'

const SharedFolder = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: Nullable(Type.String()),
  photographer: Nullable(Type.String({ description: 'The display name of its owner, who has chosen to show one' })),
  votingOpen: Type.Boolean(),
  showMap: Type.Boolean({ description: 'Whether the owner offers a map of the photos' }),
  coverPhotoId: Nullable(Type.Integer({ description: 'The photo that the owner has chosen as the cover' })),
})
const ShareBody = Type.Object({ folder: SharedFolder, photos: Type.Array(PublicPhoto), voteCounts: RankByPhoto })

const GET_SHARE = {
  summary: "Returns a shared folder, its visible photos, and with a fingerprint the voter's own ranks",
  params: ShareParams,
  querystring: FingerprintQuery,
  response: { 200: ShareBody, 304: Type.Null(), ...errorResponses },
}
const GET_SHARED_PHOTO = {
  summary: 'Returns a visible photo of a shared folder, with its metadata',
  params: Type.Object({ ...ShareParams.properties, ...IdParams.properties }),
  response: { 200: SharedPhoto, ...errorResponses },
}
const LIST_SHARED_CAMERAS = {
  summary:
    'Lists, for the visible photos of a shared folder that have a position, what the ground in them is computed from',
  params: ShareParams,
  response: { 200: Type.Array(SharedCamera), 304: Type.Null(), ...errorResponses },
}
const GET_SHARED_FOLDER = {
  summary: 'Returns a shared folder',
  params: ShareParams,
  response: { 200: SharedFolder, 304: Type.Null(), ...errorResponses },
}
const LIST_SHARED_PHOTOS = {
  summary: 'Lists the visible photos of a shared folder',
  params: ShareParams,
  response: { 200: Type.Array(PublicPhoto), 304: Type.Null(), ...errorResponses },
}
const GET_SHARE_CARD = { hide: true, params: ShareParams }

type ShareRequest = BatchedRequest<Static<typeof GET_SHARE.params>, Static<typeof GET_SHARE.querystring>>

const config = { access: 'public', quiet: true } as const

/** What visitors with a link see. */
export function shareRoutes(app: App, deps: FoldersDeps): void {
  batchRoute(app, deps.identityKeys, {
    method: 'GET',
    url: '/api/share/:shareCode',
    config,
    schema: GET_SHARE,
    handler: (request) => getShare(deps, request),
  })
  app.get('/api/share/:shareCode/photos/:id', { config, schema: GET_SHARED_PHOTO }, async (request, reply) => {
    reply.header('cache-control', REVALIDATE)
    const { photo, ...link } = await readSharedPhoto(deps, request.params.shareCode, request.params.id)
    reply.headers(visitorHeaders(deps, request.headers.cookie, link))
    return photo
  })
  app.get(
    '/api/share/:shareCode/cameras',
    { config, schema: LIST_SHARED_CAMERAS, onSend: compressJson },
    async ({ params, headers }, reply) => {
      const page = await deps.sharePages.get(params.shareCode)
      const cameras = await page.cameras()
      reply.headers(visitorHeaders(deps, headers.cookie, page))
      return sendVersioned(headers, reply, cameras)
    },
  )
  app.get(
    '/api/folders/share/:shareCode',
    { config, schema: GET_SHARED_FOLDER },
    async ({ params, headers }, reply) => {
      const page = await deps.sharePages.get(params.shareCode)
      reply.headers(visitorHeaders(deps, headers.cookie, page))
      return sendVersioned(headers, reply, { version: page.version, json: page.folder })
    },
  )
  app.get(
    '/api/folders/share/:shareCode/photos',
    { config, schema: LIST_SHARED_PHOTOS },
    async ({ params, headers }, reply) => {
      const page = await deps.sharePages.get(params.shareCode)
      reply.headers(visitorHeaders(deps, headers.cookie, page))
      return sendVersioned(headers, reply, { version: page.version, json: page.photos })
    },
  )
  // For the gateway, which writes the card into the HTML of a share page. It routes no public request here.
  app.get(
    '/share-cards/:shareCode',
    { config: { access: 'gateway', quiet: true }, schema: GET_SHARE_CARD },
    async ({ params }) => (await deps.sharePages.get(params.shareCode)).card,
  )
}

async function getShare(deps: FoldersDeps, { params, query, headers }: ShareRequest) {
  const page = await deps.sharePages.get(params.shareCode)
  const { folderId } = page
  const voter = query.fingerprint && deps.voterIdentity.hash('fingerprint', folderId, query.fingerprint)
  const rankings = voter ? await deps.ballots.read({ folderId, voter }) : NO_RANKED_PHOTOS
  const response = await sharePageResponse(page, rankings, headers)
  return { ...response, headers: { ...response.headers, ...visitorHeaders(deps, headers.cookie, page) } }
}

type OpenedLink = Pick<SharePage, 'folderId' | 'linkRevision'>

/**
 * What the browser does not have yet of the two cookies of visitors. The voter token says in its votes that it loaded a
 * page, and its first votes, which may arrive at the same time, share it. That of links says that it has the folder's link,
 * for the routes that name folder and photo by their ids. A browser that keeps no cookies returns the token of the header
 * with its votes.
 */
function visitorHeaders(
  { voterIdentity, linkCookie }: FoldersDeps,
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
