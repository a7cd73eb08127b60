import { setTimeout as delay } from 'node:timers/promises'
import { Queue, Worker } from 'bullmq'
import { BullMQOtel } from 'bullmq-otel'
import type { Logger } from '../process/logger.ts'
import { repeat } from '../process/repeat.ts'
import { type Measurement, metrics } from '../telemetry/metrics.ts'
import { openRedis } from './redis.ts'

const FIRST_CONNECTION_MS = 2_000
const jobs = metrics.gauge('skyfolio_queue_jobs', 'Jobs of a queue by state', ['queue', 'state'])
const oldest = metrics.gauge('skyfolio_queue_oldest_seconds', 'Age of the oldest waiting job, or 0', ['queue'])
const durations = metrics.histogram(
  'skyfolio_job_seconds',
  'Duration of jobs by outcome',
  ['queue', 'outcome'],
  [0.1, 0.3, 1, 3, 10, 30, 100],
)

export interface JobQueue<Job> {
  /** Adds a job; a job with the same id that is still waiting or running is not added again. Throws when Redis is unavailable. */
  add(id: string, job: Job): Promise<void>
  /** Throws when Redis is unavailable. */
  check(): Promise<void>
  close(): Promise<void>
}

/** The producer side of a queue. Jobs are derived from the state in PostgreSQL, so losing Redis loses no work. */
export function openQueue<Job>(name: string, redisUrl: string, logger?: Logger): JobQueue<Job> {
  const connected = connectQueue(name, redisUrl, logger)
  return {
    async add(id, job) {
      const queue = await connected.ready()
      await queue.add(name, job, { jobId: `job-${encodeURIComponent(id)}` })
    },
    check: connected.check,
    close: connected.close,
  }
}

function connectQueue(name: string, redisUrl: string, logger?: Logger) {
  const redis = openRedis(redisUrl, `queue ${name}`, logger)
  const queue = new Queue(name, {
    connection: redis,
    telemetry: new BullMQOtel({ tracerName: 'skyfolio' }),
    defaultJobOptions: {
      attempts: 3,
      backoff: { type: 'exponential', delay: 1_000 },
      // A finished job is removed, so that its id can be used again.
      removeOnComplete: true,
      removeOnFail: true,
    },
  })
  // Every command reports its own failure.
  queue.on('error', () => {})

  // BullMQ waits for its first connection without a limit.
  async function ready(): Promise<Queue> {
    const tooLong = delay(FIRST_CONNECTION_MS, undefined, { ref: false }).then(() => {
      throw new Error('Connection is closed: Redis cannot be reached')
    })
    await Promise.race([queue.waitUntilReady(), tooLong])
    return queue
  }

  async function check(): Promise<void> {
    await redis.ping()
  }

  async function close(): Promise<void> {
    // Closing waits for a connection too, which may never be made; jobs are safe in Redis either way.
    if (redis.status === 'ready') await queue.close()
    redis.disconnect()
  }

  return { ready, check, close }
}

async function readQueue(name: string, ready: () => Promise<Queue>): Promise<Measurement[]> {
  const queue = await ready()
  const [counts, [next]] = await Promise.all([
    queue.getJobCounts('waiting', 'active', 'delayed'),
    queue.getJobs(['waiting'], 0, 0, true),
  ])
  const byState = Object.entries(counts).map(([state, count]): Measurement => [jobs, count, { queue: name, state }])
  return [...byState, [oldest, next ? (Date.now() - next.timestamp) / 1000 : 0, { queue: name }]]
}

/**
 * Works on a queue's jobs until stopped. `signal` aborts when the job was given to another worker,
 * because this one seemed dead. A handler must be repeatable without harm.
 */
export function startWorker<Job>(
  name: string,
  redisUrl: string,
  handle: (job: Job, signal: AbortSignal) => Promise<void>,
  options: { concurrency: number; logger: Logger; lockMs?: number },
): { stop(): Promise<void> } {
  const { logger, concurrency } = options
  const lockDuration = options.lockMs ?? 20_000
  const worker = new Worker<Job, void>(
    name,
    (job, _token, signal) => handle(job.data, signal ?? new AbortController().signal),
    {
      connection: { url: redisUrl, maxRetriesPerRequest: null },
      concurrency,
      lockDuration,
      stalledInterval: lockDuration,
      maxStalledCount: 3,
      telemetry: new BullMQOtel({ tracerName: 'skyfolio' }),
    },
  )
  const connected = connectQueue(name, redisUrl)
  metrics.onScrape(`queue ${name}`, () => readQueue(name, connected.ready))
  const observe = (outcome: 'done' | 'failed', from = Date.now(), to = Date.now()) =>
    durations.observe({ queue: name, outcome }, (to - from) / 1000)
  worker.on('completed', ({ processedOn, finishedOn }) => observe('done', processedOn, finishedOn))
  worker.on('error', (error) => logger.warn({ err: error, queue: name }, 'queue worker connection failed'))
  worker.on('failed', (job, error) => {
    logger.warn({ err: error, queue: name, job: job?.id }, 'job failed')
    observe('failed', job?.processedOn)
  })
  worker.on('lockRenewalFailed', (ids) => {
    for (const id of ids) worker.cancelJob(id, 'lost to another worker')
  })
  return {
    async stop() {
      await worker.close()
      await connected.close()
    },
  }
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
): { check(): Promise<void>; stop(): Promise<void> } {
  const { everyMs, logger, lockMs = 5_000 } = options
  const connected = connectQueue(name, redisUrl, logger)
  async function store(): Promise<void> {
    const queue = await connected.ready()
    await queue.setGlobalConcurrency(1)
    // The next run makes up for a failed one.
    const template = { name, data: {}, opts: { attempts: 1 } }
    await queue.upsertJobScheduler(name, { every: everyMs }, template)
  }
  const stopStoring = repeat(`schedule ${name}`, SCHEDULE_CHECK_SECONDS, store, logger)
  const worker = startWorker(name, redisUrl, (_job, signal) => work(signal), { concurrency: 1, logger, lockMs })
  return {
    check: connected.check,
    async stop() {
      await stopStoring()
      await worker.stop()
      await connected.close()
    },
  }
}
