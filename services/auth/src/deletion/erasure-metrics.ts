import { type Measurement, metrics } from '@skyfolio/kit'
import type { Pool } from 'pg'

const erasing = metrics.gauge('skyfolio_erasures', 'Deleted accounts not yet erased everywhere')
const oldest = metrics.gauge(
  'skyfolio_erasures_oldest_seconds',
  'Time since the oldest erasure began that not every service has confirmed, or 0',
)

/** Measures what is being erased. Returns the function that ends it. */
export function measureErasures(pool: Pool): () => void {
  return metrics.onScrape('erasures', async (): Promise<Measurement[]> => {
    const { rows } = await pool.query<{ count: number; age: number }>(
      `SELECT count(*)::int AS count, coalesce(extract(epoch FROM now() - min(erasing_since)), 0)::float8 AS age
       FROM account_deletions WHERE erasing_since IS NOT NULL AND erased_at IS NULL`,
    )
    return [
      [erasing, rows[0]?.count ?? 0],
      [oldest, rows[0]?.age ?? 0],
    ]
  })
}
