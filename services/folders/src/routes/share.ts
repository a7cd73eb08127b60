import { type App, type BatchedRequest, batchRoute, errorResponses } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { type Static, Type } from 'typebox'
import { acceptsGzip, gzipWithEnd } from '../sharing/gzip.ts'
import { PublicPhoto } from '../sharing/public-photo.ts'
import type { SharePage, SharePages } from '../sharing/share-pages.ts'
import { readSharedPhoto, SharedPhoto } from '../sharing/shared-photo.ts'
import type { Places } from '../voting/cast-vote.ts'
import type { Ballots } from '../voting/read-ballots.ts'
import type { Voters } from '../voting/voters.ts'
import { FingerprintQuery, IdParams, RankByPhoto, SharedFolder, ShareParams } from './schemas.ts'

const ShareBody = Type.Object({
  folder: SharedFolder,
  photos: Type.Array(PublicPhoto),
  voteCounts: RankByPhoto,
})
/** In bytes; below it a compressed answer would hardly be smaller. */
const WORTH_COMPRESSING = 1000
const JSON_TYPE = 'application/json; charset=utf-8'
/** Kept by browsers, but asked for anew each time. */
const FRESH = 'private, no-cache'
const RANKS = ['first', 'second', 'third'] as const

export interface ShareDeps {
  identityKeys: string[]
  pool: Pool
  sharePages: SharePages
  ballots: Ballots
  voters: Voters
}

/** What strangers with a link see. */
export function shareRoutes(app: App, o: ShareDeps): void {
  const { pool, sharePages: pages, ballots, voters } = o
  shareCardRoute(app, o)
  batchRoute(app, o.identityKeys, {
    method: 'GET',
    url: '/api/share/:shareCode',
    config: { access: 'public', quiet: true },
    schema: {
      summary: "A shared folder, its visible photos, and the asking voter's places",
      params: ShareParams,
      querystring: FingerprintQuery,
      response: { 200: ShareBody, 304: Type.Null(), ...errorResponses },
    },
    async handler({ params, query: { fingerprint }, headers }) {
      const page = await pages.get(params.shareCode)
      const places = fingerprint
        ? await ballots.get({
            folderId: page.folderId,
            voter: voters.hash('fingerprint', page.folderId, fingerprint),
          })
        : { first: 0, second: 0, third: 0 }
      const answer = await pageAnswer(page, places, headers)
      // Already here, so that the voter's first votes, which may come all at once, have one token.
      if (voters.tokenOf(headers.cookie)) return answer
      return { ...answer, headers: { ...answer.headers, 'set-cookie': voters.cookie(voters.newToken()) } }
    },
  })

  app.get(
    '/api/share/:shareCode/photos/:id',
    {
      config: { access: 'public', quiet: true },
      schema: {
        summary: 'A visible photo of a shared folder, with its metadata',
        params: Type.Object({ ...ShareParams.properties, ...IdParams.properties }),
        response: { 200: SharedPhoto, ...errorResponses },
      },
    },
    async (request, reply) => {
      const { shareCode, id } = request.params
      reply.header('cache-control', FRESH)
      return readSharedPhoto(pool, shareCode, id)
    },
  )

  app.get(
    '/api/folders/share/:shareCode',
    {
      config: { access: 'public', quiet: true },
      schema: {
        summary: 'A shared folder',
        params: ShareParams,
        response: { 200: SharedFolder, 304: Type.Null(), ...errorResponses },
      },
    },
    async (request, reply) => {
      const page = await pages.get(request.params.shareCode)
      return answer(request, reply, page.version, page.folder)
    },
  )

  app.get(
    '/api/folders/share/:shareCode/photos',
    {
      config: { access: 'public', quiet: true },
      schema: {
        summary: 'The visible photos of a shared folder',
        params: ShareParams,
        response: { 200: Type.Array(PublicPhoto), 304: Type.Null(), ...errorResponses },
      },
    },
    async (request, reply) => {
      const page = await pages.get(request.params.shareCode)
      return answer(request, reply, page.version, page.photos)
    },
  )
}

/** What the gateway writes into the page of a public folder. Its path leads nowhere through the public door. */
function shareCardRoute(app: App, { sharePages: pages }: Pick<ShareDeps, 'sharePages'>): void {
  app.get(
    '/share-cards/:shareCode',
    { config: { access: 'public', quiet: true }, schema: { hide: true, params: ShareParams } },
    async (request) => {
      const { folder, photoIds, picture } = await pages.get(request.params.shareCode)
      const { name, description }: Static<typeof SharedFolder> = JSON.parse(folder)
      return { name, description, photos: photoIds.size, picture }
    },
  )
}

function ownRanks(page: SharePage, places: Places): Record<number, (typeof RANKS)[number]> {
  return Object.fromEntries(RANKS.filter((rank) => page.photoIds.has(places[rank])).map((rank) => [places[rank], rank]))
}

/** The page with the voter's own end, compressed for who takes that, or 304. */
async function pageAnswer(page: SharePage, places: Places, asked: BatchedRequest['headers']) {
  const gzip = page.beginning.length >= WORTH_COMPRESSING && acceptsGzip(asked['accept-encoding'])
  const version = `${page.version}.${places.first}.${places.second}.${places.third}`
  const etag = `"${gzip ? `${version}-gzip` : version}"`
  const headers = { vary: 'accept-encoding', etag, 'cache-control': FRESH }
  if (hasVersion(asked['if-none-match'], etag)) return { status: 304, bytes: [], headers }
  const end = `${JSON.stringify(ownRanks(page, places))}}`
  const typed = { ...headers, 'content-type': JSON_TYPE }
  if (!gzip) return { status: 200, bytes: [page.beginning, Buffer.from(end)], headers: typed }
  const bytes = gzipWithEnd(await page.gzip(), end)
  return { status: 200, bytes, headers: { ...typed, 'content-encoding': 'gzip' } }
}

/** Sends the JSON text, or 304 when the browser has this version of it already. */
function answer(request: FastifyRequest, reply: FastifyReply, version: string, body: string): FastifyReply {
  const etag = `"${version}"`
  reply.header('etag', etag).header('cache-control', FRESH)
  if (hasVersion(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type(JSON_TYPE).send(body)
}

// Weak tags match too: a proxy that compresses makes strong ones weak.
function hasVersion(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return known?.some((tag) => tag === etag || tag === '*') ?? false
}
