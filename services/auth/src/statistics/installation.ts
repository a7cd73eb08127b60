import type { Database } from '../database.ts'
import { Prisma } from '../generated/client.ts'

/** What the installation has. */
export interface Figures {
  users: number
  photos: number
  bytes: number
  /** Users who signed in or sent a request in the last 30 days. */
  active: number
}

/** The figures at the end of a day (UTC); those of today are the present ones. */
export interface Day extends Figures {
  /** `2026-12-31`. */
  day: string
}

/** The worker measures every 30 seconds: figures of today that are older are not shown. */
const FRESH_SECONDS = 45
const DAYS = 30
const TODAY = Prisma.sql`(now() AT TIME ZONE 'UTC')::date`

/** Reads all rows of users' usage and activity: some 30 ms for 100,000 users. */
const MEASURE = Prisma.sql`
  SELECT (SELECT sum(users) FROM user_counts)::integer AS users,
    (SELECT coalesce(sum(photos), 0) FROM user_usage)::bigint AS photos,
    (SELECT coalesce(sum(bytes), 0) FROM user_usage)::bigint AS bytes,
    (SELECT count(*) FROM user_activity WHERE last_active_at > now() - interval '30 days')::integer AS active`

/** Measures the installation and stores the result as that of today. */
export async function saveStatistics(db: Database): Promise<void> {
  await db.$executeRaw`
    INSERT INTO daily_statistics (day, measured_at, users, photos, bytes, active)
    SELECT ${TODAY}, now(), users, photos, bytes, active FROM (${MEASURE}) AS figures
    ON CONFLICT (day) DO UPDATE SET measured_at = excluded.measured_at, users = excluded.users, photos = excluded.photos,
      bytes = excluded.bytes, active = excluded.active`
}

/**
 * The figures and their last 30 days, oldest first, in time that does not depend on how many users and photos there are. A day
 * without a row has the figures of the day before it; days before the first row are left out.
 */
export async function readInstallation(db: Database): Promise<{ figures: Figures; history: Day[] }> {
  const [figures, before] = await Promise.all([readFigures(db), readDaysBefore(db)])
  const [{ day }] = await db.$queryRaw<[{ day: string }]>`SELECT ${TODAY}::text AS day`
  return { figures, history: [...before.filter((earlier) => earlier.day < day), { day, ...figures }] }
}

/** How many users there are is counted now, the rest was measured by the worker; without it, it is measured here. */
async function readFigures(db: Database): Promise<Figures> {
  const [fresh] = await db.$queryRaw<FigureRow[]>`
    SELECT (SELECT sum(users) FROM user_counts)::integer AS users, photos, bytes, active FROM daily_statistics
    WHERE day = ${TODAY} AND measured_at > now() - make_interval(secs => ${FRESH_SECONDS})`
  if (fresh) return figuresOf(fresh)
  const [measured] = await db.$queryRaw<[FigureRow]>(MEASURE)
  return figuresOf(measured)
}

async function readDaysBefore(db: Database): Promise<Day[]> {
  const rows = await db.$queryRaw<(FigureRow & { day: string })[]>`
    SELECT days.day::date::text AS day, users, photos, bytes, active
    FROM generate_series(${TODAY} - ${DAYS - 1}::int, ${TODAY} - 1, interval '1 day') AS days (day)
    CROSS JOIN LATERAL (
      SELECT users, photos, bytes, active FROM daily_statistics WHERE daily_statistics.day <= days.day
      ORDER BY daily_statistics.day DESC LIMIT 1) AS last
    ORDER BY days.day`
  return rows.map((row) => ({ day: row.day, ...figuresOf(row) }))
}

interface FigureRow {
  users: number
  photos: bigint
  bytes: bigint
  active: number
}

function figuresOf({ users, photos, bytes, active }: FigureRow): Figures {
  return { users, photos: Number(photos), bytes: Number(bytes), active }
}
