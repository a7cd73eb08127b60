import { type Measurement, metrics } from '@skyfolio/kit'
import { type Database, retryDeadlocks } from '../database.ts'
import { Prisma } from '../generated/client.ts'
import { OPEN_STATUSES } from '../orders/status-order.ts'
import type { Partner } from '../partner/partner.ts'
import { ENVIRONMENTS, type Environment } from '../partner/types.ts'

/** An order whose status is requested from the partner now. */
export interface DueOrder {
  id: number
  vendorOrderId: string
  orderStatus: string
  /** When it was leased, by the clock of the database. */
  ageMs: number
  /** When it becomes due again if this process ends before it has a response. */
  leasedUntil: Date
}

/** The orders that are checked; the index of due orders has the same condition. */
const IS_OPEN = Prisma.raw(`order_status IN (${OPEN_STATUSES.map((status) => `'${status}'`).join(', ')})`)

/** Longer than a pause and the request after it. A batch that is divided into several renews it before each. */
const LEASE_SECONDS = 120
const LEASE_END = Prisma.raw(`date_trunc('milliseconds', now()) + make_interval(secs => ${LEASE_SECONDS})`)
/** After that nobody comes for the prints. */
const POLLED_FOR_DAYS = 30

/** Between the checks that a user requests of an order: a request sooner after the last one is served when it has passed. */
const REFRESH_SECONDS = 5
/** The newest orders are checked at once, so that a user with very many delays nobody's. The others wait for their time. */
const REFRESHED_MAX = 50

/**
 * Makes the user's newest open orders due for a check, now or after the pause, without waiting for it. Returns their number, those that are due
 * already included. An order whose checks have ended has no next check.
 */
export async function refreshOrders(db: Database, userId: number): Promise<number> {
  // Locked in the order of the ids, like all orders: the status poller changes the same ones.
  await db.$executeRaw`
    WITH newest AS (
      SELECT id FROM walgreens_orders
      WHERE user_id = ${userId} AND order_status = ANY (${OPEN_STATUSES}) AND next_check_at IS NOT NULL
      ORDER BY created_at DESC, id DESC LIMIT ${REFRESHED_MAX}),
    open AS (
      SELECT id, greatest(now(), refresh_requested_at + make_interval(secs => ${REFRESH_SECONDS})) AS due
      FROM walgreens_orders
      WHERE id IN (SELECT id FROM newest) AND order_status = ANY (${OPEN_STATUSES})
        AND (refresh_requested_at IS NULL OR refresh_requested_at <= now())
      ORDER BY id FOR NO KEY UPDATE)
    UPDATE walgreens_orders AS refreshed
    SET next_check_at = least(next_check_at, due), refresh_requested_at = due
    FROM open WHERE refreshed.id = open.id`
  const [row] = await db.$queryRaw<{ queued: number }[]>`
    SELECT least(count(*), ${REFRESHED_MAX})::int AS queued FROM walgreens_orders
    WHERE user_id = ${userId} AND order_status = ANY (${OPEN_STATUSES}) AND next_check_at IS NOT NULL`
  return row?.queued ?? 0
}

/**
 * Leases due orders of an environment: those first whose user requested the status, then the longest overdue. They become
 * due again by themselves, so that a killed process loses none.
 */
export function leaseDueOrders(db: Database, environment: Environment, limit: number): Promise<DueOrder[]> {
  return db.$queryRaw`
    WITH due AS (
      SELECT id FROM walgreens_orders
      WHERE ${IS_OPEN} AND next_check_at <= now() AND environment = ${environment}
      ORDER BY (refresh_requested_at >= next_check_at) IS TRUE DESC, next_check_at
      LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    UPDATE walgreens_orders AS leased SET next_check_at = ${LEASE_END}, checks = checks + 1
    FROM due WHERE leased.id = due.id
    RETURNING leased.id, vendor_order_id AS "vendorOrderId", order_status AS "orderStatus",
      extract(epoch FROM now() - created_at)::float8 * 1000 AS "ageMs", next_check_at AS "leasedUntil"`
}

/** The leased ones of these orders, locked in the order of their ids; none that were made due since. */
function lockLeased(orders: DueOrder[]) {
  const ids = orders.map(({ id }) => id)
  const ends = orders.map(({ leasedUntil }) => leasedUntil)
  return Prisma.sql`SELECT id FROM walgreens_orders JOIN unnest(${ids}::int[], ${ends}::timestamptz[]) AS lease (order_id, ends_at)
    ON id = order_id AND next_check_at = ends_at ORDER BY id FOR NO KEY UPDATE OF walgreens_orders`
}

