import { SESSION_SECONDS, type Session, sessionHash, sessionKey } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'

/** A session with its token and the hash that finds it. */
export interface ActiveSession extends Session {
  hash: string
  token: string
}

export interface Sessions {
  /** Returns the session of a cookie's token, or null, and extends it. @throws when Redis is unavailable */
  find(token: string): Promise<ActiveSession | null>
  /** Drops a session from the cache, so that its next use reads Redis. */
  forget(hash: string): void
}

const CACHE_MS = 2_000
const MAX_CACHED = 20_000

/** Sessions from Redis, cached for two seconds; `forget` is called when one is revoked. */
export function createSessions(redis: Redis): Sessions {
  const cache = new LRUCache<string, Promise<ActiveSession | null>>({ max: MAX_CACHED, ttl: CACHE_MS })

  async function readSession(hash: string, token: string): Promise<ActiveSession | null> {
    const text = await redis.getex(sessionKey(hash), 'EX', SESSION_SECONDS)
    return text === null ? null : { ...(JSON.parse(text) as Session), hash, token }
  }

  return {
    find(token) {
      const hash = sessionHash(token)
      const cached = cache.get(hash)
      if (cached) return cached
      // The promise is cached, not its result: a session revoked during the read is not cached again.
      const session = readSession(hash, token)
      cache.set(hash, session)
      session.catch(() => {
        if (cache.peek(hash) === session) cache.delete(hash)
      })
      return session
    },
    forget: (hash) => void cache.delete(hash),
  }
}
