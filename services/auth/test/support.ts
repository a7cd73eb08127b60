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
import { createRateLimits, type RateLimitOptions } from '../src/accounts/rate-limits.ts'
import { buildApp } from '../src/app.ts'
import { PrismaClient } from '../src/generated/client.ts'
import { createSessions } from '../src/sessions/sessions.ts'

export const PASSWORD = 'correct horse'

interface Options {
  limits?: Partial<RateLimitOptions>
  redisUrl?: string
  databaseUrl?: string
  secureCookies?: boolean
}

interface Call {
  identity?: Partial<Identity>
  headers?: Record<string, string>
}

/** The auth service on real servers, called like by the gateway. */
export async function startAuth(options: Options = {}) {
  const database = options.databaseUrl ? null : await createTestDatabase('auth')
  const pool = openPool(options.databaseUrl ?? database?.url ?? '')
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
  const redis = openRedis(options.redisUrl ?? testServers().redisUrl, 'auth-test')
  const nats = await connectNats(testServers().natsUrl, 'auth-test')
  const limits = {
    loginFailuresPerAccount: 10,
    loginFailuresPerAddress: 50,
    registrationsPerHour: 1000,
    ...options.limits,
  }
  const passwords = await createPasswords({ concurrency: 2, waiting: 100 })
  const app = await buildApp({
    logger: createLogger('auth', 'silent'),
    identityKeys: TEST_IDENTITY_KEYS,
    accounts: createAccounts({ prisma, passwords, rateLimits: createRateLimits(redis, limits) }),
    sessions: createSessions(redis, nats),
    secureCookies: options.secureCookies ?? false,
  })
  // The rate limits of all tests share a Redis, so every test service has its own client address.
  const address = randomAddress()

  return {
    app,
    prisma,
    redis,
    nats,
    databaseUrl: options.databaseUrl ?? database?.url ?? '',
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
    /** The session in Redis that belongs to a Set-Cookie header. */
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
