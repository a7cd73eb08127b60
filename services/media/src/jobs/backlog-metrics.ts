import { type Measurement, metrics } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { Prisma } from '../generated/client.ts'
import { KIND_NAMES, KINDS } from './job-rows.ts'

/** The limit of counting, so that a scrape stays cheap when very many wait. */
const MAX_COUNT = 10_000

const waiting = metrics.gauge('skyfolio_jobs_waiting', `Jobs that are to be done, counted up to ${MAX_COUNT}`, [
  'queue',
])
const oldest = metrics.gauge('skyfolio_jobs_waiting_oldest_seconds', 'Age of the oldest job that is to be done, or 0', [
  'queue',
])

/** Measures what waits in the database, whatever Redis has of it. */
export function measureBacklog(db: Database): void {
  metrics.onScrape('jobs', async (): Promise<Measurement[]> => {
    const found = await Promise.all(
      KIND_NAMES.map(async (queue): Promise<Measurement[]> => {
        const { table, waiting: status, requested } = KINDS[queue]
        const [row] = await db.$queryRaw<{ age: number; count: number }[]>`
          SELECT coalesce(extract(epoch FROM now() - min(${Prisma.raw(requested)})), 0)::float8 AS age, count(*)::int AS count
          FROM (SELECT ${Prisma.raw(requested)} FROM ${Prisma.raw(table)} WHERE status = ${status}
            ORDER BY ${Prisma.raw(requested)} LIMIT ${MAX_COUNT}) AS counted`
        return [
          [waiting, row?.count ?? 0, { queue }],
          [oldest, row?.age ?? 0, { queue }],
        ]
      }),
    )
    return found.flat()
  })
}
