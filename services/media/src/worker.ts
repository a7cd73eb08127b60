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
import { type Job, startSchedule, startWorker } from '@skyfolio/kit/queue'
import { events } from '@skyfolio/proto'
import { workerSettings } from './config.ts'
import { openDatabase } from './database.ts'
import { eraseUser } from './erasure/erase-user.ts'
import { sweepExpiredExports } from './exports/export-rows.ts'
import { endFailedExport, prepareExport } from './exports/prepare-export.ts'
import { removeDueObjects } from './files/object-removals.ts'
import { ORPHAN_AGE_MS, reconcile } from './files/reconcile.ts'
import { groupChangedPhotos } from './flights/group-flights.ts'
import { measureBacklog } from './jobs/backlog-metrics.ts'
import { type Kind, type RowJob, wasTried } from './jobs/job-rows.ts'
import { type EndFailed, openQueues, sweepJobs } from './jobs/queues.ts'
import { createRenderLimiter } from './limits.ts'
import { startMetadataReader } from './metadata/metadata-reader.ts'
import { reportFailedUploads } from './photos/failed-uploads.ts'
import { detachFromDeletedFolders } from './photos/placement.ts'
import { openPlaces } from './places/places.ts'
import { endFailedPrintImage, type PrintRenderingDeps, renderPrintImage } from './print-images/render-print-image.ts'
import { sweepExpiredPrintImages } from './print-images/rows.ts'
import { PHOTOS_PER_RENDERING, type ProcessingDeps, processPhoto } from './processing/process-photo.ts'
import { endFailedPhoto } from './processing/save-result.ts'
import { createFolders } from './projection/folders.ts'
import { configureSharp } from './renditions/render-image.ts'
import { createPrintRenderer, createRenderer } from './renditions/renderer.ts'
import { measureSessions, sweepSessions } from './upload-sessions/upkeep.ts'

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
}

/** Runs the worker with this environment as this process. */
export async function runWorker(env: NodeJS.ProcessEnv, options: WorkerOptions = {}): Promise<void> {
  await runProcess('media-worker', async (life) => {
    const base = await connect(life, env, options)
    startJobWorkers(base)
    startSweep(base)
    startRepeatedTasks(base)
    measureBacklog(base.db)
    measureSessions(base.db)
  })
}

/** What everything in the worker uses. */
type Base = Awaited<ReturnType<typeof connect>>

async function connect(life: Lifetime, env: NodeJS.ProcessEnv, options: WorkerOptions) {
  const { logger } = life
  const config = loadConfig(workerSettings, env)
  await startOps(life, { host: config.host, port: config.opsPort })

  const pool = openPool(config.databaseUrl)
  life.defer('database', () => pool.end())
  const db = openDatabase(pool)
  life.health.addCheck('database', async () => void (await pool.query('SELECT 1')))

  const store = await openObjectStore(config)
  life.health.addCheck('object store', () => store.check())

  const nats = await openNats(life, config, 'media-worker', events)
  const relay = startRelay({ pool, nats, logger })
  life.defer('relay', () => relay.stop())
  return { life, logger, config, options, pool, db, store, nats, relay, folders: createFolders(db, nats) }
}

/** Photos, print images and exports are each worked on by their own queue. */
function startJobWorkers({ life, logger, config, options, db, store, nats, relay, folders }: Base): void {
  const { concurrency, maxPixels, redisUrl, drainSeconds } = config
  const { printConcurrency = PRINT_CONCURRENCY } = options
  configureSharp()
  const metadata = startMetadataReader()
  life.defer('metadata reader', () => metadata.stop())
  const limiter = createRenderLimiter(concurrency, printConcurrency)
  const renderer = createRenderer(limiter, maxPixels)
  const processing: ProcessingDeps = {
    db,
    store,
    metadata,
    renderer,
    places: openPlaces(),
    folders,
    logger,
    afterCommit: relay.wake,
  }
  const printRenderer = createPrintRenderer(limiter, maxPixels)
  const printing: PrintRenderingDeps = { db, store, printRenderer, logger }
  const exporting = { db, store, nats, onEvent: relay.wake }

  const working = { logger, ...(options.lockMs && { lockMs: options.lockMs }) }
  const start = <Id>(kind: Kind, atOnce: number, work: (job: Job<RowJob<Id>>, signal: AbortSignal) => Promise<void>) =>
    startWorker<RowJob<Id>>(kind, redisUrl, work, { ...working, concurrency: atOnce })
  const stopping = new AbortController()
  const workers = [
    start<number>('photos', concurrency * PHOTOS_PER_RENDERING, (job) =>
      processPhoto(processing, job.data, wasTried(job)),
    ),
    start<string>('print-images', printConcurrency, (job) => renderPrintImage(printing, job.data, wasTried(job))),
    start<string>('exports', EXPORTS_AT_ONCE, (job, signal) =>
      prepareExport({ ...exporting, signal: AbortSignal.any([signal, stopping.signal]) }, job.data),
    ),
  ]
  // Together, so that they share the time that they have.
  const stopWorkers = async () => {
    stopping.abort(new Error('the process ends'))
    await Promise.all(workers.map((worker) => worker.stop()))
  }
  life.defer('workers', stopWorkers, drainSeconds * 1000)
}

/** Adds missing jobs, and ends the rows whose jobs failed. */
function startSweep({ life, logger, config, options, db, relay, folders }: Base): void {
  const queues = openQueues(life, config.redisUrl)
  const endFailed: EndFailed = {
    photos: (row) => endFailedPhoto({ db, folders }, row).then(relay.wake),
    'print-images': (row) => endFailedPrintImage(db, row),
    exports: (row) => endFailedExport(db, row),
  }
  const everyMs = (options.scanSeconds ?? SCAN_SECONDS) * 1000
  const work = (signal: AbortSignal) => sweepJobs({ db, queues, logger, endFailed }, signal)
  const sweep = startSchedule('media-sweep', config.redisUrl, work, { everyMs, logger })
  life.defer('sweep of jobs', () => sweep.stop())
  life.health.addCheck('redis', () => sweep.check())
}

/** What every worker does now and again, beside others. */
function startRepeatedTasks({ life, logger, options, pool, db, store, relay }: Base): void {
  const { scanSeconds = SCAN_SECONDS, noticeSeconds } = options
  const deps = { db, store, logger }
  const start = (name: string, seconds: number, work: () => Promise<unknown>) =>
    life.defer(name, repeat(name, seconds, work, logger))
  start('print sweep', SWEEP_SECONDS, () => sweepExpiredPrintImages(db))
  start('upload session sweep', SWEEP_SECONDS, () => sweepSessions(deps))
  start('export sweep', SWEEP_SECONDS, () => sweepExpiredExports(db))
  start('detaching', SWEEP_SECONDS, () => detachFromDeletedFolders(db))
  start('removals', scanSeconds, () => removeDueObjects(deps))
  start('failed uploads', scanSeconds, async () => {
    if ((await reportFailedUploads(db, noticeSeconds)) > 0) relay.wake()
  })
  start('flights', FLIGHTS_SECONDS, () => groupChangedPhotos(pool, logger))
  start('reconciliation', RECONCILIATION_SECONDS, () => reconcile(deps, { orphanAgeMs: ORPHAN_AGE_MS, dryRun: false }))
  const stopErasures = startErasures({
    pool,
    db,
    logger,
    topic: events.mediaErasureChanged,
    erase: (userId) => eraseUser({ ...deps, afterCommit: relay.wake }, userId),
    afterCommit: relay.wake,
  })
  life.defer('erasures', stopErasures)
}

if (import.meta.main) await runWorker(process.env)
