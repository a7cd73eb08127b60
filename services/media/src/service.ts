import { type App, type Config, type Lifetime, type ObjectStore, startConsumer, startRelay } from '@skyfolio/kit'
import type pg from 'pg'
import { buildApp } from './app.ts'
import type { apiSettings } from './config.ts'
import { openDatabase } from './database.ts'
import { folderHandlers } from './events.ts'
import { detachFromDeletedFolders } from './photos/changes.ts'
import { openPlacesLazily } from './places/places.ts'
import { enqueue, openPhotoQueue } from './processing/jobs.ts'
import { createFolders, type Nats } from './projection/folders.ts'
import { createSlots } from './uploads/slots.ts'

interface Connections {
  pool: pg.Pool
  nats: Nats
  store: ObjectStore
}

/** Starts what the API does beside answering requests, and gives the app that answers them. */
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

  function afterFolders(): void {
    detachFromDeletedFolders(db).then(relay.wake, (error) => {
      logger.warn({ err: error }, 'photos stay in a deleted folder until the worker takes them out')
    })
  }
  const consumer = await startConsumer({
    nats,
    durable: 'media-folders',
    handlers: folderHandlers,
    transaction: (work) => db.$transaction(work),
    logger,
    afterCommit: afterFolders,
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
    slots: createSlots(config.uploadStreams, config.uploadStreamsPerUser),
    limits: config,
    stallMs: config.uploadStallSeconds * 1000,
    minRate: config.uploadMinRate,
    committed(photos) {
      relay.wake()
      // Without Redis the photos wait for the worker's scan.
      for (const photo of photos) enqueue(queue, photo).catch((error) => logger.warn({ err: error }, 'no job was made'))
    },
  })
}
