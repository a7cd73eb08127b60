import { createHash } from 'node:crypto'
import type { NatsConnection } from '@nats-io/nats-core'
import { newSessionToken, SESSION_SECONDS, type Session, sessionHash, sessionKey, writeActivity } from '@skyfolio/kit'
import type { Redis } from 'ioredis'
import { publishSessionChanged } from '../events.ts'
import type { User } from '../generated/client.ts'

/** More than anybody's devices; a further sign-in ends the one used least recently, so that the list of devices stays readable. */
const SESSIONS_PER_USER = 100
/** How many sessions one round trip reads. */
const READ_AT_ONCE = 200
/** A change that meets another one of the same session is made again. */
const UPDATE_ATTEMPTS = 10
const REPLACE_IF_SAME = `if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call('set', KEYS[1], ARGV[2], 'KEEPTTL')
  return 1`
/**
 * Stores a session, and removes those used least recently until as many run as allowed. In one step: of sign-ins at the same time
 * none exceeds the limit or overlooks another one, and whoever ends all sessions finds every one that runs. Returns the
 * hashes of those removed.
 */
const STORE_WITHIN_LIMIT = `local set, key, hash, text, seconds, prefix, most = KEYS[1], KEYS[2], unpack(ARGV)
  redis.call('set', key, text, 'EX', seconds)
  redis.call('sadd', set, hash)
  if redis.call('scard', set) <= tonumber(most) then return {} end
  local others = {}
  for _, other in ipairs(redis.call('smembers', set)) do
    local left = redis.call('pttl', prefix .. other)
    if left < 0 then redis.call('srem', set, other)
    elseif other ~= hash then table.insert(others, { left, other }) end
  end
  table.sort(others, function(a, b) return a[1] > b[1] end)
  local removed = {}
  for place = tonumber(most), #others do
    local other = others[place][2]
    redis.call('del', prefix .. other)
    redis.call('srem', set, other)
    table.insert(removed, other)
  end
  return removed`

/** What changes in a session that runs. */
export type SessionChanges = Partial<Pick<Session, 'isAdmin' | 'confirmedAt'>>

export interface SessionOptions {
  /** Whether the cookie outlives the browser session. */
  persistent: boolean
  /** The cleaned header `User-Agent` of the sign-in. */
  userAgent: string | null
  /** The deletion of the account is requested. */
  isDeleting?: boolean
}

/** A session that was started, with the token for its cookie. */
export interface NewSession extends Pick<Session, 'persistent' | 'isAdmin' | 'isDeleting'> {
  token: string
  hash: string
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
  start(owner: Pick<User, 'id' | 'username' | 'isAdmin'>, options: SessionOptions): Promise<NewSession>
  /**
   * Starts another session for the browser of a running one, which it leaves as it is, with these changes. Null when that one
   * has ended.
   */
  startLike(hash: string, changes?: Partial<Session>): Promise<NewSession | null>
  /** Whether the session runs. */
  isRunning(hash: string): Promise<boolean>
  /** The running sessions of a user, the one used last first. */
  list(userId: number): Promise<RunningSession[]>
  /** Ends a session at once, in every gateway. */
  end(userId: number, hash: string): Promise<void>
  /** Ends all sessions of a user, but one if `kept` is its hash. */
  endAll(userId: number, kept: string | null): Promise<void>
  /** The session, if it runs. */
  find(hash: string): Promise<Session | null>
  /** Changes a session, if it runs, in every gateway. */
  update(hash: string, changes: SessionChanges): Promise<boolean>
  /** Changes the running sessions of a user. Returns their number. */
  updateAll(userId: number, changes: SessionChanges): Promise<number>
}

/** @param perUser how many sessions of a user run at most */
export function createSessions(redis: Redis, nats: NatsConnection, perUser: number = SESSIONS_PER_USER): Sessions {
  /** The set of a user's sessions. Members may have expired: a session runs while its own key exists. */
  const setKey = (userId: number) => `sessions-of:${userId}`

  async function find(hash: string): Promise<Session | null> {
    const text = await redis.get(sessionKey(hash))
    return text === null ? null : (JSON.parse(text) as Session)
  }

  /** Neither recreates a session that has ended meanwhile nor overwrites another change of it. */
  async function update(hash: string, changes: SessionChanges): Promise<boolean> {
    const key = sessionKey(hash)
    for (let attempt = 0; attempt < UPDATE_ATTEMPTS; attempt += 1) {
      const text = await redis.get(key)
      if (text === null) return false
      const changed = JSON.stringify({ ...(JSON.parse(text) as Session), ...changes })
      if ((await redis.eval(REPLACE_IF_SAME, 1, key, text, changed)) === 0) continue
      publishSessionChanged(nats, hash)
      return true
    }
    throw new Error('The session is changed by others all the time')
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
    const keys = [setKey(session.userId), sessionKey(hash)]
    const values = [hash, JSON.stringify(session), SESSION_SECONDS, sessionKey(''), perUser]
    const removed = (await redis.eval(STORE_WITHIN_LIMIT, keys.length, ...keys, ...values)) as string[]
    for (const other of removed) publishSessionChanged(nats, other)
    const { persistent, isAdmin, isDeleting } = session
    return { token, hash, persistent, isAdmin, isDeleting }
  }

  async function list(userId: number): Promise<RunningSession[]> {
    const hashes = await redis.smembers(setKey(userId))
    const sessions: (RunningSession | null)[] = []
    for (const some of chunks(hashes)) sessions.push(...(await Promise.all(some.map(read))))
    return sessions
      .filter((session) => session !== null)
      .sort((a, b) => b.lastUsedAt.getTime() - a.lastUsedAt.getTime())
  }

  return {
    async start(owner, { persistent, userAgent, isDeleting = false }) {
      const createdAt = new Date().toISOString()
      const { id: userId, username, isAdmin } = owner
      // A failure ends no sign-in: the gateway records the user's requests as well.
      writeActivity(redis, new Map([[userId, Math.floor(Date.now() / 1000)]])).catch(() => {})
      return store({ userId, username, isAdmin, persistent, createdAt, userAgent, ...(isDeleting && { isDeleting }) })
    },
    async startLike(hash, changes = {}) {
      const session = await find(hash)
      return session && store({ ...session, ...changes })
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
    find,
    update,
    async updateAll(userId, changes) {
      const hashes = await redis.smembers(setKey(userId))
      const changed: boolean[] = []
      for (const some of chunks(hashes)) changed.push(...(await Promise.all(some.map((hash) => update(hash, changes)))))
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
