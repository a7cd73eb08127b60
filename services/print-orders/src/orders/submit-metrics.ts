import { type Measurement, metrics } from '@skyfolio/kit'
import type { Database } from '../database.ts'

export const submitted = metrics.counter(
  'skyfolio_orders_submitted_total',
  'Orders sent to the print partner, by outcome: submitted, rejected, unknown, not_sent',
  ['outcome'],
)
const unresolved = metrics.gauge('skyfolio_orders_unresolved', 'Orders whose outcome is unknown')
const oldest = metrics.gauge(
  'skyfolio_orders_unresolved_oldest_seconds',
  'Age of the oldest order whose outcome is unknown, or 0',
)
const claimed = metrics.gauge('skyfolio_orders_claimed', 'Orders whose outcome is not recorded yet')

/** Measures the orders that wait for an outcome, at each scrape. Returns the function that ends it. */
export function measureOrders(db: Database): () => void {
  return metrics.onScrape('orders', () => readOrders(db))
}

async function readOrders(db: Database): Promise<Measurement[]> {
  const [row] = await db.$queryRaw<{ unresolved: number; claimed: number; age: number | null }[]>`
    SELECT count(*) FILTER (WHERE order_status = 'unknown')::int AS unresolved,
      count(*) FILTER (WHERE order_status = 'claimed')::int AS claimed,
      extract(epoch FROM now() - min(created_at) FILTER (WHERE order_status = 'unknown'))::float8 AS age
    FROM walgreens_orders WHERE order_status IN ('claimed', 'unknown')`
  return [
    [unresolved, row?.unresolved ?? 0],
    [oldest, Math.max(0, row?.age ?? 0)],
    [claimed, row?.claimed ?? 0],
  ]
}
