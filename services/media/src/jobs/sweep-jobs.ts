import { isUnavailable, type Logger } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { findWaiting, findWaitingUsers, KIND_NAMES, type Kind, type Started } from './job-rows.ts'
import { addJobs, jobIdOf, type Queues } from './queues.ts'

/** End a row whose job has failed, unless a worker has started on it since. */
export interface EndFailed {
  photos(row: Started<number>): Promise<void>
  'print-images'(row: Started<string>): Promise<void>
  exports(row: Started<string>): Promise<void>
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
  await addJobs(
    queues,
    kind,
    rows.filter((_, index) => !jobs[index]),
  )
  for (const row of rows.filter((_, index) => jobs[index]?.finishedOn)) {
    try {
      await endFailed[kind](row as never)
    } catch (error) {
      if (isUnavailable(error)) throw error
      logger.warn({ err: error, queue: kind, id: row.id }, 'a row whose job failed could not be ended')
    }
  }
}
