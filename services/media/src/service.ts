import { type App, type Config, type Lifetime, type ObjectStore, startConsumer, startRelay } from '@skyfolio/kit'
import type pg from 'pg'
import { buildApp } from './app.ts'
import type { apiSettings } from './config.ts'
import { openDatabase } from './database.ts'
import { folderHandlers } from './events.ts'
import { detachFromDeletedFolders } from './photos/detach-from-deleted-folders.ts'
import { openPlacesLazily } from './places/places.ts'
import { enqueuePhoto, openPhotoQueue } from './processing/jobs.ts'
import { createFolders, type Nats } from './projection/folders.ts'
import { createUploadLimiter } from './uploads/upload-limiter.ts'

interface Connections {
  pool: pg.Pool
  nats: Nats
  store: ObjectStore
}

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
  const queue = openPhotoQueue(config.redisUrl, logger)
  life.defer('queue', () => queue.close())

  const consumer = await startConsumer({
    nats,
    durable: 'media-folders',
    handlers: folderHandlers,
    transaction: (work) => db.$transaction(work),
    logger,
    afterCommit() {
      detachFromDeletedFolders(db).then(relay.wake, (error) => {
        logger.warn({ err: error }, 'detaching photos from deleted folders failed, left to the worker')
      })
    },
  })
  life.defer('consumer', () => consumer.stop())

  return buildApp({
    logger,
    identityKeys: config.identityKeys,
    db,
    store,
    folders: createFolders(db, nats),
    places: openPlacesLazily(config.placesFile),
    relay,
    uploadLimiter: createUploadLimiter(config.uploadStreams, config.uploadStreamsPerUser),
    limits: config,
    stallMs: config.uploadStallSeconds * 1000,
    minRate: config.uploadMinRate,
    enqueuePhotos(photos) {
      relay.wake()
      // Without Redis the photos wait for the worker's scan.
      for (const photo of photos) {
        enqueuePhoto(queue, photo).catch((error) => {
          logger.warn({ err: error }, 'photo job not created, left to the worker')
        })
      }
    },
  })
}
