import { metrics, tooManyRequests } from '@skyfolio/kit'

/** A hint for a browser: fetch this again. */
export interface LiveEvent {
  type: 'photo.changed' | 'photo.deleted' | 'folder.changed' | 'folder.deleted' | 'rankings.changed'
  /** Of the photo or the folder that `type` names; the folder's for rankings. */
  id: number
  folderId?: number
}

/** One browser that listens. */
export interface LiveStream {
  userId: number
  sessionHash: string
  send(event: LiveEvent): void
  end(): void
}

export interface LiveEvents {
  /** Adds a stream. Returns how to take it away. @throws 429 when the user has too many. */
  open(stream: LiveStream): () => void
  /** To every stream of the user. */
  deliver(userId: number, event: LiveEvent): void
  /** Ends the streams of a session that was revoked; those of one that only changed come back by themselves. */
  endSession(sessionHash: string): void
  /** Ends all streams: browsers come back and fetch everything anew. */
  endAll(): void
}

const open = metrics.gauge('skyfolio_event_streams', 'Open streams of live events (SSE)')

/** The browsers that listen at this process. */
export function createLiveEvents(streamsPerUser: number): LiveEvents {
  const byUser = new Map<number, Set<LiveStream>>()
  const all = () => [...byUser.values()].flatMap((streams) => [...streams])

  metrics.onScrape('event streams', () => [[open, all().length]])

  function remove(stream: LiveStream): void {
    const streams = byUser.get(stream.userId)
    streams?.delete(stream)
    if (streams?.size === 0) byUser.delete(stream.userId)
  }

  return {
    open(stream) {
      const streams = byUser.get(stream.userId) ?? new Set()
      if (streams.size >= streamsPerUser) throw tooManyRequests('Too many windows are listening for changes.', 30)
      byUser.set(stream.userId, streams.add(stream))
      return () => remove(stream)
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
