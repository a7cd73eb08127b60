import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type App,
  batchRoute,
  buildServer,
  connectNats,
  createLogger,
  loadConfig,
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
import { type AppDeps, buildApp } from '../src/app.ts'
import { settings } from '../src/config.ts'
import { createFeatureStatus } from '../src/feature-status.ts'
import { createLimits, type RateLimits } from '../src/limits/limits.ts'
import { shareLimits } from '../src/limits/token-buckets.ts'
import { createLiveEvents, subscribeToHints } from '../src/live/live-events.ts'
import { readLegalTexts } from '../src/routes/legal.ts'
import { recordActivity } from '../src/sessions/activity.ts'
import { createSessions } from '../src/sessions/sessions.ts'

export const ORIGIN = 'http://skyfolio.test'

export const UPLOAD_LIMITS = {
  filesPerUpload: 10,
  fileBytes: 26_214_400,
  largeFileBytes: 157_286_400,
  metadataFileBytes: 52_428_800,
  minWidth: 300,
  minHeight: 300,
  maxPixels: 300_000_000,
}

export const NO_LIMITS = {
  requestsPerMinute: 1e6,
  pagesPerMinuteOfAddress: 1e6,
  votesPerMinuteOfAddress: 1e6,
  votesPerMinuteOfVoter: 1e6,
  loadTestVotesPerMinute: 1e6,
}

/** The rate limits without any configuration. */
export function shippedLimits(): RateLimits {
  const { requestsPerMinute, pagesPerMinuteOfAddress, votesPerMinuteOfAddress, votesPerMinuteOfVoter } = settings
  const limits = { requestsPerMinute, pagesPerMinuteOfAddress, votesPerMinuteOfAddress, votesPerMinuteOfVoter }
  return loadConfig(limits, {})
}

interface GatewayOptions
  extends Partial<
    Pick<
      AppDeps,
      | 'trustedProxies'
      | 'publicStoreOrigin'
      | 'mapLayers'
      | 'webRoot'
      | 'heartbeatMs'
      | 'discardLimits'
      | 'clientLimits'
    >
  > {
  /** URL of all services, unless `authUrl` or `mediaUrl` names another for theirs. */
  upstream: string
  authUrl?: string
  mediaUrl?: string
  publicOrigin?: string
  /** Limits that are not given are practically infinite. */
  rateLimits?: Partial<RateLimits>
  /** Gateways with the same key share their limits. */
  limitsKey?: string
  identityKeys?: string[]
  redisUrl?: string
  /** Another Redis for the activity of users. */
  activityRedisUrl?: string
  natsUrl?: string
  streamsPerUser?: number
  maxStreams?: number
  pictureCacheBytes?: number
  /** Receives the lines of the log. */
  logTo?: (line: string) => void
}