/** Extends the leases of orders whose batch takes several requests. */
export async function renewLeases(db: Database, orders: DueOrder[]): Promise<void> {
  const rows = await retryDeadlocks(
    () => db.$queryRaw<{ id: number; leasedUntil: Date }[]>`
      WITH locked AS (${lockLeased(orders)})
      UPDATE walgreens_orders AS leased SET next_check_at = ${LEASE_END}
      FROM locked WHERE leased.id = locked.id RETURNING leased.id, next_check_at AS "leasedUntil"`,
  )
  const renewed = new Map(rows.map(({ id, leasedUntil }) => [id, leasedUntil]))
  for (const order of orders) order.leasedUntil = renewed.get(order.id) ?? order.leasedUntil
}

/**
 * Records in how many milliseconds orders are due next, null for never. Those whose user requested the status since they
 * were leased stay due.
 */
export async function scheduleOrders(
  db: Database,
  orders: DueOrder[],
  delayOf: (order: DueOrder) => number | null,
): Promise<void> {
  if (orders.length === 0) return
  const ids = orders.map(({ id }) => id)
  const delays = orders.map((order) => delayOf(order))
  await retryDeadlocks(
    () => db.$executeRaw`
      WITH locked AS (${lockLeased(orders)})
      UPDATE walgreens_orders AS leased SET next_check_at = now() + make_interval(secs => checked.delay / 1000)
      FROM locked JOIN unnest(${ids}::int[], ${delays}::float8[]) AS checked (id, delay) USING (id)
      WHERE leased.id = locked.id`,
  )
}

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const SHORTEST_MS = MINUTE / 2
const SHORTEST_WHEN_READY_MS = 5 * MINUTE
const LONGEST_MS = 15 * MINUTE
/** From this age on, and what the pause is then. */
const OLD_MS = 2 * DAY
const LONGEST_WHEN_OLD_MS = 60 * MINUTE
/** The pause is a twentieth of the age: 30 seconds for 10 minutes, 15 minutes after 5 hours. */
const AGE_PER_PAUSE = 20
/** Orders that were placed together are checked at different times later. */
const JITTER = 0.1

/**
 * In how many milliseconds an order is checked next: the older it is, the later. Null when it is not checked any more: it
 * has ended or is 30 days old.
 * @param random from 0 to below 1
 */
export function nextCheckIn(
  { ageMs, orderStatus }: Pick<DueOrder, 'ageMs' | 'orderStatus'>,
  random = Math.random(),
): number | null {
  if (orderStatus === 'picked_up' || orderStatus === 'cancelled' || ageMs >= POLLED_FOR_DAYS * DAY) return null
  return Math.round(pauseOf(ageMs, orderStatus) * (1 + JITTER * (2 * random - 1)))
}

function pauseOf(age: number, orderStatus: string): number {
  if (age >= OLD_MS) return LONGEST_WHEN_OLD_MS
  const shortest = orderStatus === 'ready' ? SHORTEST_WHEN_READY_MS : SHORTEST_MS
  return Math.min(Math.max(age / AGE_PER_PAUSE, shortest), LONGEST_MS)
}

/** Ends the checks of old orders, also in an environment that is not configured. Any number of processes may call it. */
export async function endOldChecks(db: Database): Promise<void> {
  await db.$executeRaw`
    WITH old AS (
      SELECT id FROM walgreens_orders
      WHERE ${IS_OPEN} AND next_check_at IS NOT NULL AND created_at < now() - make_interval(days => ${POLLED_FOR_DAYS})
      FOR UPDATE SKIP LOCKED)
    UPDATE walgreens_orders AS ended SET next_check_at = NULL FROM old WHERE ended.id = old.id`
}

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
export function measureDueOrders(db: Database, partner: Partner): () => void {
  return metrics.onScrape('order status', async (): Promise<Measurement[]> => {
    const { count, late } = await readDueOrders(db, ENVIRONMENTS.filter(partner.configured))
    return [
      [due, count],
      [oldest, late],
    ]
  })
}

/** How many orders of these environments are due, and for how many seconds the first one has been. */
export async function readDueOrders(
  db: Database,
  environments: Environment[],
): Promise<{ count: number; late: number }> {
  const [row] = await db.$queryRaw<{ late: number | null; count: number }[]>`
    SELECT extract(epoch FROM now() - min(next_check_at))::float8 AS late, count(*)::int AS count
    FROM (SELECT next_check_at FROM walgreens_orders
          WHERE ${IS_OPEN} AND next_check_at <= now() AND environment = ANY(${environments})
          ORDER BY next_check_at LIMIT ${MAX_COUNT}) AS due`
  return { count: row?.count ?? 0, late: row?.late ?? 0 }
}
