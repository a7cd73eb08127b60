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
import { startSchedule, startWorker } from '@skyfolio/kit/queue'
import { events } from '@skyfolio/proto'
import { workerSettings } from './config.ts'
import { openDatabase } from './database.ts'
import { eraseUser } from './erasure/erase-user.ts'
import { sweepExpiredExports } from './exports/export-rows.ts'
import { endFailedExport, prepareExport } from './exports/prepare-export.ts'
import { removeDueObjects } from './files/object-removals.ts'
import { ORPHAN_AGE_MS, reconcile } from './files/reconcile.ts'
import { groupChangedPhotos } from './flights/group-flights.ts'
import { type RowJob, wasTried } from './jobs/job-rows.ts'
import { type EndFailed, measureBacklog, openQueues, sweepJobs } from './jobs/queues.ts'
import { startMetadataReader } from './metadata/metadata-reader.ts'
import { reportFailedUploads } from './photos/failed-uploads.ts'
import { detachFromDeletedFolders } from './photos/placement.ts'
import { openPlaces } from './places/places.ts'
import { endFailedPrintImage, type PrintRenderingDeps, renderPrintImage } from './print-images/render-print-image.ts'
import { PRINT_IMAGE_LIMITS, type PrintImageLimits, sweepExpiredPrintImages } from './print-images/rows.ts'
import { PHOTOS_PER_RENDERING, type ProcessingDeps, processPhoto } from './processing/process-photo.ts'
import { endFailedPhoto } from './processing/save-result.ts'
import { configureSharp } from './renditions/render-image.ts'
import { createRenderLimiter } from './renditions/render-limiter.ts'
import { createPrintRenderer, createRenderer } from './renditions/renderer.ts'
import { measureSessions } from './upload-sessions/measure-sessions.ts'
import { sweepSessions } from './upload-sessions/sweep-sessions.ts'
import { startUsagePublisher } from './usage/publish-usage.ts'

/** Of what somebody waits for. */
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
  lockMs?: number
  scanSeconds?: number
  noticeSeconds?: number
  printConcurrency?: number
  printLimits?: Partial<PrintImageLimits>
}

/** Runs the worker with this environment as this process. */
export async function runWorker(env: NodeJS.ProcessEnv, options: WorkerOptions = {}): Promise<void> {
  await runProcess('media-worker', (life) => startTasks(life, env, options))
}

async function startTasks(life: Lifetime, env: NodeJS.ProcessEnv, options: WorkerOptions): Promise<void> {
  const { logger } = life
  const config = loadConfig(workerSettings, env)
  const { scanSeconds = SCAN_SECONDS, printConcurrency = PRINT_CONCURRENCY } = options
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
  const usage = startUsagePublisher({ db, logger, afterCommit: relay.wake })
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
    afterCommit() {
      relay.wake()
      usage.wake()
    },
  }
  const printing: PrintRenderingDeps = {
    db,
    store,
    printRenderer: createPrintRenderer(limiter, config.maxPixels),
    logger,
    limits: { ...PRINT_IMAGE_LIMITS, ...options.printLimits },
  }
  const stopping = new AbortController()
  const exporting = { db, store, nats, onEvent: relay.wake }
  const { redisUrl } = config
  const working = { logger, ...(options.lockMs && { lockMs: options.lockMs }) }
  const workers = [
    startWorker<RowJob<number>>('photos', redisUrl, (job) => processPhoto(processing, job.data, wasTried(job)), {
      ...working,
      concurrency: concurrency * PHOTOS_PER_RENDERING,
    }),
    startWorker<RowJob<string>>(
      'print-images',
      redisUrl,
      (job) => renderPrintImage(printing, job.data, wasTried(job)),
      { ...working, concurrency: printConcurrency },
    ),
    startWorker<RowJob<string>>(
      'exports',
      redisUrl,
      (job, signal) => prepareExport({ ...exporting, signal: AbortSignal.any([signal, stopping.signal]) }, job.data),
      { ...working, concurrency: EXPORTS_AT_ONCE },
    ),
  ]
  // Together, so that they share the time that they have.
  const stopWorkers = async () => {
    stopping.abort(new Error('the process ends'))
    await Promise.all(workers.map((worker) => worker.stop()))
  }
  life.defer('workers', stopWorkers, config.drainSeconds * 1000)

  const queues = openQueues(life, redisUrl)
  const endFailed: EndFailed = {
    async photos(row) {
      await endFailedPhoto(db, row)
      processing.afterCommit()
    },
    'print-images': (row) => endFailedPrintImage(db, row),
    exports: (row) => endFailedExport(db, row),
  }
  const sweep = startSchedule(
    'media-sweep',
    redisUrl,
    (signal) => sweepJobs({ db, queues, logger, endFailed }, signal),
    {
      everyMs: scanSeconds * 1000,
      logger,
    },
  )
  life.defer('sweep of jobs', () => sweep.stop())
  life.health.addCheck('redis', () => sweep.check())
  const reportFailures = async () => {
    if ((await reportFailedUploads(db, options.noticeSeconds)) > 0) relay.wake()
  }
  const sweepDeps = { db, store, logger }
  const erasing = { ...sweepDeps, afterCommit: processing.afterCommit }
  const reconcileOptions = { orphanAgeMs: ORPHAN_AGE_MS, dryRun: false }
  const tasks = {
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
  measureBacklog(db)
  measureSessions(db)
}

await runWorker(process.env)
