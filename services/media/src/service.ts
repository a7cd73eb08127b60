import {
  type App,
  type Config,
  createLinkCookies,
  createPublicNames,
  createViewAudit,
  type Lifetime,
  type MinimumRateOptions,
  type ObjectStore,
  openRedis,
  repeat,
  serveRequests,
  startConsumer,
  startRelay,
} from '@skyfolio/kit'
import { baseMapStatus, events, FIXED_UPLOAD_LIMITS, printImageCheck, printImagePrepare } from '@skyfolio/proto'
import type pg from 'pg'
import { buildApp } from './app.ts'
import { openBaseMap, WORLD_FILE } from './base-map/base-map.ts'
import { createFileCleaner } from './clean-files/clean-files.ts'
import type { apiSettings } from './config.ts'
import { openDatabase } from './database.ts'
import { createDownloadTickets, createSharedDownloadTickets } from './downloads/tickets.ts'
import { folderHandlers, userHandlers } from './events.ts'
import { createEnqueue, type Enqueue, openQueues } from './jobs/queues.ts'
import { createUploadLimiter, createUploadShares, type ShareOptions, UPLOAD_STREAMS } from './limits.ts'
import { detachFromDeletedFolders } from './photos/placement.ts'
import { createCards } from './pictures/cards.ts'
import { createPicturePhotos } from './pictures/picture-photos.ts'
import { createPictures } from './pictures/pictures.ts'
import { openPlacesLazily } from './places/places.ts'
import { createPrintImageNames } from './print-images/names.ts'
import { checkPrintImages, preparePrintImages } from './print-images/prepare.ts'
import { createFolders, type Nats } from './projection/folders.ts'
import { SESSION_LIMITS, type SessionLimits } from './upload-sessions/declared-files.ts'
import { createRecentEnds } from './uploads/inspect-stored.ts'
import { publishUsage } from './usage/publish-usage.ts'

interface Connections {
  pool: pg.Pool
  nats: Nats
  store: ObjectStore
}

const MB = 1024 * 1024
/** What changes meanwhile is one event. Pages read their numbers again 600 ms after a change. */
const USAGE_SECONDS = 0.4
/** Long enough for a phone that changes its network, and slower than any connection over which people send photos. */
const MINIMUM_RATE: MinimumRateOptions = { stallMs: 20_000, minRate: 4_096 }

/** Limits and times that tests change. */
export interface MediaOptions extends Partial<MinimumRateOptions> {
  sessionLimits?: Partial<SessionLimits>
  streams?: { total: number; perUser: number }
  shares?: ShareOptions
}

/** Starts the background work of the API and returns its app. */
export async function startMedia(
  life: Lifetime,
  { pool, nats, store }: Connections,
  config: Omit<Config<typeof apiSettings>, 'host' | 'port' | 'opsPort'>,
  options: MediaOptions = {},
): Promise<App> {
  const { logger } = life
  const db = openDatabase(pool)
  const relay = startRelay({ pool, nats, logger })
  life.defer('relay', () => relay.stop())
  const publishing = async () => {
    if ((await publishUsage(db)) > 0) relay.wake()
  }
  life.defer('usage', repeat('usage', USAGE_SECONDS, publishing, logger))
  const queues = openQueues(life, config.redisUrl)
  const addJobs = createEnqueue(life, db, queues)
  const enqueue: Enqueue = (kind, rows) => {
    relay.wake()
    addJobs(kind, rows)
  }
  const redis = openRedis(config.redisUrl, 'media', logger)
  life.defer('redis', () => redis.disconnect())

  const consuming = { nats, logger, db }
  const consumer = await startConsumer({
    ...consuming,
    durable: 'media-folders',
    handlers: folderHandlers,
    afterCommit() {
      detachFromDeletedFolders(db).then(relay.wake, (error) => {
        logger.warn({ err: error }, 'detaching photos from deleted folders failed, left to the worker')
      })
    },
  })
  life.defer('consumer', () => consumer.stop())

  const users = await startConsumer({ ...consuming, durable: 'media-users', handlers: userHandlers })
  life.defer('consumer of users', () => users.stop())

  const printImages = { db, enqueue, printImageNames: createPrintImageNames(config.printImageKeys) }
  const { baseMapFile: world = WORLD_FILE, baseMapDetailFile: detail } = config
  const baseMap = openBaseMap({ world, detail, store, logger })
  life.defer('base map', () => baseMap.close())

  const servers = {
    'base map status': serveRequests(nats, baseMapStatus, baseMap.describe, logger),
    'print image preparation': serveRequests(
      nats,
      printImagePrepare,
      (one) => preparePrintImages(printImages, one),
      logger,
    ),
    'print image check': serveRequests(nats, printImageCheck, (one) => checkPrintImages(printImages, one), logger),
  }
  for (const [name, server] of Object.entries(servers)) life.defer(name, () => server.stop())

  const folders = createFolders(db, nats)
  const linkCookies = createLinkCookies(config.linkKeys, config.publicOrigin.startsWith('https:'))
  const viewAudit = createViewAudit({
    topic: events.mediaAuditRecorded,
    db,
    afterCommit: relay.wake,
  })

  const streams = options.streams ?? UPLOAD_STREAMS
  return buildApp({
    ...printImages,
    publicOrigin: config.publicOrigin,
    logger,
    identityKeys: config.identityKeys,
    db,
    pool,
    store,
    folders,
    viewAudit,
    pictures: createPictures({
      photos: createPicturePhotos(pool),
      folders,
      viewAudit,
      publicNames: createPublicNames(config.linkKeys),
      linkCookies,
    }),
    cards: createCards(store),
    places: openPlacesLazily(),
    baseMap,
    relay,
    uploadLimiter: createUploadLimiter(streams.total, streams.perUser),
    uploadShares: createUploadShares(redis, options.shares),
    downloadTickets: createDownloadTickets(redis),
    sharedDownloadTickets: createSharedDownloadTickets(redis),
    linkCookies,
    fileCleaner: createFileCleaner({ db, store }),
    recentEnds: createRecentEnds(),
    sessionLimits: { ...SESSION_LIMITS, ...options.sessionLimits },
    limits: { ...FIXED_UPLOAD_LIMITS, ...config },
    defaultQuota: config.userQuotaMegabytes === undefined ? null : config.userQuotaMegabytes * MB,
    stallMs: options.stallMs ?? MINIMUM_RATE.stallMs,
    minRate: options.minRate ?? MINIMUM_RATE.minRate,
    queues,
  })
}
