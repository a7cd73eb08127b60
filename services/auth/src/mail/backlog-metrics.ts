import { type Measurement, metrics } from '@skyfolio/kit'
import type { Pool } from 'pg'

/** The limit of counting, so that a scrape stays cheap when very many mails wait. */
const MAX_COUNT = 10_000

const waiting = metrics.gauge('skyfolio_mails_waiting', `Mails not yet sent, counted up to ${MAX_COUNT}`)
const oldest = metrics.gauge('skyfolio_mails_waiting_oldest_seconds', 'Age of the oldest mail not yet sent, or 0')

/** Measures the mails that wait in the database; jobs in the queue only wake workers. Returns the function that ends it. */
export function measureBacklog(pool: Pool): () => void {
  return metrics.onScrape('mails', async (): Promise<Measurement[]> => {
    const { rows } = await pool.query<{ age: number; count: number }>(
      `SELECT count(*)::int AS count, coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS age
       FROM (SELECT created_at FROM mails WHERE status = 'waiting' ORDER BY created_at LIMIT ${MAX_COUNT}) AS counted`,
    )
    return [
      [waiting, rows[0]?.count ?? 0],
      [oldest, rows[0]?.age ?? 0],
    ]
  })
}
