// The administrators' list of 100,000 users compared with one of 100: pages, filters and searches through auth's API over
// HTTP, alternating in one run. Prints Markdown. `npm run check -- bench:users [--users 100000]`; takes about a minute.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { IDENTITY_HEADER, openPool, openRedis, type Session, sessionKey, signIdentity } from '@skyfolio/kit'
import { migrate } from '@skyfolio/kit/migrations'
import { freePort, startNats, startPostgres, startRedis } from '@skyfolio/testkit/servers'

const { values: flags } = parseArgs({ options: { users: { type: 'string', default: '100000' } } })
const SMALL = 100
const LARGE = Number(flags.users)
const WARM_UP = 30
const ROUNDS = 200
const BUDGET = 1.5
const LIMIT = 30
/** Each counts in one row, whose versions a transaction keeps until its end. */
const BATCH_ROWS = 200
const IDENTITY_KEY = 'a-key-that-signs-the-identities-of-the-benchmark'
const SESSION = 'bench'
const ADMINISTRATOR = 1

interface List {
  users: number
  origin: string
}

const folder = await mkdtemp(join(tmpdir(), 'skyfolio-bench-'))
// PostgreSQL runs as another user when this runs as root.
await chmod(folder, 0o755)
const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), password: 'bench' })
const redis = await startRedis({ dataDir: join(folder, 'redis') })
const nats = await startNats({ dataDir: join(folder, 'nats') })
const children: ChildProcess[] = []
try {
  await signIn()
  const small = await startList('small', SMALL)
  const large = await startList('large', LARGE)
  await measure(small, large)
} finally {
  for (const child of children) child.kill()
  await Promise.all(children.map((child) => child.exitCode ?? once(child, 'exit')))
  await Promise.all([postgres.stop(), redis.stop(), nats.stop()])
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}

/** The administrator's session, which both services find. */
async function signIn(): Promise<void> {
  const client = openRedis(redis.url, 'bench')
  const createdAt = new Date().toISOString()
  const session: Session = { userId: ADMINISTRATOR, username: 'user1', isAdmin: true, persistent: true, createdAt }
  await client.set(sessionKey(SESSION), JSON.stringify(session))
  client.disconnect()
}

