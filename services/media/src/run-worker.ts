import {
  type Lifetime,
  loadConfig,
  openNats,
  openObjectStore,
  openPool,
  repeat,
  runProcess,
  startErasures,
  startOps,
  startRelay,
} from '@skyfolio/kit'
import { startWorker } from '@skyfolio/kit/queue'
import { events } from '@skyfolio/proto'
import { workerSettings } from './config.ts'
import { openDatabase } from './database.ts'
import { eraseUser } from './erasure/erase-user.ts'
import { type ExportPreparationDeps, prepareNextExport } from './exports/prepare-next.ts'
import { sweepExpiredExports } from './exports/sweep-exports.ts'
import { removeDueObjects } from './files/object-removals.ts'
import { reconcile } from './files/reconcile.ts'
import { ORPHAN_AGE_MS } from './files/reconcile-run.ts'
import { groupChangedPhotos } from './flights/group-flights.ts'
import { startMetadataReader } from './metadata/metadata-reader.ts'
import { detachFromDeletedFolders } from './photos/detach-from-deleted-folders.ts'
import { reportFailedUploads } from './photos/failed-uploads.ts'
import { openPlaces } from './places/places.ts'
import { measurePrintBacklog } from './print-images/backlog-metrics.ts'
import { enqueueWaitingPrintImages, openPrintQueue, PRINT_QUEUE, type PrintJob } from './print-images/jobs.ts'
import { type PrintRenderingDeps, renderNextPrintImage } from './print-images/render-next.ts'
import { PRINT_IMAGE_LIMITS } from './print-images/rows.ts'
import { sweepExpiredPrintImages } from './print-images/sweep.ts'
import { measureBacklog } from './processing/backlog-metrics.ts'
import { enqueueWaiting, openPhotoQueue, type PhotoJob, QUEUE } from './processing/jobs.ts'
import { PHOTOS_PER_RENDERING, type ProcessingDeps, processNext } from './processing/process-photo.ts'
import { createPrintRenderer } from './renditions/print-renderer.ts'
import { configureSharp } from './renditions/render-image.ts'
import { createRenderLimiter } from './renditions/render-limiter.ts'
import { createRenderer } from './renditions/renderer.ts'
import { measureSessions } from './upload-sessions/measure-sessions.ts'
import { sweepSessions } from './upload-sessions/sweep-sessions.ts'
import { startUsagePublisher } from './usage/publish-usage.ts'

/** After so long without a renewal, of which three fit into it, the worker counts as ended and another takes its work. */
const LEASE_SECONDS = 15
/** A photo that ends the process of its renderer is tried again a few times: the machine may have lacked memory for once. */
const ATTEMPTS = 4
/** For what waits without a job, because Redis was away when it was created. */
const SCAN_SECONDS = 5
/** Print images rendered at once, beside the photos, so that who orders prints does not wait for an import. */
const PRINT_CONCURRENCY = 2
const SWEEP_SECONDS = 60
/** It lists the whole store. */
const RECONCILIATION_SECONDS = 3_600
/** Photos of an upload that are processed meanwhile are grouped together. */
const FLIGHTS_SECONDS = 2
/** Exports that one worker prepares at the same time. */
const EXPORTS_AT_ONCE = 2

/** Limits and times that tests change. */
export interface WorkerOptions {
  leaseSeconds?: number
  scanSeconds?: number
  noticeSeconds?: number
  printConcurrency?: number
  printBytesPerUser?: number
}

/** Runs the worker with this environment as this process. */
export async function runWorker(env: NodeJS.ProcessEnv, options: WorkerOptions = {}): Promise<void> {
  await runProcess('media-worker', (life) => startTasks(life, env, options))
}

