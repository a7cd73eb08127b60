import {
  type App,
  type BatchedRequest,
  batchRoute,
  compressJson,
  errorResponses,
  type Identity,
  isEmbedded,
  Nullable,
  revisionsOf,
} from '@skyfolio/kit'
import { type Static, Type } from 'typebox'
import { PHASES, PHOTO_ORDERS, SHOW_STANDINGS, VOTERS } from '../contests/contest.ts'
import type { FoldersDeps } from '../deps.ts'
import { DOWNLOADS, LINK_KINDS, type OpenedLink } from '../sharing/opened-link.ts'
import { PublicPhoto } from '../sharing/public-photo.ts'
import type { SharePage } from '../sharing/share-pages.ts'
import { type OwnPart, REVALIDATE, sendVersioned, sharePageResponse } from '../sharing/share-response.ts'
import { SharedCamera } from '../sharing/shared-cameras.ts'
import { readSharedPhoto, SharedPhoto } from '../sharing/shared-photo.ts'
import { unlock } from '../sharing/unlock.ts'
import { NO_RANKED_PHOTOS } from '../voting/ballots.ts'
import type { VoterRequest } from '../voting/find-voter.ts'
import { DateTime, FingerprintQuery, IdParams, RankByPhoto, ShareParams } from './schemas.ts'

const SharedFolder = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: Nullable(Type.String()),
  photographer: Nullable(Type.String({ description: 'The display name of its owner, who has chosen to show one' })),
  votingOpen: Type.Boolean({ description: 'Whether visitors with this link can vote at this moment' }),
  main: Type.Boolean({
    description: "The folder's main link has the pages of all kinds, another one that of its kind",
  }),
  kind: Type.Enum([...LINK_KINDS]),
  showPlaces: Type.Boolean({ description: 'Without it no photo has a position or a place' }),
  showCamera: Type.Boolean({ description: 'Without it no photo has camera data' }),
  showMap: Type.Boolean({ description: 'Whether the owner offers a map of the photos' }),
  downloads: Type.Enum([...DOWNLOADS], {
    description:
      'The largest files that visitors may download; originals come without what the link hides, as JPEG and PNG only',
  }),
  votingUntil: Nullable(DateTime),
  phase: Type.Enum([...PHASES], { description: 'Whether the voting of the folder is open, will be, or was' }),
  opensAt: Nullable(DateTime),
  closesAt: Nullable(
    Type.String({ format: 'date-time', description: 'Of the folder or of the link, whichever is earlier' }),
  ),
  show: Type.Enum([...SHOW_STANDINGS], { description: 'Which voters see the standings' }),
  order: Type.Enum([...PHOTO_ORDERS], {
    description: 'Of `photos`, which a shuffled folder has in the order of adding',
  }),
  shuffleKey: Nullable(
    Type.String({
      description: 'Shuffled: a voter sees the photos by the SHA-256 in hex of `shuffleKey:fingerprint:photoId`',
    }),
  ),
  voters: Type.Enum([...VOTERS]),
  openBallot: Type.Boolean({ description: 'The owner reads the names of voters beside their choices' }),
  resultsPublic: Type.Boolean({ description: 'Whether the results can be read at this moment' }),
  coverPhotoId: Nullable(Type.Integer({ description: 'The photo that the owner has chosen as the cover' })),
})
const ShareBody = Type.Object({
  folder: SharedFolder,
  photos: Type.Array(PublicPhoto),
  voteCounts: RankByPhoto,
  invitation: Nullable(
    Type.Object({ name: Type.String() }, { description: 'To vote in this folder, that the browser has opened' }),
  ),
})

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
const UNLOCK = {
  summary: 'Enters the password of a link; sets the cookie that its other routes ask for',
  params: ShareParams,
  body: Type.Object({ password: Type.String({ maxLength: 1000 }) }),
  response: { 204: Type.Null(), ...errorResponses },
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
    const unlocked = deps.linkCookies.unlocked.read(request.headers.cookie)
    const { photo, link } = await readSharedPhoto(deps, { ...request.params, unlocked })
    reply.headers(visitorHeaders(deps, request.headers, link))
    return photo
  })
  app.get(
    '/api/share/:shareCode/cameras',
    { config, schema: LIST_SHARED_CAMERAS, onSend: compressJson },
    async ({ params, headers }, reply) => {
      const page = await getPage(deps, params, headers)
      const cameras = await page.cameras()
      reply.headers(visitorHeaders(deps, headers, page.link))
      return sendVersioned(headers, reply, cameras)
    },
  )
  app.get(
    '/api/folders/share/:shareCode',
    { config, schema: GET_SHARED_FOLDER },
    async ({ params, headers, identity }, reply) => {
      const page = await getPage(deps, params, headers)
      countOpening(deps, page, { headers, identity })
      reply.headers(visitorHeaders(deps, headers, page.link))
      return sendVersioned(headers, reply, { version: page.version, json: page.folder })
    },
  )
  app.get(
    '/api/folders/share/:shareCode/photos',
    { config, schema: LIST_SHARED_PHOTOS },
    async ({ params, headers }, reply) => {
      const page = await getPage(deps, params, headers)
      reply.headers(visitorHeaders(deps, headers, page.link))
      return sendVersioned(headers, reply, { version: page.version, json: page.photos })
    },
  )
  app.post(
    '/api/share/:shareCode/unlock',
    { config: { access: 'public' }, schema: UNLOCK },
    async ({ params, body, headers, identity: { address } }, reply) => {
      const unlocked = await unlock(deps, { ...params, ...body, address })
      const cookie = unlocked && deps.linkCookies.unlocked.add(headers.cookie, unlocked)
      if (cookie) reply.header('set-cookie', cookie)
      return reply.code(204).send(null)
    },
  )
  // For the gateway, which writes the card into the HTML of a share page. It routes no public request here.
  app.get(
    '/share-cards/:shareCode',
    { config: { access: 'gateway', quiet: true }, schema: GET_SHARE_CARD },
    async ({ params, headers }) => (await getPage(deps, params, headers)).card,
  )
}