/** A service on a database of its own. */
async function startList(name: string, users: number): Promise<List> {
  const databaseUrl = `${postgres.url}/${name}`
  await migrate(databaseUrl, join(import.meta.dirname, '../prisma/migrations'))
  await fill(databaseUrl, users)
  const [port, opsPort] = [await freePort(), await freePort()]
  const child = spawn(process.execPath, [join(import.meta.dirname, '../src/main.ts')], {
    env: {
      ...process.env,
      LOG_LEVEL: 'warn',
      PORT: String(port),
      OPS_PORT: String(opsPort),
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      NATS_URL: nats.url,
      IDENTITY_KEYS: IDENTITY_KEY,
      PUBLIC_ORIGIN: 'http://skyfolio.test',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  children.push(child)
  await untilReady(opsPort, child)
  return { users, origin: `http://127.0.0.1:${port}` }
}

async function untilReady(opsPort: number, child: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline && child.exitCode === null; await delay(50)) {
    const ready = await fetch(`http://127.0.0.1:${opsPort}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (ready) return
  }
  throw new Error('The service did not become ready.')
}

/**
 * Everybody is a user of example.org; one in forty lives at the harbour, three climb the Zugspitze. Of 100 users 34 are
 * administrators, so that both lists fill a page with them; of more, one in a thousand.
 */
async function fill(databaseUrl: string, users: number): Promise<void> {
  const pool = openPool(databaseUrl, { max: 1 })
  await pool.query('SET synchronous_commit = off')
  for (let from = 1; from <= users; from += BATCH_ROWS) {
    await pool.query(
      `INSERT INTO users (username, username_key, password_hash, email, first_name, last_name, is_admin, created_at, revision)
       SELECT 'user' || n, 'user' || n, '', md5(n::text) || '@example.org', 'Given' || n % 97,
         CASE WHEN n IN (2, $1 / 2, $1 - 2) THEN 'Zugspitze' WHEN n % 40 = 0 THEN 'Harbour' ELSE 'Family' || n % 89 END,
         n % CASE WHEN $1 > 1000 THEN 1000 ELSE 3 END = 1, now() - ($1 - n) * interval '1 minute', 1
       FROM generate_series($2::int, least($1::int, $2 + $3 - 1)) AS n`,
      [users, from, BATCH_ROWS],
    )
  }
  await pool.query(
    `INSERT INTO user_usage (user_id, photos, locations, bytes, revision) SELECT id, id % 500, 3, id * 1000000::bigint, 1 FROM users`,
  )
  await pool.query('INSERT INTO user_activity SELECT id, now() FROM users WHERE id % 3 > 0')
  await pool.query('VACUUM ANALYZE')
  await pool.end()
}

async function get(url: string): Promise<Response> {
  const identity = {
    userId: ADMINISTRATOR,
    username: 'user1',
    isAdmin: true,
    sessionHash: SESSION,
    address: '127.0.0.1',
    confirmedAt: null,
  }
  const response = await fetch(url, { headers: { [IDENTITY_HEADER]: signIdentity(identity, [IDENTITY_KEY]) } })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return response
}

/** Milliseconds until the whole response is read. */
async function timed(url: string): Promise<number> {
  const started = performance.now()
  await (await get(url)).arrayBuffer()
  return performance.now() - started
}

/** The path of the page after this one. */
async function nextOf({ origin }: List, path: string): Promise<string> {
  const response = await get(origin + path)
  await response.arrayBuffer()
  const next = response.headers.get('link')?.match(/^<([^>]+)>/)?.[1]
  if (!next) throw new Error(`${path} is the last page`)
  return next
}

/** The paths of the second and the last page. */
async function pagesOf(list: List): Promise<{ second: string; last: string }> {
  const path = `/api/admin/users?limit=${LIMIT}`
  // A cursor is a position, in either order: after that of the oldest but 30 come the last 30.
  const oldest = new URL(await nextOf(list, `/api/admin/users?sort=oldest&limit=${LIMIT + 1}`), list.origin)
  const cursor = oldest.searchParams.get('cursor')
  return { second: await nextOf(list, path), last: `${path}&cursor=${cursor}` }
}

function median(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
}

async function measure(small: List, large: List): Promise<void> {
  const pages = { small: await pagesOf(small), large: await pagesOf(large) }
  const same = (query: string) => {
    const path = `/api/admin/users?limit=${LIMIT}${query}`
    return { small: path, large: path }
  }
  const requests: Record<string, { small: string; large: string }> = {
    'first page': same(''),
    'next page': { small: pages.small.second, large: pages.large.second },
    'last page by its cursor': { small: pages.small.last, large: pages.large.last },
    'the oldest first': same('&sort=oldest'),
    'role: users': same('&role=user'),
    'role: administrators': same('&role=admin'),
    'search: what everybody has': same('&q=example.org'),
    'search: what one in forty has': same('&q=harbour'),
    'search: what three have': same('&q=zugspitze'),
    'search: three, among users': same('&q=zugspitze&role=user'),
    'search: nobody': same('&q=nobody+of+the+kind'),
    'search: two letters that everybody has': same('&q=us'),
  }
  const lines: string[] = []
  for (const [name, paths] of Object.entries(requests)) lines.push(await compare(name, paths, small, large))
  const users = (count: number) => count.toLocaleString('en')
  process.stdout.write(`Pages of ${LIMIT}, median of ${ROUNDS} alternating requests; ${cpus().length} × ${cpus()[0]?.model.trim()}

| request | ${users(SMALL)} users, ms | ${users(LARGE)} users, ms | ratio (budget ${BUDGET}) | returned | \`X-Total-Count\` |
| --- | ---: | ---: | ---: | ---: | ---: |
${lines.join('\n')}
`)
}

async function compare(name: string, paths: { small: string; large: string }, small: List, large: List) {
  const times = { small: [] as number[], large: [] as number[] }
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const ms = { small: await timed(small.origin + paths.small), large: await timed(large.origin + paths.large) }
    if (round < WARM_UP) continue
    times.small.push(ms.small)
    times.large.push(ms.large)
  }
  const [smallMs, largeMs] = [median(times.small), median(times.large)]
  const response = await get(large.origin + paths.large)
  const returned = ((await response.json()) as unknown[]).length
  const total = response.headers.get('x-total-count') ?? ''
  return `| ${name} | ${smallMs.toFixed(1)} | ${largeMs.toFixed(1)} | ${(largeMs / smallMs).toFixed(2)} | ${returned} | ${total} |`
}
