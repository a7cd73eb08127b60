import type { NatsConnection } from '@nats-io/nats-core'
import { createFairQueue, type Logger, metrics, onHint, tooManyRequests, unavailable } from '@skyfolio/kit'
import { events, hints, type LiveEvent } from '@skyfolio/proto'
import { inQuarters } from '../client-limits.ts'
import type { Sessions } from '../sessions/sessions.ts'

/** One connected browser. */
export interface LiveStream {
  userId: number
  /** Of its address, see `siteOf`. */
  site: string
  sessionHash: string
  send(event: LiveEvent): void
  end(): void
}

export type LiveEvents = ReturnType<typeof createLiveEvents>

const openStreams = metrics.gauge('skyfolio_event_streams', 'Open streams of live events (SSE)')

const TOO_MANY = 'Too many windows are listening for changes.'
const RETRY_AFTER_SECONDS = 30
/** Windows of one user on all devices; a browser with HTTP/1.1 opens six connections to a site at most. */
const STREAMS_PER_USER = 10
/** Of these one site has at most a quarter: three windows of each of 300 people behind one address. */
const MAX_STREAMS = 4_000

/** For so long it is known when the last event of a user was. */
const REMEMBERED_MS = 60_000

/** The live event streams of this process. */
export function createLiveEvents({ streamsPerUser = STREAMS_PER_USER, maxStreams = MAX_STREAMS } = {}) {
  const places = createFairQueue(inQuarters(maxStreams))
  const byUser = new Map<number, Set<LiveStream>>()
  /** By user, the oldest first. */
  const lastEvents = new Map<number, number>()
  let listeningSince = performance.now()
  const all = () => [...byUser.values()].flatMap((streams) => [...streams])

  metrics.onScrape('event streams', () => [[openStreams, all().length]])

  function remove(stream: LiveStream): void {
    const streams = byUser.get(stream.userId)
    streams?.delete(stream)
    if (streams?.size === 0) byUser.delete(stream.userId)
  }

  return {
    /**
     * Adds a stream and returns a function that removes it.
     * @throws 429 when the user has too many, 503 when its site or all together have
     */
    open(stream: LiveStream): () => void {
      const streams = byUser.get(stream.userId) ?? new Set()
      if (streams.size >= streamsPerUser) throw tooManyRequests(TOO_MANY, RETRY_AFTER_SECONDS, 'streams-of-user')
      const giveBack = places.tryAcquire({ key: stream.site })
      if (!giveBack) throw unavailable(TOO_MANY, RETRY_AFTER_SECONDS, 'streams')
      byUser.set(stream.userId, streams.add(stream))
      return () => {
        remove(stream)
        giveBack()
      }
    },
    /** The milliseconds for which there has certainly been no event of the user. */
    quietMs(userId: number): number {
      const now = performance.now()
      return Math.floor(Math.min(now - Math.max(lastEvents.get(userId) ?? 0, listeningSince), REMEMBERED_MS))
    },
    /** Sends an event to every stream of the user. */
    deliver(userId: number, event: LiveEvent): void {
      const now = performance.now()
      lastEvents.delete(userId)
      lastEvents.set(userId, now)
      for (const [oldest, at] of lastEvents) {
        if (now - at <= REMEMBERED_MS) break
        lastEvents.delete(oldest)
      }
      for (const stream of byUser.get(userId) ?? []) stream.send(event)
    },
    /** Ends the streams of a revoked session. If the session only changed, its browsers reconnect. */
    endSession(sessionHash: string): void {
      for (const stream of all()) if (stream.sessionHash === sessionHash) stream.end()
    },
    /** Ends all streams, since events may have been missed: browsers reconnect and fetch everything again. */
    endAll(): void {
      listeningSince = performance.now()
      for (const stream of all()) stream.end()
    },
  }
}

/**
 * Subscribes to everything that the gateway receives from NATS. The subscriptions are not durable, since the gateway
 * uses all messages as hints: after a lost connection it ends the streams, and browsers that reconnect fetch everything
 * again.
 */
export function subscribeToHints(nats: NatsConnection, live: LiveEvents, sessions: Sessions, logger: Logger): void {
  const { photoChanged, photoDeleted, folderChanged, folderDeleted, orderChanged } = events
  const { contentsChanged, rankingsChanged, sessionRevoked } = hints

  const deliver = (type: LiveEvent['type'], userId: number, id: number, folderId?: number) =>
    live.deliver(userId, { type, id, folderId })

  onHint(nats, photoChanged, ({ photo: p }) => p && deliver('photo.changed', p.userId, p.id, p.folderId), logger)
  onHint(nats, photoDeleted, (m) => deliver('photo.deleted', m.userId, m.photoId, m.folderId), logger)
  onHint(nats, folderChanged, ({ folder: f }) => f && deliver('folder.changed', f.userId, f.id), logger)
  onHint(nats, folderDeleted, (m) => deliver('folder.deleted', m.userId, m.folderId), logger)
  onHint(nats, contentsChanged, ({ userId }) => deliver('contents.changed', userId, userId), logger)
  onHint(nats, rankingsChanged, (m) => deliver('rankings.changed', m.userId, m.folderId), logger)
  onHint(nats, orderChanged, ({ order: o }) => o && deliver('order.changed', o.userId, o.id), logger)
  const forget = ({ sessionHash }: { sessionHash: string }) => {
    sessions.forget(sessionHash)
    live.endSession(sessionHash)
  }
  onHint(nats, sessionRevoked, forget, logger)
  void endStreamsOnReconnect(nats, live)
}

async function endStreamsOnReconnect(nats: NatsConnection, live: LiveEvents): Promise<void> {
  for await (const status of nats.status()) {
    if (status.type === 'reconnect') live.endAll()
  }
}
