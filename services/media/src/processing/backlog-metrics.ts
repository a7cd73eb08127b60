import { type Measurement, metrics } from '@skyfolio/kit'
import type { Database } from '../database.ts'

/** The limit of counting, so that a scrape stays cheap when very many photos wait. */
const MAX_COUNT = 10_000

const waiting = metrics.gauge('skyfolio_photos_waiting', `Photos not yet processed, counted up to ${MAX_COUNT}`)
const oldest = metrics.gauge(
  'skyfolio_photos_waiting_oldest_seconds',
  'Age of the oldest photo not yet processed, or 0',
)

/** Measures the photos that wait in the database; jobs in the queue only wake workers. */
export function measureBacklog(db: Database): void {
  metrics.onScrape('photos', async (): Promise<Measurement[]> => {
    const [found] = await db.$queryRaw<{ age: number | null; count: number }[]>`
      SELECT (SELECT extract(epoch FROM now() - created_at)::float8 FROM photos WHERE status = 'processing'
              ORDER BY id LIMIT 1) AS age,
        (SELECT count(*)::int FROM (SELECT FROM photos WHERE status = 'processing' LIMIT ${MAX_COUNT}) AS counted) AS count`
    return [
      [waiting, found?.count ?? 0],
      [oldest, found?.age ?? 0],
    ]
  })
}
