// The statistics and the audit log of an installation with 100,000 users, a million photos and a million audit entries, beside
// those of one with 100 users and a thousand entries: the functions behind the routes, on a database of each size, in alternating
// rounds. `npm run check -- bench:statistics` exits with 1 when a ratio of medians is above 3 or the worker's measurement takes
// a second.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPool } from '@skyfolio/kit'
import { migrate } from '@skyfolio/kit/migrations'
import { startPostgres } from '@skyfolio/testkit/servers'
import { listAudit } from '../src/audit/list-audit.ts'
import { openDatabase } from '../src/database.ts'
import { readInstallation, saveStatistics } from '../src/statistics/installation.ts'

const SIZES = [
  { users: 100, entries: 1_000 },
  { users: 100_000, entries: 1_000_000 },
] as const
const USERS_AT_ONCE = 1_000
const ENTRIES_AT_ONCE = 20_000
const ROUNDS = 60
const WARM_UP = 10
const MAX_RATIO = 3
const MAX_MEASURE_MS = 1_000

type Site = Awaited<ReturnType<typeof openSite>>

/** User 1 is an administrator and the actor of nearly all entries; each user owns ten of them; one action is rare. */
async function fill(pool: ReturnType<typeof openPool>, { users, entries }: { users: number; entries: number }) {
  // Each transaction counts its users one by one in one row.
  for (let from = 1; from <= users; from += USERS_AT_ONCE) {
    await pool.query(
      `INSERT INTO users (username, username_key, password_hash, is_admin)
       SELECT 'pilot' || i, 'pilot' || i, '', i = 1 FROM generate_series($1::int, $2::int) AS i`,
      [from, Math.min(from + USERS_AT_ONCE - 1, users)],
    )
  }
  await pool.query('INSERT INTO user_usage SELECT id, 10, 3, 50000000, 1 FROM users')
  await pool.query(`INSERT INTO user_activity SELECT id, now() - make_interval(mins => id) FROM users`)
  await pool.query(
    `INSERT INTO daily_statistics SELECT (now() AT TIME ZONE 'UTC')::date - i, now(), 1, 1, 1, 1 FROM generate_series(1, 400) AS i`,
  )
  for (let from = 1; from <= entries; from += ENTRIES_AT_ONCE) {
    await pool.query(
      `INSERT INTO audit_log (id, at, actor_id, action, owner_id, subject_id)
       SELECT gen_random_uuid(), now() - make_interval(secs => i * 10), 1,
         CASE WHEN i = $2::int THEN 'user.promoted' WHEN i % 3 = 0 THEN 'order.viewed' ELSE 'photo.viewed' END,
         i % $1::int + 1, i
       FROM generate_series($3::int, least($2::int, $3::int + ${ENTRIES_AT_ONCE} - 1)) AS i`,
      [users, entries, from],
    )
  }
  await pool.query('VACUUM ANALYZE')
}

async function openSite(url: string, size: (typeof SIZES)[number]) {
  await migrate(url, join(import.meta.dirname, '../prisma/migrations'))
  const pool = openPool(url)
  await fill(pool, size)
  return { ...size, pool, db: openDatabase(pool) }
}

const search =
  (q: string | null, limit = 50) =>
  ({ db }: Site) =>
    listAudit(db, { q, limit, cursor: null })

const CASES: Record<string, (site: Site) => Promise<unknown>> = {
  statistics: ({ pool }) => readInstallation(pool),
  'audit log, first page': search(null),
  'audit log, first page of 200': search(null, 200),
  'audit log, an actor with all entries': search('pilot1'),
  'audit log, an owner with ten entries': search('pilot50'),
  'audit log, a rare action': search('promoted'),
  'audit log, a rare action of the actor': search('pilot1 promoted'),
  'audit log, the actor and an owner': search('pilot1 pilot50'),
  'audit log, one photo': search('Photo 7'),
  'audit log, nobody': search('nobody'),
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

/** Returns what is too slow. */
async function compare(small: Site, large: Site): Promise<string[]> {
  const slow: string[] = []
  console.log('| what | 100 users, ms | 100,000 users, ms | ratio |\n| --- | ---: | ---: | ---: |')
  for (const [name, read] of Object.entries(CASES)) {
    const times = { small: [] as number[], large: [] as number[] }
    for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
      const [first, second] = [await timed(() => read(small)), await timed(() => read(large))]
      if (round < WARM_UP) continue
      times.small.push(first)
      times.large.push(second)
    }
    const [ms, largeMs] = [median(times.small), median(times.large)]
    console.log(`| ${name} | ${ms.toFixed(2)} | ${largeMs.toFixed(2)} | ${(largeMs / ms).toFixed(2)} |`)
    if (largeMs / ms > MAX_RATIO) slow.push(`${name} takes ${(largeMs / ms).toFixed(1)} times as long`)
  }
  return slow
}

const folder = await mkdtemp(join(tmpdir(), 'skyfolio-bench-'))
// PostgreSQL runs as another user when this runs as root.
await chmod(folder, 0o755)
const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), password: 'bench' })
try {
  const small = await openSite(`${postgres.url}/small`, SIZES[0])
  const large = await openSite(`${postgres.url}/large`, SIZES[1])
  const sums: number[] = []
  for (let round = 0; round < 5; round += 1) sums.push(await timed(() => saveStatistics(large.pool)))
  await saveStatistics(small.pool)
  const slow = await compare(small, large)
  const measureMs = median(sums)
  console.log(`\nThe worker sums up 100,000 users every 30 seconds in ${measureMs.toFixed(0)} ms.`)
  if (measureMs > MAX_MEASURE_MS) slow.push('the sums of the worker')
  for (const what of slow) console.error(`Too slow: ${what}`)
  process.exitCode = slow.length > 0 ? 1 : 0
  await Promise.all([small.pool.end(), large.pool.end()])
} finally {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
