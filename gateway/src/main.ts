import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { loadConfig, openNats, openRedis, runProcess, serve, startOps } from '@skyfolio/kit'
import { FIXED_UPLOAD_LIMITS } from '@skyfolio/proto'
import { buildApp } from './app.ts'
import { settings } from './config.ts'
import { createFeatureStatus } from './feature-status.ts'
import { createLimits } from './limits/limits.ts'
import { shareLimits } from './limits/token-buckets.ts'
import { createLiveEvents, subscribeToHints } from './live/live-events.ts'
import { readMapLayers } from './map-layers.ts'
import { readLegalTexts } from './routes/legal.ts'
import { recordActivity } from './sessions/activity.ts'
import { createSessions } from './sessions/sessions.ts'

const MB = 1024 * 1024
/** The built web application: at the same place in the repository and in the image. */
const WEB_ROOT = fileURLToPath(new URL('../../web/dist', import.meta.url))

// The objects of a request live until its service has responded. When a collection finds all of them alive, as soon happens at the
// start of a load, V8 creates such objects among the old ones from then on, where dead ones keep the objects of further requests
// alive: copying those took a fifth of the gateway's time, in pauses of 20 to 40 ms.
setFlagsFromString('--no-allocation-site-pretenuring')

await runProcess('gateway', async (life) => {
  const config = loadConfig(settings, process.env)
  const mapLayers = readMapLayers(config.mapLayers)
  await startOps(life, { host: config.host, port: config.opsPort })

  // Neither Redis nor NATS is a readiness check: public pages and votes must work without them.
  const redis = openRedis(config.redisUrl, 'gateway', life.logger)
  life.defer('redis', () => redis.disconnect())
  const sessions = createSessions(redis)
  const activity = recordActivity({ redis, logger: life.logger })
  life.defer('activity', activity.stop)
  const live = createLiveEvents()
  const limits = createLimits(config)
  const [key = ''] = config.identityKeys
  life.defer('limits', shareLimits({ buckets: limits.buckets, redis, key, logger: life.logger }).stop)

  let nats: Awaited<ReturnType<typeof openNats>> | undefined
  const connecting = openNats(life, config, 'gateway').then((connection) => {
    nats = connection
    subscribeToHints(connection, live, sessions, life.logger)
  })
  connecting.catch((error) => life.logger.error({ err: error }, 'NATS connection failed'))

  const app = await buildApp({
    logger: life.logger,
    sessions,
    activity,
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
    uploadLimits: { ...FIXED_UPLOAD_LIMITS, ...config },
    pictureCacheBytes: config.pictureCacheMegabytes * MB,
    publicStoreOrigin: config.s3PublicEndpoint ? new URL(config.s3PublicEndpoint).origin : null,
    mapLayers,
    accountDeletionDays: config.accountDeletionDays,
    features: createFeatureStatus(() => nats),
    legalTexts: await readLegalTexts(config),
    webRoot: WEB_ROOT,
  })
  await serve(life, app, config)
})