interface VisitorHeaders {
  cookie?: string | undefined
  'x-embed'?: string | string[] | undefined
}

/** The page of a link whose password was entered, if it has one. */
export function getPage(
  { sharePages, linkCookies }: FoldersDeps,
  { shareCode }: { shareCode: string },
  { cookie }: VisitorHeaders,
): Promise<SharePage> {
  return sharePages.get(shareCode, linkCookies.unlocked.read(cookie))
}

async function getShare(deps: FoldersDeps, { params, query, headers, identity }: ShareRequest) {
  const page = await getPage(deps, params, headers)
  const { folderId } = page
  countOpening(deps, page, { headers, identity })
  const own = await readOwn(deps, folderId, { ...query, headers, userId: identity.userId })
  const response = await sharePageResponse(page, own, headers)
  return { ...response, headers: { ...response.headers, ...visitorHeaders(deps, headers, page.link) } }
}

/** What of a page is the voter's own: the ranks, and the invitation. */
async function readOwn(
  { voterFinder, ballots }: FoldersDeps,
  folderId: number,
  request: Omit<VoterRequest, 'folderId'>,
): Promise<OwnPart> {
  const { voter, invitation } = await voterFinder.find({ folderId, ...request })
  const name = invitation === null ? null : await voterFinder.nameOf(folderId, invitation)
  const rankings = voter ? await ballots.read({ folderId, voter }) : NO_RANKED_PHOTOS
  return { rankings, invitation: name === null ? null : { name } }
}

/**
 * Counts a link as opened by a browser that has not opened it in this session, other than its owner's. One that has opened
 * the folder revalidates its page, also when the link has another revision. In a frame that is all there is to know it by.
 */
function countOpening(
  { linkCookies, linkOpenings }: FoldersDeps,
  { ownerId, link }: SharePage,
  { headers, identity }: { headers: VisitorHeaders & { 'if-none-match'?: string | undefined }; identity: Identity },
): void {
  if (identity.userId === ownerId) return
  const known = revisionsOf(linkCookies.opened.read(headers.cookie), link.folderId)
  const isKnown =
    known.includes(link.revision) ||
    ((known.length > 0 || isEmbedded(headers)) && headers['if-none-match'] !== undefined)
  if (!isKnown) linkOpenings.count(link.id)
}

/**
 * What the browser does not have yet of the two cookies of visitors. The voter token says in its votes that it loaded a
 * page, and its first votes, which may arrive at the same time, share it. That of links says that it has the folder's link,
 * for the routes that name folder and photo by their ids. A browser that keeps no cookies returns the token of the header
 * with its votes. In a frame it is the voter token alone.
 */
function visitorHeaders(
  { voterIdentity, linkCookies }: FoldersDeps,
  headers: VisitorHeaders,
  { folderId, revision }: OpenedLink,
): Record<string, string | string[]> {
  const { cookie: cookies } = headers
  const embedded = isEmbedded(headers)
  const token = voterIdentity.tokenOf(cookies) ? null : voterIdentity.newToken()
  const added = [
    token && voterIdentity.cookie(token, embedded),
    embedded ? null : linkCookies.opened.add(cookies, [folderId, revision]),
  ]
  const setCookies = added.filter((cookie) => cookie !== null)
  return {
    ...(setCookies.length > 0 && { 'set-cookie': setCookies }),
    ...(token !== null && { 'voter-token': token }),
  }
}
