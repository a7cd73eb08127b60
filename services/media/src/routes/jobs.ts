import { type App, errorResponses } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { MediaDeps } from '../deps.ts'
import { FailedJobSchema, listFailedJobs, retryFailedJob } from '../jobs/failed-jobs.ts'
import { KIND_NAMES } from '../jobs/job-rows.ts'

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
