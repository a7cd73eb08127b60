import { randomInt } from 'node:crypto'
import { PrismaPg } from '@prisma/adapter-pg'
import {
  connectNats,
  createLogger,
  type Identity,
  metrics,
  openPool,
  openRedis,
  type Session,
  sessionHash,
  sessionKey,
} from '@skyfolio/kit'
import { createTestDatabase, identityHeaders, TEST_IDENTITY_KEYS, testServers } from '@skyfolio/testkit'
import { createAccounts } from '../src/accounts/accounts.ts'
import { createPasswords } from '../src/accounts/passwords.ts'
import { buildApp } from '../src/app.ts'
import { PrismaClient } from '../src/generated/client.ts'
import { createSessions } from '../src/sessions/sessions.ts'
import { createThrottle, type ThrottleLimits } from '../src/sessions/throttle.ts'

export const password = 'correct horse'

interface Options {
  limits?: Partial<ThrottleLimits>
  redisUrl?: string
  databaseUrl?: string
  secureCookies?: boolean
}

interface Call {
  identity?: Partial<Identity>
  headers?: Record<string, string>
}

/** The auth service on real servers, called as the gateway would call it. */
export async function startAuth(o: Options = {}) {
  const database = o.databaseUrl ? null : await createTestDatabase('auth')
  const pool = openPool(o.databaseUrl ?? database?.url ?? '')
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
  const redis = openRedis(o.redisUrl ?? testServers().redisUrl, 'auth-test')
  const nats = await connectNats(testServers().natsUrl, 'auth-test')
  const limits = { loginFailuresPerAccount: 10, loginFailuresPerAddress: 50, registrationsPerHour: 1000, ...o.limits }
  const app = await buildApp({
    logger: createLogger('auth', 'silent'),
    identityKeys: TEST_IDENTITY_KEYS,
    accounts: createAccounts(
      prisma,
      await createPasswords({ concurrency: 2, waiting: 100 }),
      createThrottle(redis, limits),
    ),
    sessions: createSessions(redis, nats),
    secureCookies: o.secureCookies ?? false,
  })
  // The limits of other tests count in the same Redis: every test service has callers of its own.
  const address = anyAddress()

  return {
    app,
    prisma,
    redis,
    nats,
    databaseUrl: o.databaseUrl ?? database?.url ?? '',
    post: (url: string, body?: object, call: Call = {}) =>
      app.inject({
        method: 'POST',
        url,
        ...(body && { payload: body }),
        headers: { ...identityHeaders({ address, ...call.identity }), ...call.headers },
      }),
    user: (call: Call = {}) =>
      app.inject({ method: 'GET', url: '/api/user', headers: { ...identityHeaders(call.identity), ...call.headers } }),
    visitor: identityHeaders({ address }),
    /** The session in Redis that a Set-Cookie header began. */
    async sessionOf(setCookie: unknown): Promise<(Session & { hash: string }) | null> {
      const token = /^sid=([^;]+)/.exec(String(setCookie))?.[1] ?? ''
      const text = await redis.get(sessionKey(sessionHash(token)))
      return text === null ? null : { ...JSON.parse(text), hash: sessionHash(token) }
    },
    async close() {
      await app.close()
      await nats.close()
      redis.disconnect()
      await pool.end()
      await database?.drop()
    },
  }
}

export type TestAuth = Awaited<ReturnType<typeof startAuth>>

/** A registration form that satisfies every rule. */
export function form(username: string, changes: Record<string, unknown> = {}) {
  return { username, password, confirmPassword: password, ...changes }
}

/** An IPv4 address that no other test is likely to use. */
export function anyAddress(): string {
  return `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`
}

/** How many passwords this process has verified with argon2id. */
export async function passwordChecks(): Promise<number> {
  const { values } = await metrics.counter('skyfolio_password_checks_total', '').get()
  return values[0]?.value ?? 0
}
