import { randomInt } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type App, errorResponses, siteOf, unauthenticated } from '@skyfolio/kit'
import { LIVE_EVENT_TYPES } from '@skyfolio/proto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { LiveEvents, LiveStream } from '../live/live-events.ts'
import type { ActiveSession, Sessions } from '../sessions/sessions.ts'

const HEARTBEAT_MS = 20_000
/** A browser with this many unread bytes has disconnected or sleeps; it reconnects by itself. */
const MAX_UNREAD_BYTES = 64 * 1024

const LiveEventSchema = Type.Object({
  type: Type.Enum([...LIVE_EVENT_TYPES]),
  id: Type.Integer(),
  folderId: Type.Optional(Type.Integer()),
})

export interface EventsDeps {
  live: LiveEvents
  sessions: Sessions
  heartbeatMs?: number
}

/** Streams hints to the browser as server-sent events. */
export function eventsRoute(app: App, deps: EventsDeps): void {
  app.addHook('preClose', async () => deps.live.endAll())
  app.get(
    '/api/events',
    {
      config: { access: 'user', quiet: true },
      schema: {
        summary: 'Live events of the signed-in user',
        description: `Server-sent events: \`data: {"type":"photo.changed","id":1,"folderId":2}\`. The first one is \`ready\`: data requested
in the last \`quietMs\` milliseconds before it miss no event.`,
        response: {
          200: { description: 'The data of each event', content: { 'text/event-stream': { schema: LiveEventSchema } } },
          ...errorResponses,
        },
      },
    },
    (request, reply) => {
      if (!request.session) throw unauthenticated()
      const stream = createStream(reply.raw, request.session, siteOf(request.identity.address))
      const removeStream = deps.live.open(stream)
      const heartbeat = setInterval(
        () => sendHeartbeat(request, reply, stream, deps.sessions),
        deps.heartbeatMs ?? HEARTBEAT_MS,
      )
      reply.raw.once('close', () => {
        clearInterval(heartbeat)
        removeStream()
      })
      startStream(reply, deps.live.quietMs(stream.userId))
    },
  )
}

function startStream(reply: FastifyReply, quietMs: number): void {
  reply.headers({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    // The connection ends with the stream, so that a draining process need not wait for it.
    connection: 'close',
  })
  reply.hijack()
  reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>)
  // Random, so that browsers do not all reconnect at once after a restart.
  reply.raw.write(`retry: ${randomInt(1_000, 4_000)}\nevent: ready\ndata: ${JSON.stringify({ quietMs })}\n\n`)
}

function createStream(response: ServerResponse, session: ActiveSession, site: string): LiveStream {
  return {
    userId: session.userId,
    site,
    sessionHash: session.hash,
    send: ({ type, id, folderId }) => write(response, `data: ${JSON.stringify({ type, id, folderId })}\n\n`),
    end: () => void response.end(),
  }
}

function write(response: ServerResponse, text: string): void {
  if (response.writableLength > MAX_UNREAD_BYTES) response.destroy()
  else response.write(text)
}

/** Keeps the connection alive through proxies, and ends the stream when the session has ended. */
async function sendHeartbeat(
  request: FastifyRequest,
  reply: FastifyReply,
  stream: LiveStream,
  sessions: Sessions,
): Promise<void> {
  write(reply.raw, ': heartbeat\n\n')
  try {
    const session = await sessions.find(request.session?.token ?? '')
    if (!session || session.isDeleting) stream.end()
  } catch (error) {
    // Redis is unavailable, which says nothing about the session; the next heartbeat checks again.
    request.log.debug({ err: error }, 'session check failed, will retry')
  }
}
