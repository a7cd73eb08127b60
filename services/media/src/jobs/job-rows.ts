import type { Job } from '@skyfolio/kit/queue'
import type { Database } from '../database.ts'
import { Prisma } from '../generated/client.ts'

/**
 * What is worked on in the background, by the name of its queue: the rows of `table` in the status `waiting`, the one first
 * that was requested first. A row whose job failed is in the status `failed` with the sentence `failure`.
 */
export const KINDS = {
  photos: {
    ...{ name: 'photo', table: 'photos', idType: 'int', waiting: 'processing', requested: 'requested_at' },
    failure: 'The photo could not be processed. The original file is kept.',
  },
  'print-images': {
    ...{ name: 'print-image', table: 'print_images', idType: 'text', waiting: 'rendering', requested: 'created_at' },
    failure: 'The photo could not be prepared for printing.',
  },
  exports: {
    ...{ name: 'export', table: 'exports', idType: 'text', waiting: 'preparing', requested: 'created_at' },
    failure: 'The export could not be prepared. Please try again.',
  },
} as const

export type Kind = keyof typeof KINDS
export const KIND_NAMES = Object.keys(KINDS) as Kind[]

/** The data of a job: the row, and which of the requests for it. */
export interface RowJob<Id = number | string> {
  id: Id
  run: number
}

/**
 * A row on which a worker started. `run` counts the requests for the row, `starts` the workers that began with the latest:
 * only the last one of them may commit a result.
 */
export interface Started<Id = number | string> extends RowJob<Id> {
  starts: number
}

/** Whether an earlier attempt failed or ended its worker. */
export function wasTried({ attemptsMade, stalledCounter }: Job): boolean {
  return attemptsMade > 0 || stalledCounter > 0
}

/** How a worker starts on the row of a job, also when the job had failed and is retried. An outdated job finds no row. */
export function startOf<Id>(kind: Kind, { id, run }: RowJob<Id>) {
  const { waiting, failure } = KINDS[kind]
  return {
    where: { id, run, OR: [{ status: waiting }, { status: 'failed', statusMessage: failure }] },
    data: { status: waiting, statusMessage: null, starts: { increment: 1 } },
  }
}

/** The condition that the row is still the worker's own. */
export function own<Id>(kind: Kind, { id, run, starts }: Started<Id>) {
  return { id, run, starts, status: KINDS[kind].waiting }
}

/** The columns of a row that is requested again. */
export const NEXT_RUN = { statusMessage: null, run: { increment: 1 }, starts: 0 } as const

export interface WaitingRow extends Started {
  /** Rows of the user before it that no worker has started on. */
  ahead: number
}

/** Jobs of one user in a queue at the same time. */
const QUEUED_PER_USER = 200

/** The rows that the user requested first, as many as are queued at a time. */
export async function findWaiting(db: Database, kind: Kind, userId: number): Promise<WaitingRow[]> {
  const { table, waiting, requested } = KINDS[kind]
  const rows = await db.$queryRaw<Started[]>`
    SELECT id, run, starts FROM ${Prisma.raw(table)} WHERE user_id = ${userId} AND status = ${waiting}
    ORDER BY ${Prisma.raw(requested)}, id LIMIT ${QUEUED_PER_USER}`
  let ahead = 0
  return rows.map((row) => ({ ...row, ahead: row.starts === 0 ? ahead++ : ahead }))
}

export async function findWaitingUsers(db: Database, kind: Kind): Promise<number[]> {
  const { table, waiting } = KINDS[kind]
  const users = await db.$queryRaw<{ id: number }[]>`
    SELECT DISTINCT user_id AS id FROM ${Prisma.raw(table)} WHERE status = ${waiting}`
  return users.map(({ id }) => id)
}
