import { resolve } from 'node:path'
import { loadConfig, openNats, openRedis, runProcess, serve, startOps } from '@skyfolio/kit'
import { buildApp } from './app.ts'
import { settings } from './config.ts'
import { createFeatureStatus } from './feature-status.ts'
import { createLimits } from './limits/limits.ts'
import { shareLimits } from './limits/shared-limits.ts'
import { createLiveEvents } from './live/live-events.ts'
import { subscribeToHints } from './live/subscriptions.ts'
import { readLegalTexts } from './pages/legal-texts.ts'
import { createSessions } from './sessions/sessions.ts'

await runProcess('gateway', async (life) => {
  const config = loadConfig(settings, process.env)
  await startOps(life, { host: config.host, port: config.opsPort })

  // Neither Redis nor NATS is a readiness check: public pages and votes must work without them.
  const redis = openRedis(config.redisUrl, 'gateway', life.logger)
  life.defer('redis', () => redis.disconnect())
  const sessions = createSessions(redis)
  const live = createLiveEvents(config.streamsPerUser)
  const limits = createLimits(config)
  const [key = ''] = config.identityKeys
  life.defer('limits', shareLimits({ limits, redis, key, logger: life.logger }).stop)

  let nats: Awaited<ReturnType<typeof openNats>> | undefined
  const connecting = openNats(life, config, 'gateway').then((connection) => {
    nats = connection
    subscribeToHints(connection, live, sessions, life.logger)
  })
  connecting.catch((error) => life.logger.error({ err: error }, 'NATS connection failed'))

  const app = await buildApp({
    logger: life.logger,
    sessions,
    live,
    identityKeys: config.identityKeys,
    upstreams: {
      auth: config.authUrl,
      media: config.mediaUrl,
      folders: config.foldersUrl,
      'print-orders': config.printOrdersUrl,
    },
    publicOrigin: config.publicOrigin,
    allowedOrigins: config.allowedOrigins,
    trustedProxies: config.trustedProxies,
    limits,
    uploadLimits: config,
    features: createFeatureStatus(() => nats),
    legalTexts: await readLegalTexts(config),
    webRoot: resolve(config.webRoot),
  })
  await serve(life, app, config)
})
