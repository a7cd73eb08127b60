import { type Measurement, metrics } from '@skyfolio/kit'
import type { Pool } from 'pg'
import type { Partner } from '../partner/partner.ts'
import { ENVIRONMENTS, type Environment } from '../partner/types.ts'
import { IS_OPEN } from './due-orders.ts'

/** The limit of counting, so that a scrape stays cheap. */
const MAX_COUNT = 10_000

const due = metrics.gauge(
  'skyfolio_order_status_due',
  `Orders whose status should be requested from the partner now, counted up to ${MAX_COUNT}`,
)
const oldest = metrics.gauge(
  'skyfolio_order_status_oldest_seconds',
  'Time since the most overdue status request should have been sent, or 0',
)

/** Measures which orders wait for a status request. Returns the function that ends it. */
export function measureDueOrders(pool: Pool, partner: Partner): () => void {
  return metrics.onScrape('order status', async (): Promise<Measurement[]> => {
    const { count, late } = await readDueOrders(pool, ENVIRONMENTS.filter(partner.configured))
    return [
      [due, count],
      [oldest, late],
    ]
  })
}

/** How many orders of these environments are due, and for how many seconds the first one has been. */
export async function readDueOrders(pool: Pool, environments: Environment[]): Promise<{ count: number; late: number }> {
  const { rows } = await pool.query<{ late: number | null; count: number }>(
    `SELECT extract(epoch FROM now() - min(next_check_at))::float8 AS late, count(*)::int AS count
     FROM (SELECT next_check_at FROM walgreens_orders
           WHERE ${IS_OPEN} AND next_check_at <= now() AND environment = ANY($1)
           ORDER BY next_check_at LIMIT ${MAX_COUNT}) AS due`,
    [environments],
  )
  return { count: rows[0]?.count ?? 0, late: rows[0]?.late ?? 0 }
}
