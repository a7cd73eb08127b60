import { type Measurement, metrics } from '@skyfolio/kit'
import type { Database } from '../database.ts'

/** The limit of counting, so that a scrape stays cheap. */
const MAX_COUNT = 10_000

const waiting = metrics.gauge(
  'skyfolio_print_images_waiting',
  `Print images not yet rendered, counted up to ${MAX_COUNT}`,
)
const oldest = metrics.gauge(
  'skyfolio_print_images_waiting_oldest_seconds',
  'Age of the oldest print image not yet rendered, or 0',
)

/** Measures the images that wait in the database; jobs in the queue only wake workers. */
export function measurePrintBacklog(db: Database): void {
  metrics.onScrape('print images', async (): Promise<Measurement[]> => {
    const [found] = await db.$queryRaw<{ age: number | null; count: number }[]>`
      SELECT extract(epoch FROM now() - min(created_at))::float8 AS age, count(*)::int AS count
      FROM (SELECT created_at FROM print_images WHERE status = 'rendering' LIMIT ${MAX_COUNT}) AS counted`
    return [
      [waiting, found?.count ?? 0],
      [oldest, found?.age ?? 0],
    ]
  })
}
