import { createHash } from 'node:crypto'
import type { NatsConnection } from '@nats-io/nats-core'
import { newSessionToken, SESSION_SECONDS, type Session, sessionHash, sessionKey } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import { publishSessionChanged } from '../events.ts'

/** How many members of a user's session set are checked for expiry at each sign-in. */
const EXPIRY_SAMPLE = 5
/** How many sessions of a user run at most. */
const MAX_SESSIONS = 100
/** How many sessions one round trip reads. */
const READ_AT_ONCE = 200

export interface SessionOwner {
  id: number
  username: string
  isAdmin: boolean
}

export interface SessionOptions {
  /** Whether the cookie outlives the browser session. */
  persistent: boolean
  /** The cleaned header `User-Agent` of the sign-in. */
  userAgent: string | null
}

/** A session that was started, with the token for its cookie. */
export interface NewSession {
  token: string
  hash: string
  persistent: boolean
}

/** A session that runs. */
export interface RunningSession extends Session {
  hash: string
  /** Names the session to its user. It neither is nor reveals anything that opens it. */
  id: string
  lastUsedAt: Date
}

/** The sessions in Redis: auth writes them, the gateway reads and extends them. */
export interface Sessions {
  /** Starts a session. Its token is stored only in the cookie. Of too many sessions the one used least recently ends. */
  start(owner: SessionOwner, options: SessionOptions): Promise<NewSession>
  /** Starts another session for the browser of a running one, which it leaves as it is. Null when that one has ended. */
  startLike(hash: string): Promise<NewSession | null>
  /** Whether the session runs. */
  isRunning(hash: string): Promise<boolean>
  /** The running sessions of a user, the one used last first. */
  list(userId: number): Promise<RunningSession[]>
  /** Ends a session at once, in every gateway. */
  end(userId: number, hash: string): Promise<void>
  /** Ends all sessions of a user, but one if `kept` is its hash. */
  endAll(userId: number, kept: string | null): Promise<void>
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

  async function read(hash: string): Promise<RunningSession | null> {
    const key = sessionKey(hash)
    const [text, leftMs] = await Promise.all([redis.get(key), redis.pttl(key)])
    if (text === null || leftMs < 0) return null
    const lastUsedAt = new Date(Date.now() - (SESSION_SECONDS * 1000 - leftMs))
    return { ...(JSON.parse(text) as Session), hash, id: sessionId(hash), lastUsedAt }
  }

  async function end(userId: number, hash: string): Promise<void> {
    await redis.del(sessionKey(hash))
    await redis.srem(setKey(userId), hash)
    publishSessionChanged(nats, hash)
  }

  async function store(session: Session): Promise<NewSession> {
    const token = newSessionToken()
    const hash = sessionHash(token)
    // First the set: whoever ends all sessions must find every session that runs.
    await redis.sadd(setKey(session.userId), hash)
    await redis.set(sessionKey(hash), JSON.stringify(session), 'EX', SESSION_SECONDS)
    return { token, hash, persistent: session.persistent }
  }

  async function list(userId: number): Promise<RunningSession[]> {
    const hashes = await redis.smembers(setKey(userId))
    const sessions: (RunningSession | null)[] = []
    for (const some of chunks(hashes)) sessions.push(...(await Promise.all(some.map(read))))
    return sessions
      .filter((session) => session !== null)
      .sort((a, b) => b.lastUsedAt.getTime() - a.lastUsedAt.getTime())
  }

  /** Leaves room for one more session. The set, which may have expired members, is seldom larger than the limit. */
  async function endLeastRecentlyUsed(userId: number): Promise<void> {
    if ((await redis.scard(setKey(userId))) < MAX_SESSIONS) return
    const surplus = (await list(userId)).slice(MAX_SESSIONS - 1).map(({ hash }) => hash)
    for (const some of chunks(surplus)) await Promise.all(some.map((hash) => end(userId, hash)))
  }

  return {
    async start(owner, { persistent, userAgent }) {
      await removeSomeExpired(owner.id)
      await endLeastRecentlyUsed(owner.id)
      const createdAt = new Date().toISOString()
      const { id: userId, username, isAdmin } = owner
      return store({ userId, username, isAdmin, persistent, createdAt, userAgent })
    },
    async startLike(hash) {
      const text = await redis.get(sessionKey(hash))
      return text === null ? null : store(JSON.parse(text) as Session)
    },
    async isRunning(hash) {
      return (await redis.exists(sessionKey(hash))) === 1
    },
    list,
    end,
    async endAll(userId, kept) {
      const hashes = (await redis.smembers(setKey(userId))).filter((hash) => hash !== kept)
      for (const some of chunks(hashes)) await Promise.all(some.map((hash) => end(userId, hash)))
    },
    async setAdmin(userId, isAdmin) {
      const hashes = await redis.smembers(setKey(userId))
      const changed = await Promise.all(hashes.map((hash) => setSessionAdmin(hash, isAdmin)))
      return changed.filter(Boolean).length
    },
  }
}

/** Derived, so that it needs no storage; one-way, since the hash is the key of the session in Redis. */
function sessionId(hash: string): string {
  return createHash('sha256').update(`session-id:${hash}`).digest('base64url').slice(0, 22)
}

function* chunks(hashes: string[]): Generator<string[]> {
  for (let from = 0; from < hashes.length; from += READ_AT_ONCE) yield hashes.slice(from, from + READ_AT_ONCE)
}
