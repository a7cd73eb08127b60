import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type App,
  batchRoute,
  buildServer,
  connectNats,
  createLogger,
  newSessionToken,
  openRedis,
  SESSION_SECONDS,
  type Session,
  sessionHash,
  sessionKey,
} from '@skyfolio/kit'
import { TEST_IDENTITY_KEYS, testDirectory, testServers } from '@skyfolio/testkit'
import Fastify, { type FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { buildApp, type Dependencies } from '../src/app.ts'
import { createLimits, type RateLimits } from '../src/limits/limits.ts'
import { shareLimits } from '../src/limits/shared-limits.ts'
import { listen } from '../src/live/hints.ts'
import { createLiveEvents } from '../src/live/live-events.ts'
import { createSessions } from '../src/sessions/sessions.ts'

export const origin = 'http://skyfolio.test'

export const uploadLimits = {
  filesPerUpload: 10,
  fileBytes: 26_214_400,
  largeFileBytes: 157_286_400,
  metadataFileBytes: 52_428_800,
  minWidth: 300,
  minHeight: 300,
  maxPixels: 300_000_000,
}

const noLimits = {
  requestsPerMinute: 1e6,
  votesPerMinuteOfAddress: 1e6,
  votesPerMinuteOfVoter: 1e6,
  loadTestVotesPerMinute: 1e6,
}

interface Options extends Partial<Pick<Dependencies, 'trustedProxies' | 'webRoot' | 'heartbeatMs' | 'rest'>> {
  /** Of all three services, unless `authUrl` names another for auth. */
  upstream: string
  authUrl?: string
  publicOrigin?: string
  /** What is not given is not limited. */
  rateLimits?: Partial<RateLimits>
  /** Gateways with the same key share their limits. */
  limitsKey?: string
  identityKeys?: string[]
  redisUrl?: string
  natsUrl?: string
  streamsPerUser?: number
}

/** The gateway on a port, on real Redis and NATS, in front of the given upstream. */
export async function startGateway(o: Options) {
  const logger = createLogger('gateway', 'silent')
  const redis = openRedis(o.redisUrl ?? testServers().redisUrl, 'gateway-test')
  const nats = await connectNats(o.natsUrl ?? testServers().natsUrl, 'gateway-test')
  const sessions = createSessions(redis)
  const live = createLiveEvents(o.streamsPerUser ?? 10)
  listen(nats, live, sessions, logger)
  const limits = createLimits({ ...noLimits, ...o.rateLimits })
  const shared = shareLimits({ limits, redis, key: o.limitsKey ?? randomUUID(), logger, everyMs: 50 })
  const app = await buildApp({
    logger,
    sessions,
    live,
    identityKeys: o.identityKeys ?? TEST_IDENTITY_KEYS,
    upstreams: { auth: o.authUrl ?? o.upstream, media: o.upstream, folders: o.upstream },
    publicOrigin: o.publicOrigin ?? origin,
    allowedOrigins: [],
    trustedProxies: o.trustedProxies ?? [],
    limits,
    uploadLimits,
    webRoot: o.webRoot ?? (await webRoot()),
    ...(o.heartbeatMs && { heartbeatMs: o.heartbeatMs }),
    ...(o.rest && { rest: o.rest }),
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  await nats.flush()

  return {
    app,
    url,
    nats,
    redis,
    /** A request as a page of the application sends it. */
    call: (path: string, init: RequestInit = {}): Promise<Answer> =>
      fetch(`${url}${path}`, { ...init, headers: { origin, ...(init.headers as Record<string, string>) } }),
    /** Begins a session in Redis. */
    async signIn(changes: Partial<Session> = {}) {
      const token = newSessionToken()
      const hash = sessionHash(token)
      const session = { userId: 1, username: 'pilot', isAdmin: false, persistent: true, createdAt: '', ...changes }
      await redis.set(sessionKey(hash), JSON.stringify(session), 'EX', SESSION_SECONDS)
      return { token, hash, cookie: `sid=${token}` }
    },
    async close() {
      await app.close()
      await shared.stop()
      redis.disconnect()
      await nats.close()
    },
  }
}

export type TestGateway = Awaited<ReturnType<typeof startGateway>>

/** An answer whose JSON needs no proof of its shape. */
export interface Answer extends Omit<Response, 'json'> {
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  json(): Promise<any>
}

export interface Upstream {
  app: FastifyInstance
  url: string
}

/** What a share page of the echo holds beyond the fold's measure: it comes on its own. */
const LARGE = 'x'.repeat(100_000)

/** The side of a service that takes votes and share pages in folds; each is answered with what was sent. */
async function foldEcho(): Promise<App> {
  const app = await buildServer({
    name: 'echo',
    logger: createLogger('echo', 'silent'),
    identityKeys: TEST_IDENTITY_KEYS,
  })
  const [params, body] = [Type.Object({ id: Type.String() }), Type.Unknown()]
  batchRoute(app, TEST_IDENTITY_KEYS, {
    method: 'POST',
    url: '/api/photos/:id/rank',
    config: { access: 'public' },
    schema: { summary: 'Echo', params, body, response: { 200: Type.Unknown() } },
    handler: async ({ id, ...item }) => ({ body: { ...item, requestId: id }, headers: { 'x-echo': 'fold' } }),
  })
  batchRoute(app, TEST_IDENTITY_KEYS, {
    method: 'GET',
    url: '/api/share/:shareCode',
    config: { access: 'public' },
    schema: { summary: 'Echo', params: Type.Object({ shareCode: Type.String() }), response: { 200: Type.Unknown() } },
    async handler({ id, ...item }) {
      const echo = JSON.stringify({ ...item, requestId: id, ...(item.params.shareCode === 'large' && { LARGE }) })
      const loose = { 'content-security-policy': '*', 'x-request-id': 'of the service' }
      const headers = { ...loose, etag: '"e1"', 'cache-control': 'private, no-cache', 'x-echo': 'fold' }
      if (item.headers['if-none-match'] === '"e1"') return { status: 304, bytes: [], headers }
      return { status: 200, bytes: [Buffer.from(echo)], headers: { ...headers, 'content-type': 'application/json' } }
    },
  })
  return app
}

/** A real service that tells what it was sent. */
export async function startEcho(add: (app: FastifyInstance) => void = () => {}, port = 0): Promise<Upstream> {
  const app = Fastify({ forceCloseConnections: true, bodyLimit: 1e9 })
  const folds = await foldEcho()
  app.addHook('onRequest', async (request, reply) => {
    if (!request.url.startsWith('/internal/')) return
    const payload = await request.raw.toArray()
    const { url, headers } = request
    const answer = await folds.inject({ method: 'POST', url, headers, payload: Buffer.concat(payload) })
    return reply.code(answer.statusCode).type(`${answer.headers['content-type']}`).send(answer.rawPayload)
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  add(app)
  app.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url: '/*',
    handler: async (request) => {
      const chunks: Buffer[] = []
      for await (const chunk of (request.body as AsyncIterable<Buffer> | undefined) ?? []) chunks.push(chunk)
      const body = Buffer.concat(chunks).toString()
      return { method: request.method, url: request.url, headers: request.headers, body }
    },
  })
  return { app, url: await app.listen({ port, host: '127.0.0.1' }) }
}

/** A built web application, small. */
export async function webRoot(): Promise<string> {
  const folder = await mkdtemp(join(testDirectory(), 'web-'))
  await mkdir(join(folder, 'assets'))
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Skyfolio</title><div id="root"></div>')
  await writeFile(join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  await writeFile(join(folder, 'assets/app-1a2b3c.js'), 'console.log("the application")')
  await writeFile(join(folder, 'assets/app-1a2b3c.js.br'), 'compressed with brotli')
  return folder
}
