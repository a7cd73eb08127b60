import { Queue, Worker } from 'bullmq'
import { BullMQOtel } from 'bullmq-otel'
import type { Logger } from './logger.ts'

export interface JobQueue<Job> {
  /** Adds a job; a job with the same id that is still waiting or running is not added again. Throws when Redis is away. */
  add(id: string, job: Job): Promise<void>
  /** Jobs that wait, run, or wait to be tried again. */
  depth(): Promise<number>
  close(): Promise<void>
}

/** The queue's adding end. Jobs are made from the state in PostgreSQL, so losing Redis loses no work. */
export function openQueue<Job>(name: string, redisUrl: string): JobQueue<Job> {
  const queue = new Queue(name, {
    connection: { url: redisUrl, enableOfflineQueue: false, maxRetriesPerRequest: 1 },
    skipWaitingForReady: true,
    telemetry: new BullMQOtel({ tracerName: 'skyfolio' }),
    defaultJobOptions: {
      attempts: 3,
      backoff: { type: 'exponential', delay: 1_000 },
      // An ended job leaves nothing behind, so that its id can be used again.
      removeOnComplete: true,
      removeOnFail: true,
    },
  })
  queue.on('error', () => {})
  return {
    async add(id, job) {
      await queue.waitUntilReady()
      await queue.add(name, job, { jobId: `job-${encodeURIComponent(id)}` })
    },
    depth: async () => (await queue.getJobCountByTypes('waiting', 'active', 'delayed', 'prioritized')) ?? 0,
    close: () => queue.close(),
  }
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
  worker.on('error', (error) => logger.warn({ err: error, queue: name }, 'queue worker: connection trouble'))
  worker.on('failed', (job, error) => logger.warn({ err: error, queue: name, job: job?.id }, 'job failed'))
  worker.on('lockRenewalFailed', (ids) => {
    for (const id of ids) worker.cancelJob(id, 'lost to another worker')
  })
  return { stop: () => worker.close() }
}
