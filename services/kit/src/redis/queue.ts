import { setTimeout as delay } from 'node:timers/promises'
import { DelayedError, type Job, Queue, Worker } from 'bullmq'
import { BullMQOtel } from 'bullmq-otel'
import type { Logger } from '../process/logger.ts'
import { repeat } from '../process/repeat.ts'
import { isStorageFull } from '../process/storage-full.ts'
import { isUnavailable } from '../process/unavailable.ts'
import { type Measurement, metrics } from '../telemetry/metrics.ts'
import { openRedis, redisOptions } from './redis.ts'

export type { Job } from 'bullmq'

const FIRST_CONNECTION_MS = 2_000
/** Without a renewal for so long a worker counts as ended; its jobs go to others, at most 20 seconds after its last sign. */
const LOCK_MS = 10_000
const ATTEMPTS = 4
/** Before the second attempt; doubles with each further one. */
const BACKOFF_MS = 5_000
const WAIT_MS = 10_000
/** Somebody has to make room first. */
const FULL_RETRY_MS = 60_000
const KEPT_FAILURES = 1_000

const failures = metrics.counter('skyfolio_jobs_failed_total', 'Jobs of which the last attempt failed', ['queue'])
const jobs = metrics.gauge('skyfolio_queue_jobs', 'Jobs of a queue by state', ['queue', 'state'])
const durations = metrics.histogram(
  'skyfolio_job_seconds',
  'Duration of attempts of jobs by outcome',
  ['queue', 'outcome'],
  [0.1, 0.3, 1, 3, 10, 30, 100],
)

export interface JobQueue<Data> {
  /** The queue, once it is connected. Throws, as its methods do, when Redis is unavailable. */
  ready(): Promise<Queue<Data, void, string>>
  /** Throws when Redis is unavailable. */
  check(): Promise<void>
  close(): Promise<void>
}

/**
 * The producer side of a queue. Jobs are derived from the state in PostgreSQL, so losing Redis loses no work. The id of a
 * job can be used again when the job has ended; with `keepFailed` only the latest failures are kept, for administrators.
 */
export function openQueue<Data>(
  name: string,
  redisUrl: string,
  logger?: Logger,
  { keepFailed = false } = {},
): JobQueue<Data> {
  const redis = openRedis(redisUrl, `queue ${name}`, logger)
  const queue = new Queue<Data, void, string>(name, {
    connection: redis,
    // It asks once; when the response is lost, this queue would reject everything until the process ends.
    skipVersionCheck: true,
    telemetry: new BullMQOtel({ tracerName: 'skyfolio' }),
    defaultJobOptions: {
      attempts: ATTEMPTS,
      backoff: { type: 'exponential', delay: BACKOFF_MS },
      removeOnComplete: true,
      removeOnFail: keepFailed ? { count: KEPT_FAILURES } : true,
    },
  })
  // Every command reports its own failure.
  queue.on('error', () => {})

  return {
    // BullMQ waits for its first connection without a limit.
    async ready() {
      const tooLong = delay(FIRST_CONNECTION_MS, undefined, { ref: false }).then(() => {
        throw new Error('Connection is closed: Redis cannot be reached')
      })
      await Promise.race([queue.waitUntilReady(), tooLong])
      return queue
    },
    async check() {
      await redis.ping()
    },
    async close() {
      // Closing waits for a connection too, which may never be made; jobs are safe in Redis either way.
      if (redis.status === 'ready') await queue.close()
      redis.disconnect()
    },
  }
}

/** The priority of the job that is next, or else of one that waits for its next attempt; 1 when there is none. */
export async function reachedPriority(queue: Pick<Queue, 'getPrioritized' | 'getDelayed'>): Promise<number> {
  const [next] = await queue.getPrioritized(0, 0)
  const [waiting] = next ? [next] : await queue.getDelayed(0, 0)
  return waiting?.priority || 1
}

/** Puts the job of a handler back, for `ms` milliseconds, and ends the handler; that counts as no attempt. */
async function putBack(job: Job, ms: number): Promise<never> {
  await job.moveToDelayed(Date.now() + ms, job.token)
  throw new DelayedError()
}

/** Longer than an attempt with the wait after it, unless the clock of who delayed the job was ahead. */
const MAX_CLOCK_ERROR_MS = 10 * 60_000

/** Runs jobs that are delayed by a clock that was ahead. */
async function promoteLate<Data>(queue: Queue<Data>): Promise<void> {
  for (const job of await queue.getJobs(['delayed'], 0, 99, false)) {
    const { processedOn = Date.now() } = job
    const isLate = Math.abs(Date.now() - processedOn) > MAX_CLOCK_ERROR_MS
    // It fails when another worker was faster.
    if (isLate) await job.promote().catch(() => {})
  }
}

export interface QueueWorker {
  /** Waits for the jobs in progress. */
  stop(): Promise<void>
}

interface WorkerOptions {
  concurrency: number
  logger: Logger
  lockMs?: number
}

/**
 * Works on a queue's jobs until stopped. `signal` aborts when the job was given to another worker, because this one seemed
 * dead. A handler must be repeatable without harm. A job waits, without counting an attempt, while something is unavailable,
 * and while this process still works on it although it has lost the job.
 */
