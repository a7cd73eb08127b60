import type { NatsConnection } from '@nats-io/nats-core'
import { newSessionToken, SESSION_SECONDS, type Session, sessionHash, sessionKey } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import { sessionChanged } from '../events.ts'

/** How many of a user's remembered sessions are checked for having ended whenever a new one begins. */
const sampleSize = 5

export interface SessionOwner {
  id: number
  username: string
  isAdmin: boolean
}

/** The sessions in Redis: auth writes them, the gateway reads and extends them. */
export interface Sessions {
  /** Begins a session and returns its token, which only the cookie ever holds. */
  begin(owner: SessionOwner, persistent: boolean): Promise<string>
  /** Ends a session at once, in every gateway. */
  end(userId: number, hash: string): Promise<void>
  /** Gives the user's running sessions the new right. Returns how many there were. */
  setAdmin(userId: number, isAdmin: boolean): Promise<number>
}

export function createSessions(redis: Redis, nats: NatsConnection): Sessions {
  /** Members may have expired: only the session's own key says that it runs. */
  const ofUser = (userId: number) => `sessions-of:${userId}`

  /** Keeps the set about as large as the number of running sessions, at a constant cost. */
  async function forgetSomeEnded(userId: number): Promise<void> {
    const hashes = await redis.srandmember(ofUser(userId), sampleSize)
    const running = await Promise.all(hashes.map((hash) => redis.exists(sessionKey(hash))))
    const ended = hashes.filter((_, index) => running[index] === 0)
    if (ended.length > 0) await redis.srem(ofUser(userId), ...ended)
  }

  async function setAdminIn(hash: string, isAdmin: boolean): Promise<boolean> {
    const text = await redis.get(sessionKey(hash))
    if (text === null) return false
    const session: Session = { ...(JSON.parse(text) as Session), isAdmin }
    // XX: a session that ends meanwhile must not come back.
    const done = await redis.set(sessionKey(hash), JSON.stringify(session), 'KEEPTTL', 'XX')
    sessionChanged(nats, hash)
    return done !== null
  }

  return {
    async begin(owner, persistent) {
      const token = newSessionToken()
      const hash = sessionHash(token)
      const session: Session = {
        userId: owner.id,
        username: owner.username,
        isAdmin: owner.isAdmin,
        persistent,
        createdAt: new Date().toISOString(),
      }
      await forgetSomeEnded(owner.id)
      await redis.sadd(ofUser(owner.id), hash)
      await redis.set(sessionKey(hash), JSON.stringify(session), 'EX', SESSION_SECONDS)
      return token
    },
    async end(userId, hash) {
      await redis.del(sessionKey(hash))
      await redis.srem(ofUser(userId), hash)
      sessionChanged(nats, hash)
    },
    async setAdmin(userId, isAdmin) {
      const hashes = await redis.smembers(ofUser(userId))
      const changed = await Promise.all(hashes.map((hash) => setAdminIn(hash, isAdmin)))
      return changed.filter(Boolean).length
    },
  }
}
