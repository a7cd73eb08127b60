import { SESSION_SECONDS, type Session, sessionHash, sessionKey } from '@skyfolio/kit'
import type { Redis } from 'ioredis'

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
  const cache = new Map<string, { session: Promise<ActiveSession | null>; until: number }>()

  async function readSession(hash: string, token: string): Promise<ActiveSession | null> {
    const text = await redis.getex(sessionKey(hash), 'EX', SESSION_SECONDS)
    return text === null ? null : { ...(JSON.parse(text) as Session), hash, token }
  }

  return {
    find(token) {
      const hash = sessionHash(token)
      const cached = cache.get(hash)
      if (cached && cached.until > performance.now()) return cached.session
      // The promise is cached, not its result: a session revoked during the read is not cached again.
      const entry = { session: readSession(hash, token), until: performance.now() + CACHE_MS }
      cache.delete(hash)
      cache.set(hash, entry)
      if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value as string)
      entry.session.catch(() => {
        if (cache.get(hash) === entry) cache.delete(hash)
      })
      return entry.session
    },
    forget: (hash) => void cache.delete(hash),
  }
}
