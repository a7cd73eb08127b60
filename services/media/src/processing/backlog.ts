import { type Measurement, metrics } from '@skyfolio/kit'
import type { Database } from '../database.ts'

/** Counting goes no further, so that reading the metrics stays cheap when very many wait. */
const COUNTED = 10_000

const waiting = metrics.gauge('skyfolio_photos_waiting', `Photos that are not processed yet, counted up to ${COUNTED}`)
const oldest = metrics.gauge(
  'skyfolio_photos_waiting_oldest_seconds',
  'Age of the oldest photo that is not processed yet, or 0',
)

/** Tells of the photos that wait: of what there is to do, which the queue of jobs only repeats. */
export function measureBacklog(db: Database): void {
  metrics.onScrape('photos', async (): Promise<Measurement[]> => {
    const [found] = await db.$queryRaw<{ age: number | null; count: number }[]>`
      SELECT (SELECT extract(epoch FROM now() - created_at)::float8 FROM photos WHERE status = 'processing'
              ORDER BY id LIMIT 1) AS age,
        (SELECT count(*)::int FROM (SELECT FROM photos WHERE status = 'processing' LIMIT ${COUNTED}) AS counted) AS count`
    return [
      [waiting, found?.count ?? 0],
      [oldest, found?.age ?? 0],
    ]
  })
}
