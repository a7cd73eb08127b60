import { type App, errorResponses, notFound } from '@skyfolio/kit'
import { type Job, reachedPriority } from '@skyfolio/kit/queue'
import { Type } from 'typebox'
import type { Database } from '../database.ts'
import type { MediaDeps } from '../deps.ts'
import { Prisma } from '../generated/client.ts'
import { KIND_NAMES, KINDS, type Kind, type RowJob } from '../jobs/job-rows.ts'
import type { Queues } from '../jobs/queues.ts'

/** A job whose attempts all failed, as administrators see it. */
const FailedJobSchema = Type.Object({
  id: Type.String({ description: "BullMQ's: the kind, the id of its photo, print image or export, and the request" }),
  queue: Type.Enum(KIND_NAMES),
  userId: Type.Integer(),
  reason: Type.String(),
  starts: Type.Integer({ description: 'How often a worker started on it' }),
  failedAt: Type.String({ format: 'date-time' }),
})
export type FailedJob = Type.Static<typeof FailedJobSchema>

const LISTED = 100
const NO_SUCH_JOB = 'There is no such failed job.'
/** BullMQ's codes: no job has the id, or it is in another state. */
const NOT_FAILED = [-1, -3]
const MAX_REASON = 500

/** The jobs that failed last, of what has neither been deleted nor requested again since. Throws without Redis. */
async function listFailedJobs(db: Database, queues: Queues): Promise<FailedJob[]> {
  const found = await Promise.all(KIND_NAMES.map((kind) => listKind(db, queues, kind)))
  const latest = found.flat().sort((a, b) => b.failedAt.localeCompare(a.failedAt))
  return latest.slice(0, LISTED)
}

async function listKind(db: Database, queues: Queues, kind: Kind): Promise<FailedJob[]> {
  const jobs = await (await queues[kind].ready()).getFailed()
  const { table, idType } = KINDS[kind]
  const ids = jobs.map(({ data }) => String(data.id))
  const rows = await db.$queryRaw<(RowJob & { userId: number })[]>`
    SELECT id, run, user_id AS "userId" FROM ${Prisma.raw(table)}
    WHERE id = ANY (${ids}::text[]::${Prisma.raw(idType)}[]) AND status = 'failed'`
  return jobs.flatMap((job) => {
    const row = rows.find(({ id, run }) => id === job.data.id && run === job.data.run)
    return row ? [describe(kind, job, row.userId)] : []
  })
}

function describe(queue: Kind, job: Job<RowJob>, userId: number): FailedJob {
  const { id = '', failedReason, attemptsStarted, finishedOn = 0 } = job
  // What was thrown may have been no error.
  const reason = (failedReason ?? '').slice(0, MAX_REASON)
  return { id, queue, userId, reason, starts: attemptsStarted, failedAt: new Date(finishedOn).toISOString() }
}

/** Gives a listed job one more attempt. @throws AppError 404 when it is none, or is being retried */
async function retryFailedJob(db: Database, queues: Queues, kind: Kind, id: string): Promise<void> {
  const queue = await queues[kind].ready()
  const isListed = (await listKind(db, queues, kind)).some((job) => job.id === id)
  const job = isListed && (await queue.getJob(id))
  if (!job) throw notFound(NO_SUCH_JOB)
  await job.changePriority({ priority: await reachedPriority(queue) })
  await job.retry().catch((error) => {
    // Somebody else was faster.
    throw NOT_FAILED.includes(error.code) ? notFound(NO_SUCH_JOB) : error
  })
}

/** Nothing else has a key of Redis by its name. */
const JOB_ID = '^[a-z-]{5,12}-[0-9a-f]{1,32}-[0-9]{1,10}$'
const ofAdmins = { config: { access: 'admin' } } as const
const list = {
  summary: 'Lists the jobs whose attempts all failed, the latest first',
  response: { 200: Type.Array(FailedJobSchema), ...errorResponses },
}
const retry = {
  summary: 'Retries a failed job',
  params: Type.Object({ queue: Type.Enum(KIND_NAMES), id: Type.String({ pattern: JOB_ID }) }),
  response: { 204: Type.Null(), ...errorResponses },
}

/** Background jobs, for administrators. */
export function jobRoutes(app: App, { db, queues }: MediaDeps): void {
  app.get('/api/admin/failed-jobs', { ...ofAdmins, schema: list }, () => listFailedJobs(db, queues))

  app.post('/api/admin/failed-jobs/:queue/:id/retry', { ...ofAdmins, schema: retry }, async (request, reply) => {
    const { queue, id } = request.params
    await retryFailedJob(db, queues, queue, id)
    return reply.code(204).send(null)
  })
}