/** Starts the gateway on a port, with real Redis and NATS, in front of the given upstream. */
export async function startGateway(options: GatewayOptions) {
  const { logTo } = options
  const logger = logTo ? createLogger('gateway', 'warn', { write: logTo }) : createLogger('gateway', 'silent')
  const redis = openRedis(options.redisUrl ?? testServers().redisUrl, 'gateway-test')
  const nats = await connectNats(options.natsUrl ?? testServers().natsUrl, 'gateway-test')
  const sessions = createSessions(redis)
  const activityRedis = options.activityRedisUrl ? openRedis(options.activityRedisUrl, 'gateway-activity') : redis
  const activity = recordActivity({ redis: activityRedis, logger, intervalMs: 20 })
  const live = createLiveEvents(options)
  subscribeToHints(nats, live, sessions, logger)
  const limits = createLimits({ ...NO_LIMITS, ...options.rateLimits })
  const sharing = shareLimits({
    buckets: limits.buckets,
    redis,
    key: options.limitsKey ?? randomUUID(),
    logger,
    intervalMs: 50,
  })
  const app = await buildApp({
    logger,
    sessions,
    activity,
    live,
    identityKeys: options.identityKeys ?? TEST_IDENTITY_KEYS,
    upstreams: {
      auth: options.authUrl ?? options.upstream,
      media: options.mediaUrl ?? options.upstream,
      folders: options.upstream,
      'print-orders': options.upstream,
    },
    publicOrigin: options.publicOrigin ?? ORIGIN,
    allowedOrigins: [],
    trustedProxies: options.trustedProxies ?? [],
    limits,
    uploadLimits: UPLOAD_LIMITS,
    pictureCacheBytes: options.pictureCacheBytes ?? 0,
    publicStoreOrigin: options.publicStoreOrigin ?? null,
    mapLayers: options.mapLayers ?? [],
    accountDeletionDays: 7,
    features: createFeatureStatus(() => nats),
    legalTexts: await readLegalTexts({}),
    webRoot: options.webRoot ?? (await createWebRoot()),
    ...(options.heartbeatMs && { heartbeatMs: options.heartbeatMs }),
    ...(options.discardLimits && { discardLimits: options.discardLimits }),
    ...(options.clientLimits && { clientLimits: options.clientLimits }),
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  await nats.flush()

  return {
    app,
    url,
    nats,
    redis,
    limits,
    /** Sends a request as a page of the application does. */
    call: (path: string, init: RequestInit = {}): Promise<JsonResponse> =>
      fetch(`${url}${path}`, { ...init, headers: { origin: ORIGIN, ...(init.headers as Record<string, string>) } }),
    /** Creates a session in Redis. */
    async signIn(changes: Partial<Session> = {}) {
      const token = newSessionToken()
      const hash = sessionHash(token)
      const session = { userId: 1, username: 'pilot', isAdmin: false, persistent: true, createdAt: '', ...changes }
      await redis.set(sessionKey(hash), JSON.stringify(session), 'EX', SESSION_SECONDS)
      return { token, hash, cookie: `sid=${token}` }
    },
    async close() {
      await app.close()
      await sharing.stop()
      await activity.stop()
      activityRedis.disconnect()
      redis.disconnect()
      await nats.close()
    },
  }
}

export type TestGateway = Awaited<ReturnType<typeof startGateway>>

/** A response whose JSON is not type-checked. */
export interface JsonResponse extends Omit<Response, 'json'> {
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its response
  json(): Promise<any>
}

export interface Upstream {
  app: FastifyInstance
  url: string
}

/** Makes a share page of the echo too large for a request batch. */
const LARGE_TEXT = 'x'.repeat(100_000)

/** Receives votes and share pages in request batches, and returns each request as its response. */
async function startBatchEcho(): Promise<App> {
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
    handler: async ({ id, ...item }) => ({ body: { ...item, requestId: id }, headers: { 'x-echo': 'batch' } }),
  })
  batchRoute(app, TEST_IDENTITY_KEYS, {
    method: 'GET',
    url: '/api/share/:shareCode',
    config: { access: 'public' },
    schema: { summary: 'Echo', params: Type.Object({ shareCode: Type.String() }), response: { 200: Type.Unknown() } },
    async handler({ id, ...item }) {
      const echo = JSON.stringify({ ...item, requestId: id, ...(item.params.shareCode === 'large' && { LARGE_TEXT }) })
      const loose = { 'content-security-policy': '*', 'x-request-id': 'of the service' }
      const kept = { etag: '"e1"', 'cache-control': 'private, no-cache', 'set-cookie': ['voter=v2', 'links=l2'] }
      const headers = { ...loose, ...kept, 'x-echo': 'batch' }
      if (item.headers['if-none-match'] === '"e1"') return { status: 304, bytes: [], headers }
      return { status: 200, bytes: [Buffer.from(echo)], headers: { ...headers, 'content-type': 'application/json' } }
    },
  })
  return app
}

/** Starts a real service that returns each request as its response. */
export async function startEcho(add: (app: FastifyInstance) => void = () => {}, port = 0): Promise<Upstream> {
  const app = Fastify({ forceCloseConnections: true, bodyLimit: 1e9 })
  const batchEcho = await startBatchEcho()
  app.addHook('onRequest', async (request, reply) => {
    if (!request.url.startsWith('/internal/')) return
    const payload = await request.raw.toArray()
    const { url, headers } = request
    const response = await batchEcho.inject({ method: 'POST', url, headers, payload: Buffer.concat(payload) })
    return reply.code(response.statusCode).type(`${response.headers['content-type']}`).send(response.rawPayload)
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

const MANIFEST = {
  'index.html': { file: 'assets/start-1.js', name: 'index', isEntry: true },
  '_application.js': { file: 'assets/application-1.js', name: 'application', imports: ['index.html', '_controls.js'] },
  '_controls.js': { file: 'assets/controls-1.js', name: 'controls' },
  'src/auth-page.tsx': { file: 'assets/auth-1.js', name: 'auth-page', imports: ['_application.js'] },
}

/** Creates a small built web application. */
export async function createWebRoot(): Promise<string> {
  const directory = await mkdtemp(join(testDirectory(), 'web-'))
  await mkdir(join(directory, 'assets'))
  await writeFile(
    join(directory, 'index.html'),
    '<!doctype html><html lang="en"><title>Skyfolio</title><div id="root"></div><script src="/assets/start-1.js"></script>',
  )
  await mkdir(join(directory, '.vite'))
  await writeFile(join(directory, '.vite/manifest.json'), JSON.stringify(MANIFEST))
  await writeFile(join(directory, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  await writeFile(join(directory, 'assets/app-1a2b3c.js'), 'console.log("the application")')
  await writeFile(join(directory, 'assets/app-1a2b3c.js.br'), 'compressed with brotli')
  return directory
}
