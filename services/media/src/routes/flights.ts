import { Readable } from 'node:stream'
import { type App, errorResponses, notFound, requireUser } from '@skyfolio/kit'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { safeFolderName } from '../archives/safe-names.ts'
import type { MediaDeps } from '../deps.ts'
import { contentDisposition } from '../files/responses.ts'
import {
  FlightSchema,
  findFlightId,
  isGrouping,
  listFlights,
  MAX_TRACK_POINTS,
  readFlight,
  readTrack,
  TrackPoint,
} from '../flights/read-flights.ts'
import { openTrackFile } from '../flights/track-file.ts'
import { TRACK_FORMATS, type TrackFormatName } from '../flights/track-formats.ts'
import { GalleryFilterQuery, readGalleryQuery } from '../gallery/filter.ts'
import { limitPerUser, type UserLimit } from '../limits.ts'
import { IdParams, signedIn } from './schemas.ts'

const MAX_PAGE = 100
/** Fewer than reads of the gallery, of which each is one as long as it is sent. */
const FILES_PER_USER = 2
const TOO_MANY_FILES = 'You are exporting several tracks already. Please wait for one of them.'

const PENDING = '`X-Flights-Pending: true` while photos are still to be grouped: what changed comes within seconds.'
const list = {
  summary: 'Lists own flights, newest first, in pages with a `Link` to the next one and `X-Total-Count`',
  description: PENDING,
  querystring: Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: 50 })),
    cursor: Type.Optional(Type.String({ maxLength: 100, description: 'From the Link header of the previous page' })),
  }),
  response: { 200: Type.Array(FlightSchema), ...errorResponses },
}
const one = {
  summary: 'Returns an own flight with its track',
  description: `At most ${MAX_TRACK_POINTS} points of a track. ${PENDING}`,
  params: IdParams,
  response: { 200: Type.Object({ ...FlightSchema.properties, track: Type.Array(TrackPoint) }), ...errorResponses },
}
const track = {
  summary: 'Exports where own photos were taken, as a file: each photo, and a line per flight',
  description: 'Streamed. Photos without a position are left out.',
  querystring: Type.Object({
    format: Type.Union(
      (Object.keys(TRACK_FORMATS) as (keyof typeof TRACK_FORMATS)[]).map((name) => Type.Literal(name)),
      { description: 'GPX 1.1, KML 2.2 or GeoJSON (RFC 7946)' },
    ),
    name: Type.Optional(Type.String({ maxLength: 500, description: 'Of the file, without its extension' })),
    ...GalleryFilterQuery.properties,
  }),
  response: errorResponses,
}

/** Flights, and tracks of photos as files. */
export function flightRoutes(app: App, deps: MediaDeps, reads: UserLimit): void {
  const { db } = deps
  const limited = { ...signedIn, ...reads }
  const files = limitPerUser({
    perKey: FILES_PER_USER,
    maxWaitingPerKey: 50,
    maxWaiting: 500,
    limit: 'tracks-of-user',
    messages: { tooManyOfKey: TOO_MANY_FILES },
  })
  const file = {
    ...signedIn,
    preHandler: [files.preHandler, reads.preHandler],
    onSend: [files.onSend, reads.onSend],
  }

  app.get('/api/flights', { ...limited, schema: list }, async (request, reply) => {
    const { userId } = requireUser(request)
    const { limit = 50, cursor = null } = request.query
    // Before the list, which is then no older than this says.
    const isPending = await isGrouping(db, userId)
    const { flights, next, total } = await listFlights(db, userId, { cursor, limit })
    if (next !== null) {
      const link = new URLSearchParams({ limit: String(limit), cursor: next })
      reply.header('link', `</api/flights?${link}>; rel="next"`)
    }
    return reply.headers({ ...headersOf(isPending), 'x-total-count': total }).send(flights)
  })

  app.get('/api/flights/:id', { ...limited, schema: one }, async (request, reply) => {
    const { userId } = requireUser(request)
    const isPending = await isGrouping(db, userId)
    const id = await findFlightId(db, userId, request.params.id)
    const flight = id === null ? null : await readFlight(db, id)
    if (!flight) throw notFound('Flight not found')
    return reply.headers(headersOf(isPending)).send({ ...flight, track: await readTrack(db, flight.id) })
  })

  app.get('/api/photos/track', { ...file, schema: track }, async (request, reply) => {
    const { format, name = '', ...filter } = request.query
    const query = await readGalleryQuery(deps, requireUser(request).userId, filter)
    const title = safeFolderName(name, `skyfolio-photos-${new Date().toISOString().slice(0, 10)}`)
    const file = await openTrackFile(db, query, { format, title })
    return sendTrack(reply, format, title, file)
  })
}

function sendTrack(reply: FastifyReply, format: TrackFormatName, title: string, file: AsyncIterable<string>) {
  const { mediaType, extension } = TRACK_FORMATS[format]
  return reply
    .headers({
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-type': mediaType,
      'content-disposition': contentDisposition('attachment', `${title}.${extension}`),
    })
    .send(Readable.from(file, { objectMode: false }))
}

function headersOf(isPending: boolean): Record<string, string> {
  return { 'cache-control': 'private, no-store', ...(isPending && { 'x-flights-pending': 'true' }) }
}
