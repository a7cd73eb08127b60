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

export interface LiveEvents {
  /**
   * Adds a stream and returns a function that removes it.
   * @throws 429 when the user has too many, 503 when its site or all together have
   */
  open(stream: LiveStream): () => void
  /** Sends an event to every stream of the user. */
  deliver(userId: number, event: LiveEvent): void
  /** Ends the streams of a revoked session. If the session only changed, its browsers reconnect. */
  endSession(sessionHash: string): void
  /** Ends all streams: browsers reconnect and fetch everything again. */
  endAll(): void
}

const openStreams = metrics.gauge('skyfolio_event_streams', 'Open streams of live events (SSE)')

const TOO_MANY = 'Too many windows are listening for changes.'
const RETRY_AFTER_SECONDS = 30
/** Windows of one user on all devices; a browser with HTTP/1.1 opens six connections to a site at most. */
const STREAMS_PER_USER = 10
/** Of these one site has at most a quarter: three windows of each of 300 people behind one address. */
const MAX_STREAMS = 4_000

/** The live event streams of this process. */
export function createLiveEvents({ streamsPerUser = STREAMS_PER_USER, maxStreams = MAX_STREAMS } = {}): LiveEvents {
  const places = createFairQueue(inQuarters(maxStreams))
  const byUser = new Map<number, Set<LiveStream>>()
  const all = () => [...byUser.values()].flatMap((streams) => [...streams])

  metrics.onScrape('event streams', () => [[openStreams, all().length]])

  function remove(stream: LiveStream): void {
    const streams = byUser.get(stream.userId)
    streams?.delete(stream)
    if (streams?.size === 0) byUser.delete(stream.userId)
  }

  return {
    open(stream) {
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
    deliver(userId, event) {
      for (const stream of byUser.get(userId) ?? []) stream.send(event)
    },
    endSession(sessionHash) {
      for (const stream of all()) if (stream.sessionHash === sessionHash) stream.end()
    },
    endAll() {
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
  const { rankingsChanged, sessionRevoked } = hints

  onHint(
    nats,
    photoChanged,
    ({ photo: p }) => p && live.deliver(p.userId, { type: 'photo.changed', id: p.id, folderId: p.folderId }),
    logger,
  )
  onHint(
    nats,
    photoDeleted,
    (m) => live.deliver(m.userId, { type: 'photo.deleted', id: m.photoId, folderId: m.folderId }),
    logger,
  )
  onHint(
    nats,
    folderChanged,
    ({ folder: f }) => f && live.deliver(f.userId, { type: 'folder.changed', id: f.id }),
    logger,
  )
  onHint(nats, folderDeleted, (m) => live.deliver(m.userId, { type: 'folder.deleted', id: m.folderId }), logger)
  onHint(nats, rankingsChanged, (m) => live.deliver(m.userId, { type: 'rankings.changed', id: m.folderId }), logger)
  onHint(nats, orderChanged, ({ order: o }) => o && live.deliver(o.userId, { type: 'order.changed', id: o.id }), logger)
  onHint(
    nats,
    sessionRevoked,
    ({ sessionHash }) => {
      sessions.forget(sessionHash)
      live.endSession(sessionHash)
    },
    logger,
  )
  void endStreamsOnReconnect(nats, live)
}

async function endStreamsOnReconnect(nats: NatsConnection, live: LiveEvents): Promise<void> {
  for await (const status of nats.status()) {
    if (status.type === 'reconnect') live.endAll()
  }
}
