import {
  type App,
  type Config,
  createLinkCookie,
  createPublicNames,
  createViewAudit,
  type Lifetime,
  type ObjectStore,
  openRedis,
  serveRequests,
  startConsumer,
  startRelay,
} from '@skyfolio/kit'
import { baseMapStatus, events, printImageCheck, printImagePrepare } from '@skyfolio/proto'
import type pg from 'pg'
import { buildApp } from './app.ts'
import { type BaseMap, MAP_MAX_ZOOM, openBaseMap } from './base-map/map-file.ts'
import type { apiSettings } from './config.ts'
import { type Database, openDatabase } from './database.ts'
import { createDownloadTickets } from './downloads/tickets.ts'
import { folderHandlers, userHandlers } from './events.ts'
import { detachFromDeletedFolders } from './photos/detach-from-deleted-folders.ts'
import { createPicturePhotos } from './pictures/picture-photos.ts'
import { createPictures } from './pictures/pictures.ts'
import { openPlacesLazily } from './places/places.ts'
import { checkPrintImages } from './print-images/check.ts'
import { enqueuePrintImage, openPrintQueue } from './print-images/jobs.ts'
import { createPrintImageNames } from './print-images/names.ts'
import { type PrintImagesDeps, preparePrintImages } from './print-images/prepare.ts'
import { enqueuePhoto, openPhotoQueue } from './processing/jobs.ts'
import { createFolders, type Nats } from './projection/folders.ts'
import { createSessionParts } from './upload-sessions/find-part.ts'
import { createUploadLimiter } from './uploads/upload-limiter.ts'
import { createUploadShares } from './uploads/upload-shares.ts'
import { startUsagePublisher } from './usage/publish-usage.ts'

interface Connections {
  pool: pg.Pool
  nats: Nats
  store: ObjectStore
}

type PrintImageSettings = Pick<
  Config<typeof apiSettings>,
  'redisUrl' | 'linkKeys' | 'printImageKeys' | 'printImageHours' | 'printImagesPerUser' | 'printImageMegabytesPerUser'
>

const HOUR_MS = 3_600_000
const MB = 1024 * 1024

/** Starts the background work of the API and returns its app. */
export async function startMedia(
  life: Lifetime,
  { pool, nats, store }: Connections,
  config: Omit<Config<typeof apiSettings>, 'host' | 'port' | 'opsPort'>,
): Promise<App> {
  const { logger } = life
  const db = openDatabase(pool)
  const relay = startRelay({ pool, nats, logger })
  life.defer('relay', () => relay.stop())
  const usage = startUsagePublisher({ pool, logger, afterCommit: relay.wake })
  life.defer('usage', () => usage.stop())
  const wake = () => {
    relay.wake()
    usage.wake()
  }
  const queue = openPhotoQueue(config.redisUrl, logger)
  life.defer('queue', () => queue.close())
  const redis = openRedis(config.redisUrl, 'media', logger)
  life.defer('redis', () => redis.disconnect())

  const consumer = await startConsumer({
    nats,
    durable: 'media-folders',
    handlers: folderHandlers,
    transaction: (work) => db.$transaction(work),
    logger,
    afterCommit() {
      detachFromDeletedFolders(db).then(wake, (error) => {
        logger.warn({ err: error }, 'detaching photos from deleted folders failed, left to the worker')
      })
    },
  })
  life.defer('consumer', () => consumer.stop())

  const users = await startConsumer({
    nats,
    durable: 'media-users',
    handlers: userHandlers,
    transaction: (work) => db.$transaction(work),
    logger,
  })
  life.defer('consumer of users', () => users.stop())

  const printImages = openPrintImages(life, db, config)
  servePrintImageRequests(life, nats, printImages)

  const baseMap = openBaseMap(config.baseMapFile)
  life.defer('base map', () => baseMap.close())
  serveBaseMapRequests(life, nats, baseMap)

  const folders = createFolders(db, nats)
  const viewAudit = createViewAudit({
    topic: events.mediaAuditRecorded,
    transaction: (work) => db.$transaction(work),
    afterCommit: relay.wake,
  })

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
      linkCookie: createLinkCookie(config.linkKeys, config.publicOrigin.startsWith('https:')),
    }),
    places: openPlacesLazily(config.placesFile),
    baseMap,
    relay: { wake },
    uploadLimiter: createUploadLimiter(config.uploadStreams, config.uploadStreamsPerUser),
    uploadShares: createUploadShares(redis, {
      openPerUser: config.uploadsPerUser,
      photosPerMinute: config.photosPerMinute,
    }),
    downloadTickets: createDownloadTickets(redis),
    sessionParts: createSessionParts(pool),
    sessionLimits: {
      sessionsPerUser: config.uploadSessionsPerUser,
      bytesPerUser: config.uploadSessionMegabytesPerUser * MB,
      hours: config.uploadSessionHours,
    },
    limits: config,
    defaultQuota: config.userQuotaMegabytes === undefined ? null : config.userQuotaMegabytes * MB,
    stallMs: config.uploadStallSeconds * 1000,
    minRate: config.uploadMinRate,
    enqueuePhotos(photos) {
      wake()
      // Without Redis the photos wait for the worker's scan.
      for (const photo of photos) {
        enqueuePhoto(queue, photo).catch((error) => {
          logger.warn({ err: error }, 'photo job not created, left to the worker')
        })
      }
    },
  })
}

function openPrintImages(life: Lifetime, db: Database, config: PrintImageSettings): PrintImagesDeps {
  const { logger } = life
  const queue = openPrintQueue(config.redisUrl, logger)
  life.defer('print queue', () => queue.close())
  return {
    db,
    printImageNames: createPrintImageNames(config.printImageKeys),
    printLimits: {
      lifetimeMs: config.printImageHours * HOUR_MS,
      imagesPerUser: config.printImagesPerUser,
      bytesPerUser: config.printImageMegabytesPerUser * MB,
    },
    enqueuePrintImages(images) {
      // Without Redis the images wait for the worker's scan.
      for (const image of images) {
        enqueuePrintImage(queue, image).catch((error) => {
          logger.warn({ err: error }, 'print image job not created, left to the worker')
        })
      }
    },
  }
}

function serveBaseMapRequests({ logger, defer }: Lifetime, nats: Nats, baseMap: BaseMap): void {
  const describe = async () => ({ version: await baseMap.version(), maxZoom: MAP_MAX_ZOOM })
  const describing = serveRequests(nats, baseMapStatus, describe, logger)
  defer('base map status', () => describing.stop())
}

function servePrintImageRequests({ logger, defer }: Lifetime, nats: Nats, deps: PrintImagesDeps): void {
  const preparing = serveRequests(nats, printImagePrepare, (request) => preparePrintImages(deps, request), logger)
  defer('print image preparation', () => preparing.stop())
  const checking = serveRequests(nats, printImageCheck, (request) => checkPrintImages(deps, request), logger)
  defer('print image check', () => checking.stop())
}
