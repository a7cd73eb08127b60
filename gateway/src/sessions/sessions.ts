import { SESSION_SECONDS, type Session, sessionHash, sessionKey } from '@skyfolio/kit'
import type { Redis } from 'ioredis'

/** A session that runs, with what finds it. */
export interface RunningSession extends Session {
  hash: string
  token: string
}

export interface Sessions {
  /** The session of a cookie's token, or null. Using it extends it. @throws when Redis cannot be asked. */
  find(token: string): Promise<RunningSession | null>
  /** Forgets what is known of a session, so that the next use asks Redis. */
  forget(hash: string): void
}

const cacheMs = 2_000
const maxCached = 20_000

/** Sessions from Redis, remembered for two seconds; `forget` is called when one is revoked. */
export function createSessions(redis: Redis): Sessions {
  const cache = new Map<string, { answer: Promise<RunningSession | null>; until: number }>()

  async function ask(hash: string, token: string): Promise<RunningSession | null> {
    const text = await redis.getex(sessionKey(hash), 'EX', SESSION_SECONDS)
    return text === null ? null : { ...(JSON.parse(text) as Session), hash, token }
  }

  return {
    find(token) {
      const hash = sessionHash(token)
      const known = cache.get(hash)
      if (known && known.until > performance.now()) return known.answer
      // The promise is kept, not its result: a session revoked while Redis is asked does not come back.
      const entry = { answer: ask(hash, token), until: performance.now() + cacheMs }
      cache.delete(hash)
      cache.set(hash, entry)
      if (cache.size > maxCached) cache.delete(cache.keys().next().value as string)
      entry.answer.catch(() => {
        if (cache.get(hash) === entry) cache.delete(hash)
      })
      return entry.answer
    },
    forget: (hash) => void cache.delete(hash),
  }
}
