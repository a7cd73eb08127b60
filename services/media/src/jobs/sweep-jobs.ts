import type { Database } from '../database.ts'
import { findWaiting, findWaitingUsers, KIND_NAMES, type Kind, type Started } from './job-rows.ts'
import { addJobs, jobIdOf, type Queues } from './queues.ts'

/** End a row whose job has failed, unless a worker has started on it since. */
export interface EndFailed {
  photos(row: Started<number>): Promise<void>
  'print-images'(row: Started<string>): Promise<void>
  exports(row: Started<string>): Promise<void>
}

/**
 * Compares what waits with the jobs: adds those that are missing, because Redis was away or lost them or the user had too many
 * in the queue, and ends what BullMQ has failed, as it does with jobs of which several workers died.
 */
export async function sweepJobs(
  db: Database,
  queues: Queues,
  endFailed: EndFailed,
  signal: AbortSignal,
): Promise<void> {
  for (const kind of KIND_NAMES) {
    for (const userId of await findWaitingUsers(db, kind)) {
      signal.throwIfAborted()
      await sweepUser(db, queues, kind, userId, endFailed)
    }
  }
}

async function sweepUser(
  db: Database,
  queues: Queues,
  kind: Kind,
  userId: number,
  endFailed: EndFailed,
): Promise<void> {
  const queue = await queues[kind].ready()
  const rows = await findWaiting(db, kind, userId)
  const jobs = await Promise.all(rows.map((row) => queue.getJob(jobIdOf(kind, row))))
  await addJobs(
    queues,
    kind,
    rows.filter((_, index) => !jobs[index]),
  )
  for (const row of rows.filter((_, index) => jobs[index]?.finishedOn)) await endFailed[kind](row as never)
}
