import { randomInt } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import {
  connectNats,
  createLifetime,
  createLogger,
  ensureStreams,
  type Identity,
  loadConfig,
  metrics,
  openObjectStore,
  openPool,
  openRedis,
  type Session,
  sessionHash,
  sessionKey,
} from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import {
  createTestDatabase,
  identityHeaders,
  startNats,
  startRedis,
  TEST_IDENTITY_KEYS,
  testDirectory,
} from '@skyfolio/testkit'
import { settings, workerSettings } from '../src/config.ts'
import { openDatabase } from '../src/database.ts'
import { startAuth as startService } from '../src/service.ts'
import { startWorkerTasks } from '../src/worker-tasks.ts'

export const PASSWORD = 'correct horse'
export const ORIGIN = 'http://skyfolio.test'

export interface AuthOptions {
  /** Settings of the service and its worker that differ from those of the tests, as their environment. */
  settings?: Record<string, string>
  /** Limits that are no settings. */
  limits?: Parameters<typeof startService>[3]
  /** Servers of the caller instead of own ones. */
  redisUrl?: string
  natsUrl?: string
  databaseUrl?: string
}

interface Call {
  identity?: Partial<Identity>
  headers?: Record<string, string>
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * The auth service on real servers, called like by the gateway. Redis and NATS are its own: other tests have users with the
 * same ids, whose sessions, jobs and events must not meet.
 */
export async function startAuth(options: AuthOptions = {}) {
  const database = options.databaseUrl ? null : await createTestDatabase('auth')
  const redisServer = options.redisUrl ? null : await startRedis()
  const natsServer = options.natsUrl ? null : await startNats()
  const databaseUrl = options.databaseUrl ?? database?.url ?? ''
  const redisUrl = options.redisUrl ?? redisServer?.url ?? ''
  const natsUrl = options.natsUrl ?? natsServer?.url ?? ''
  const objectsDir = await mkdtemp(join(testDirectory(), 'objects-'))
  const environment = (more: Record<string, string> = {}) => ({
    PORT: '0',
    OPS_PORT: '0',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    NATS_URL: natsUrl,
    IDENTITY_KEYS: TEST_IDENTITY_KEYS.join(','),
    PUBLIC_ORIGIN: ORIGIN,
    REGISTRATIONS_PER_HOUR: '1000',
    OBJECT_STORE_DIR: objectsDir,
    ...options.settings,
    ...more,
  })

  const life = createLifetime(createLogger('auth', 'silent'))
  const pool = openPool(databaseUrl)
  life.defer('database', () => pool.end())
  const redis = openRedis(redisUrl, 'auth-test')
  life.defer('redis', () => redis.disconnect())
  const nats = await connectNats(natsUrl, 'auth-test')
  life.defer('nats', () => nats.close())
  await ensureStreams(nats, events)
  const app = await startService(life, { pool, nats, redis }, loadConfig(settings, environment()), options.limits)
  life.defer('http', () => app.close())
  // An address of its own, since the rate limits are counted by it.
  const address = randomAddress()

  function call(method: Method, url: string, body?: object, { identity, headers }: Call = {}) {
    return app.inject({
      method,
      url,
      ...(body && { payload: body }),
      headers: { ...identityHeaders({ address, ...identity }), ...headers },
    })
  }

  /** The session in Redis that belongs to a Set-Cookie header. */
  async function sessionOf(setCookie: unknown): Promise<(Session & { hash: string }) | null> {
    const token = /^sid=([^;]+)/.exec(String(setCookie))?.[1] ?? ''
    const text = await redis.get(sessionKey(sessionHash(token)))
    return text === null ? null : { ...JSON.parse(text), hash: sessionHash(token) }
  }

  /** A browser in which a response with a Set-Cookie header has signed a user in. */
  async function signedIn(setCookie: unknown) {
    const session = await sessionOf(setCookie)
    if (!session) throw new Error('not logged in')
    const identity: Partial<Identity> = {
      userId: session.userId,
      username: session.username,
      isAdmin: session.isAdmin,
      sessionHash: session.hash,
    }
    return {
      userId: session.userId,
      session,
      identity,
      call: (method: Method, url: string, body?: object, more: Call = {}) =>
        call(method, url, body, { ...more, identity: { ...identity, ...more.identity } }),
    }
  }

  return {
    app,
    db: openDatabase(pool),
    pool,
    redis,
    nats,
    databaseUrl,
    redisUrl,
    natsUrl,
    environment,
    call,
    post: (url: string, body?: object, more: Call = {}) => call('POST', url, body, more),
    user: (more: Call = {}) => call('GET', '/api/user', undefined, more),
    visitor: identityHeaders({ address }),
    sessionOf,
    signedIn,
    /** Registers a user; returns the browser that is signed in. */
    async register(username: string, changes: Record<string, unknown> = {}) {
      const response = await call('POST', '/api/register', form(username, changes))
      if (response.statusCode !== 201) throw new Error(`not registered: ${response.body}`)
      return signedIn(response.headers['set-cookie'])
    },
    /** Signs a user in with another browser. */
    async signIn(username: string, password = PASSWORD, more: Call = {}) {
      const response = await call('POST', '/api/login', { username, password }, more)
      if (response.statusCode !== 200) throw new Error(`not logged in: ${response.body}`)
      return signedIn(response.headers['set-cookie'])
    },
    /** One more worker; it ends with the service unless it is stopped. */
    async startWorker(more: Record<string, string> = {}) {
      const workerLife = createLifetime(createLogger('auth-worker', 'silent'))
      const config = loadConfig(workerSettings, environment(more))
      const store = await openObjectStore(config)
      await startWorkerTasks(workerLife, { pool, nats, redis, store }, config)
      life.defer('worker', () => workerLife.close())
      return { stop: () => workerLife.close() }
    },
    async close() {
      await life.close()
      await Promise.all([redisServer?.stop(), natsServer?.stop()])
      await database?.drop()
    },
  }
}

export type TestAuth = Awaited<ReturnType<typeof startAuth>>
export type Browser = Awaited<ReturnType<TestAuth['register']>>

/** A valid registration form. */
export function form(username: string, changes: Record<string, unknown> = {}) {
  return { username, password: PASSWORD, confirmPassword: PASSWORD, ...changes }
}

/** An IPv4 address that hardly any other test uses. */
export function randomAddress(): string {
  return `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`
}

/** Passwords that this process has verified with argon2id. */
export async function countPasswordChecks(): Promise<number> {
  const { values } = await metrics.counter('skyfolio_password_checks_total', '').get()
  return values[0]?.value ?? 0
}
