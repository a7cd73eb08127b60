import type { NatsConnection } from '@nats-io/nats-core'
import { newSessionToken, SESSION_SECONDS, type Session, sessionHash, sessionKey } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import { publishSessionChanged } from '../events.ts'

/** How many members of a user's session set are checked for expiry at each sign-in. */
const EXPIRY_SAMPLE = 5

export interface SessionOwner {
  id: number
  username: string
  isAdmin: boolean
}

/** The sessions in Redis: auth writes them, the gateway reads and extends them. */
export interface Sessions {
  /** Starts a session and returns its token, which is stored only in the cookie. */
  start(owner: SessionOwner, persistent: boolean): Promise<string>
  /** Ends a session at once, in every gateway. */
  end(userId: number, hash: string): Promise<void>
  /** Sets the administrator right in the user's running sessions. Returns their number. */
  setAdmin(userId: number, isAdmin: boolean): Promise<number>
}

export function createSessions(redis: Redis, nats: NatsConnection): Sessions {
  /** The set of a user's sessions. Members may have expired: a session runs while its own key exists. */
  const setKey = (userId: number) => `sessions-of:${userId}`

  /** Keeps the set about as large as the number of running sessions, at constant cost. */
  async function removeSomeExpired(userId: number): Promise<void> {
    const hashes = await redis.srandmember(setKey(userId), EXPIRY_SAMPLE)
    const running = await Promise.all(hashes.map((hash) => redis.exists(sessionKey(hash))))
    const expired = hashes.filter((_, index) => running[index] === 0)
    if (expired.length > 0) await redis.srem(setKey(userId), ...expired)
  }

  async function setSessionAdmin(hash: string, isAdmin: boolean): Promise<boolean> {
    const text = await redis.get(sessionKey(hash))
    if (text === null) return false
    const session: Session = { ...(JSON.parse(text) as Session), isAdmin }
    // XX: must not recreate a session that has ended meanwhile.
    const result = await redis.set(sessionKey(hash), JSON.stringify(session), 'KEEPTTL', 'XX')
    publishSessionChanged(nats, hash)
    return result !== null
  }

  return {
    async start(owner, persistent) {
      const token = newSessionToken()
      const hash = sessionHash(token)
      const session: Session = {
        userId: owner.id,
        username: owner.username,
        isAdmin: owner.isAdmin,
        persistent,
        createdAt: new Date().toISOString(),
      }
      await removeSomeExpired(owner.id)
      await redis.sadd(setKey(owner.id), hash)
      await redis.set(sessionKey(hash), JSON.stringify(session), 'EX', SESSION_SECONDS)
      return token
    },
    async end(userId, hash) {
      await redis.del(sessionKey(hash))
      await redis.srem(setKey(userId), hash)
      publishSessionChanged(nats, hash)
    },
    async setAdmin(userId, isAdmin) {
      const hashes = await redis.smembers(setKey(userId))
      const changed = await Promise.all(hashes.map((hash) => setSessionAdmin(hash, isAdmin)))
      return changed.filter(Boolean).length
    },
  }
}
