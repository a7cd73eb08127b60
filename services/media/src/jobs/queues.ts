import { isUnavailable, type Lifetime, type Logger } from '@skyfolio/kit'
import { type JobQueue, openQueue, reachedPriority } from '@skyfolio/kit/queue'
import type { Database } from '../database.ts'
import {
  findWaiting,
  findWaitingUsers,
  KIND_NAMES,
  KINDS,
  type Kind,
  type RowJob,
  type Started,
  type WaitingRow,
} from './job-rows.ts'

export type Queues = Record<Kind, JobQueue<RowJob>>

/** BullMQ's greatest priority; 1 is first. */
const LAST = 2 ** 21 - 1

export function openQueues(life: Lifetime, redisUrl: string): Queues {
  const open = (kind: Kind) => {
    const queue = openQueue<RowJob>(kind, redisUrl, life.logger, { keepFailed: true })
    life.defer(`queue ${kind}`, () => queue.close())
    return [kind, queue]
  }
  return Object.fromEntries(KIND_NAMES.map(open))
}

/** Of an id of 128 random bits; the whole one is in links, and BullMQ keeps the ids of its jobs for long. */
const ID_DIGITS = 16

/** BullMQ does not add a job whose id it has, in whatever state. */
export function jobIdOf(kind: Kind, { id, run }: RowJob): string {
  return `${KINDS[kind].name}-${String(id).slice(0, ID_DIGITS)}-${run}`
}

/**
 * Adds jobs of one user's rows, fairly: each behind one job of every other user for each of the user's own that are ahead of
 * it. A newcomer begins where the others are, neither before nor behind what they still have in the queue.
 */
async function addJobs(queues: Queues, kind: Kind, rows: WaitingRow[]): Promise<void> {
  if (rows.length === 0) return
  const queue = await queues[kind].ready()
  const reached = await reachedPriority(queue)
  await queue.addBulk(
    rows.map(({ id, run, ahead }) => ({
      name: KINDS[kind].name,
      data: { id, run },
      opts: { jobId: jobIdOf(kind, { id, run }), priority: Math.min(reached + ahead, LAST) },
    })),
  )
}

/** Called right after the commit of rows of one user that wait. Neither blocks nor throws. */
export type Enqueue = (kind: Kind, rows: { id: number | string; userId: number }[]) => void

export function createEnqueue({ logger }: Lifetime, db: Database, queues: Queues): Enqueue {
  async function add(kind: Kind, userId: number, ids: (number | string)[]): Promise<void> {
    const waiting = await findWaiting(db, kind, userId)
    const added = waiting.filter(({ id }) => ids.includes(id))
    await addJobs(queues, kind, added)
  }
  return (kind, rows) => {
    const [first] = rows
    if (!first) return
    const ids = rows.map(({ id }) => id)
    add(kind, first.userId, ids).catch((error) => {
      logger.warn({ err: error, queue: kind }, 'jobs not added, left to the worker')
    })
  }
}

/** End a row whose job has failed, unless a worker has started on it since. */
export interface EndFailed {
  photos(row: Started<number>): Promise<void>
  'print-images'(row: Started<string>): Promise<void>
  exports(row: Started<string> & { userId: number }): Promise<void>
}

interface SweepDeps {
  db: Database
  queues: Queues
  logger: Logger
  endFailed: EndFailed
}

/**
 * Compares what waits with the jobs: adds those that are missing, because Redis was away or lost them or the user had too many
 * in the queue, and ends what BullMQ has failed, as it does with jobs of which several workers died.
 */
export async function sweepJobs(deps: SweepDeps, signal: AbortSignal): Promise<void> {
  for (const kind of KIND_NAMES) {
    for (const userId of await findWaitingUsers(deps.db, kind)) {
      signal.throwIfAborted()
      await sweepUser(deps, kind, userId)
    }
  }
}

async function sweepUser({ db, queues, logger, endFailed }: SweepDeps, kind: Kind, userId: number): Promise<void> {
  const queue = await queues[kind].ready()
  const rows = await findWaiting(db, kind, userId)
  const jobs = await Promise.all(rows.map((row) => queue.getJob(jobIdOf(kind, row))))
  const missing = rows.filter((_, index) => !jobs[index])
  await addJobs(queues, kind, missing)
  for (const row of rows.filter((_, index) => jobs[index]?.finishedOn)) {
    try {
      await endFailed[kind]({ ...row, userId } as never)
    } catch (error) {
      if (isUnavailable(error)) throw error
      logger.warn({ err: error, queue: kind, id: row.id }, 'a row whose job failed could not be ended')
    }
  }
}