async function startTasks(life: Lifetime, env: NodeJS.ProcessEnv, options: WorkerOptions): Promise<void> {
  const { logger } = life
  const config = loadConfig(workerSettings, env)
  const { leaseSeconds = LEASE_SECONDS, scanSeconds = SCAN_SECONDS, printConcurrency = PRINT_CONCURRENCY } = options
  await startOps(life, { host: config.host, port: config.opsPort })
  configureSharp()

  const pool = openPool(config.databaseUrl)
  life.defer('database', () => pool.end())
  const db = openDatabase(pool)
  life.health.addCheck('database', async () => void (await pool.query('SELECT 1')))

  const store = await openObjectStore(config)
  life.health.addCheck('object store', () => store.check())

  const nats = await openNats(life, config, 'media-worker', events)
  const relay = startRelay({ pool, nats, logger })
  life.defer('relay', () => relay.stop())
  const usage = startUsagePublisher({ pool, logger, afterCommit: relay.wake })
  life.defer('usage', () => usage.stop())

  const metadata = startMetadataReader()
  life.defer('metadata reader', () => metadata.stop())
  const { concurrency } = config
  const limiter = createRenderLimiter(concurrency, printConcurrency)
  const processing: ProcessingDeps = {
    db,
    store,
    metadata,
    renderer: createRenderer(limiter, config.maxPixels),
    places: openPlaces(),
    logger,
    leaseSeconds,
    round: { lastUserId: 0 },
    maxAttempts: ATTEMPTS,
    afterCommit() {
      relay.wake()
      usage.wake()
    },
  }
  const worker = startWorker<PhotoJob>(QUEUE, config.redisUrl, () => processNext(processing), {
    concurrency: concurrency * PHOTOS_PER_RENDERING,
    logger,
  })

  const printing: PrintRenderingDeps = {
    db,
    store,
    printRenderer: createPrintRenderer(limiter, config.maxPixels),
    logger,
    leaseSeconds,
    maxAttempts: ATTEMPTS,
    lifetimeMs: PRINT_IMAGE_LIMITS.lifetimeMs,
    bytesPerUser: options.printBytesPerUser ?? PRINT_IMAGE_LIMITS.bytesPerUser,
  }
  const printWorker = startWorker<PrintJob>(PRINT_QUEUE, config.redisUrl, () => renderNextPrintImage(printing), {
    concurrency: printConcurrency,
    logger,
  })
  // Together, so that both share the time that they have.
  life.defer('workers', () => Promise.all([worker.stop(), printWorker.stop()]), config.drainSeconds * 1000)

  const printQueue = openPrintQueue(config.redisUrl, logger)
  life.defer('print queue', () => printQueue.close())
  const queue = openPhotoQueue(config.redisUrl, logger)
  life.defer('queue', () => queue.close())
  life.health.addCheck('redis', () => queue.check())
  const reportFailures = async () => {
    if ((await reportFailedUploads(db, options.noticeSeconds)) > 0) relay.wake()
  }
  const sweepDeps = { db, store, logger }
  const erasing = { ...sweepDeps, afterCommit: processing.afterCommit }
  const reconcileOptions = { orphanAgeMs: ORPHAN_AGE_MS, dryRun: false }
  const tasks = {
    scan: repeat('scan', scanSeconds, () => enqueueWaiting(db, queue), logger),
    printScan: repeat('print scan', scanSeconds, () => enqueueWaitingPrintImages(db, printQueue), logger),
    printSweep: repeat('print sweep', SWEEP_SECONDS, () => sweepExpiredPrintImages(db), logger),
    sessionSweep: repeat('upload session sweep', SWEEP_SECONDS, () => sweepSessions(sweepDeps), logger),
    exportSweep: repeat('export sweep', SWEEP_SECONDS, () => sweepExpiredExports(db), logger),
    removals: repeat('removals', scanSeconds, () => removeDueObjects(sweepDeps), logger),
    failedUploads: repeat('failed uploads', scanSeconds, reportFailures, logger),
    erasures: startErasures({
      pool,
      logger,
      topic: events.mediaErasureChanged,
      transaction: (work) => db.$transaction(work),
      erase: (userId) => eraseUser(erasing, userId),
      afterCommit: relay.wake,
    }),
    flights: repeat('flights', FLIGHTS_SECONDS, () => groupChangedPhotos(pool, logger), logger),
    detaching: repeat('detaching', 60, () => detachFromDeletedFolders(db), logger),
    reconciliation: repeat(
      'reconciliation',
      RECONCILIATION_SECONDS,
      () => reconcile(sweepDeps, reconcileOptions),
      logger,
    ),
  }
  for (const [name, stop] of Object.entries(tasks)) life.defer(name, stop)
  const exporting = { db, store, nats, logger, leaseSeconds, maxAttempts: ATTEMPTS, onEvent: relay.wake }
  life.defer('exports', startExports(exporting, scanSeconds))
  measureBacklog(db)
  measurePrintBacklog(db)
  measureSessions(db)
}

/** Prepares exports until the returned function is called. */
function startExports(deps: Omit<ExportPreparationDeps, 'signal'>, seconds: number): () => Promise<unknown> {
  const stopping = new AbortController()
  const { signal } = stopping
  const prepareAll = async () => {
    while (!signal.aborted && (await prepareNextExport({ ...deps, signal })));
  }
  const loops = Array.from({ length: EXPORTS_AT_ONCE }, () => repeat('exports', seconds, prepareAll, deps.logger))
  return () => {
    stopping.abort(new Error('the process ends'))
    return Promise.all(loops.map((stop) => stop()))
  }
}
