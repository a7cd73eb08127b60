import { randomInt } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type App, ErrorBody, unauthenticated } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { LiveEvents, LiveStream } from '../live/live-events.ts'
import type { RunningSession, Sessions } from '../sessions/sessions.ts'

const heartbeatMs = 20_000
/** A browser that has not taken this many bytes is gone or asleep; it comes back by itself. */
const maxUnread = 64 * 1024

export interface EventsOptions {
  live: LiveEvents
  sessions: Sessions
  heartbeatMs?: number
}

/** The browser's stream of hints, as server-sent events. */
export function eventsRoute(app: App, o: EventsOptions): void {
  app.addHook('preClose', async () => o.live.endAll())
  app.get(
    '/api/events',
    {
      config: { access: 'user', quiet: true },
      schema: {
        summary: 'Live events of the signed-in user',
        description: 'Server-sent events: `data: {"type":"photo.changed","id":1,"folderId":2}`',
        response: {
          200: { description: 'The stream', content: { 'text/event-stream': { schema: Type.String() } } },
          '4xx': ErrorBody,
          '5xx': ErrorBody,
        },
      },
    },
    (request, reply) => {
      if (!request.session) throw unauthenticated()
      const stream = streamTo(reply.raw, request.session)
      const leave = o.live.open(stream)
      const heartbeat = setInterval(() => beat(request, reply, stream, o.sessions), o.heartbeatMs ?? heartbeatMs)
      reply.raw.once('close', () => {
        clearInterval(heartbeat)
        leave()
      })
      begin(reply)
    },
  )
}

function begin(reply: FastifyReply): void {
  reply.headers({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    // The connection ends with the stream: a process that drains has none left to wait for.
    connection: 'close',
  })
  reply.hijack()
  reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>)
  // Browsers come back at different times, so that a restart is not followed by all of them at once.
  reply.raw.write(`retry: ${randomInt(1_000, 4_000)}\n\n`)
}

function streamTo(response: ServerResponse, session: RunningSession): LiveStream {
  return {
    userId: session.userId,
    sessionHash: session.hash,
    send({ type, id, folderId }) {
      if (response.writableLength > maxUnread) response.destroy()
      else response.write(`data: ${JSON.stringify({ type, id, folderId })}\n\n`)
    },
    end: () => void response.end(),
  }
}

/** Keeps the connection through proxies, and ends it when the session has ended. */
async function beat(
  request: FastifyRequest,
  reply: FastifyReply,
  stream: LiveStream,
  sessions: Sessions,
): Promise<void> {
  reply.raw.write(': heartbeat\n\n')
  try {
    const session = await sessions.find(request.session?.token ?? '')
    if (!session) stream.end()
  } catch (error) {
    // Redis is away. That says nothing about the session, and the next beat asks again.
    request.log.debug({ err: error }, 'session not checked')
  }
}
