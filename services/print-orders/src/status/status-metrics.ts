import { type Measurement, metrics } from '@skyfolio/kit'
import type { Pool } from 'pg'
import { OPEN_STATUSES } from '../orders/status-order.ts'

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

/** Measures which orders wait for a status request, as the database knows them. */
export function measureDueOrders(pool: Pool): void {
  metrics.onScrape('order status', async (): Promise<Measurement[]> => {
    const { rows } = await pool.query<{ late: number | null; count: number }>(
      `SELECT extract(epoch FROM now() - min(next_check_at))::float8 AS late, count(*)::int AS count
       FROM (SELECT next_check_at FROM walgreens_orders WHERE order_status = ANY($1) AND next_check_at <= now()
             ORDER BY next_check_at LIMIT ${MAX_COUNT}) AS due`,
      [OPEN_STATUSES],
    )
    return [
      [due, rows[0]?.count ?? 0],
      [oldest, rows[0]?.late ?? 0],
    ]
  })
}
