import type { IncomingHttpHeaders } from 'node:http'
import { acceptsGzip, type BatchedRequest, contentVersion, matchesEntityTag } from '@skyfolio/kit'
import type { FastifyReply } from 'fastify'
import { RANKS, type Rank, type RankedPhotos } from '../voting/ballots.ts'
import { gzipWithSuffix } from './gzip.ts'
import type { SharePage } from './share-pages.ts'

/** Cached by browsers, but revalidated on every use. */
export const REVALIDATE = 'private, no-cache'

/** In bytes; a compressed response below it would hardly be smaller. */
const MIN_COMPRESSED_BYTES = 1000
const JSON_TYPE = 'application/json; charset=utf-8'

/** What of a page is the voter's own. */
export interface OwnPart {
  rankings: RankedPhotos
  invitation: { name: string } | null
}

/** The page with the voter's own part, compressed if the client accepts that; or 304. */
export async function sharePageResponse(
  page: SharePage,
  { rankings, invitation }: OwnPart,
  request: BatchedRequest['headers'],
) {
  const gzip = page.prefix.length >= MIN_COMPRESSED_BYTES && acceptsGzip(request['accept-encoding'])
  const ranks = `${page.version}.${rankings.first}.${rankings.second}.${rankings.third}`
  const version = invitation ? `${ranks}.${contentVersion(invitation.name)}` : ranks
  const etag = `"${gzip ? `${version}-gzip` : version}"`
  const headers = { vary: 'accept-encoding', etag, 'cache-control': REVALIDATE }
  if (matchesEntityTag(request['if-none-match'], etag)) return { status: 304, bytes: [], headers }
  const suffix = `${JSON.stringify(ownRanks(page, rankings))},"invitation":${JSON.stringify(invitation)}}`
  const typed = { ...headers, 'content-type': JSON_TYPE }
  if (!gzip) return { status: 200, bytes: [page.prefix, Buffer.from(suffix)], headers: typed }
  const bytes = gzipWithSuffix(await page.gzip(), suffix)
  return { status: 200, bytes, headers: { ...typed, 'content-encoding': 'gzip' } }
}

/** Sends a JSON text, or 304 if the browser has this version already. */
export function sendVersioned(
  headers: IncomingHttpHeaders,
  reply: FastifyReply,
  { version, json }: { version: string; json: string },
): FastifyReply {
  const etag = `"${version}"`
  reply.header('etag', etag).header('cache-control', REVALIDATE)
  if (matchesEntityTag(headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type(JSON_TYPE).send(json)
}

/** The voter's ranks by photo, of the photos on the page. */
function ownRanks(page: SharePage, rankings: RankedPhotos): Record<number, Rank> {
  const visible = RANKS.filter((rank) => page.photoIds.has(rankings[rank]))
  return Object.fromEntries(visible.map((rank) => [rankings[rank], rank]))
}