export function startWorker<Data>(
  name: string,
  redisUrl: string,
  handle: (job: Job<Data>, signal: AbortSignal) => Promise<void>,
  options: WorkerOptions,
): QueueWorker {
  const queue = openQueue<Data>(name, redisUrl)
  const running = new Set<string | undefined>()
  // Others start again at 1 when nothing waits: behind them a great priority would wait for all of theirs.
  const keepTurn = async (job: Job<Data>) => {
    if (job.priority) await job.changePriority({ priority: await reachedPriority(await queue.ready()) })
  }
  const handleOrWait = async (job: Job<Data>, signal: AbortSignal) => {
    // BullMQ renews one lock per id: the end of the earlier attempt would end the renewal of a later one beside it.
    if (running.has(job.id)) return putBack(job, WAIT_MS)
    running.add(job.id)
    try {
      await handle(job, signal)
    } catch (error) {
      await keepTurn(job).catch(() => {})
      if (!isUnavailable(error)) throw error
      options.logger.warn({ err: error, queue: name, job: job.id }, 'job waits for what is unavailable')
      await putBack(job, isStorageFull(error) ? FULL_RETRY_MS : WAIT_MS)
    } finally {
      running.delete(job.id)
    }
  }
  const worker = runWorker(queue, name, redisUrl, handleOrWait, options)
  const promote = async () => promoteLate(await queue.ready())
  const stopPromoting = repeat(`late jobs of ${name}`, (options.lockMs ?? LOCK_MS) / 1000, promote, options.logger)
  return {
    async stop() {
      await stopPromoting()
      await worker.stop()
      await queue.close()
    },
  }
}

function runWorker<Data>(
  queue: JobQueue<Data>,
  name: string,
  redisUrl: string,
  handle: (job: Job<Data>, signal: AbortSignal) => Promise<void>,
  { logger, concurrency, lockMs = LOCK_MS }: WorkerOptions,
): QueueWorker {
  const worker = new Worker<Data, void, string>(
    name,
    (job, _token, signal) => handle(job, signal ?? new AbortController().signal),
    {
      connection: { ...redisOptions(redisUrl), maxRetriesPerRequest: null },
      concurrency,
      // By default it waits 15 seconds after an error of Redis.
      runRetryDelay: 1_000,
      lockDuration: lockMs,
      stalledInterval: lockMs / 2,
      maxStalledCount: ATTEMPTS - 1,
      telemetry: new BullMQOtel({ tracerName: 'skyfolio' }),
    },
  )
  failures.inc({ queue: name }, 0)
  metrics.onScrape(`queue ${name}`, async (): Promise<Measurement[]> => {
    const counts = await (await queue.ready()).getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed')
    return Object.entries(counts).map(([state, count]) => [jobs, count, { queue: name, state }])
  })
  const observe = (outcome: 'done' | 'failed', from = Date.now(), to = Date.now()) =>
    durations.observe({ queue: name, outcome }, (to - from) / 1000)
  worker.on('completed', ({ processedOn, finishedOn }) => observe('done', processedOn, finishedOn))
  worker.on('error', (error) => logger.warn({ err: error, queue: name }, 'queue worker failed'))
  worker.on('failed', (job, error) => {
    const isFinal = job?.finishedOn !== undefined
    logger.warn({ err: error, queue: name, job: job?.id, attempts: job?.attemptsMade, isFinal }, 'attempt failed')
    observe('failed', job?.processedOn)
    if (isFinal) failures.inc({ queue: name })
  })
  worker.on('lockRenewalFailed', (ids) => {
    for (const id of ids) worker.cancelJob(id, 'lost to another worker')
  })
  return { stop: () => worker.close() }
}

const SCHEDULE_CHECK_SECONDS = 5

/**
 * Runs `work` every `everyMs`, in one process at a time, however many call this with the same name; a run that takes
 * longer delays the next one. After a kill another process continues within twice `lockMs`. `signal` aborts when this
 * process seemed dead to the others, which then run `work` too. The schedule is stored again when Redis has lost it.
 */
export function startSchedule(
  name: string,
  redisUrl: string,
  work: (signal: AbortSignal) => Promise<void>,
  options: { everyMs: number; logger: Logger; lockMs?: number },
): QueueWorker & { check(): Promise<void> } {
  const { everyMs, logger, lockMs = 5_000 } = options
  const connected = openQueue(name, redisUrl, logger)
  async function store(): Promise<void> {
    const queue = await connected.ready()
    await queue.setGlobalConcurrency(1)
    // The next run makes up for a failed one.
    const template = { name, data: {}, opts: { attempts: 1 } }
    const { next = 0 } = (await queue.getJobScheduler(name)) ?? {}
    if (next > Date.now() + everyMs + MAX_CLOCK_ERROR_MS) await queue.removeJobScheduler(name)
    await queue.upsertJobScheduler(name, { every: everyMs }, template)
  }
  const stopStoring = repeat(`schedule ${name}`, SCHEDULE_CHECK_SECONDS, store, logger)
  const worker = runWorker(connected, name, redisUrl, (_job, signal) => work(signal), {
    concurrency: 1,
    logger,
    lockMs,
  })
  return {
    check: connected.check,
    async stop() {
      await stopStoring()
      await worker.stop()
      await connected.close()
    },
  }
}
