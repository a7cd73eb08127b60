// 10,000 mails wait for two replicas of the worker and a mail server that fails every fifth time: it is busy, or takes the
// mail and drops the connection. `npm run check -- load:mails` takes about three minutes and at most ten; it exits with 1 when
// a mail was not delivered or is not recorded as sent.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openPool } from '@skyfolio/kit'
import { migrate } from '@skyfolio/kit/migrations'
import { type FaultRequest, type Mailbox, startMailbox } from '@skyfolio/mailbox'
import { freePort, startNats, startPostgres, startRedis } from '@skyfolio/testkit/servers'

const { values: flags } = parseArgs({ options: { mails: { type: 'string', default: '10000' } } })
const MAILS = Number(flags.mails)
const REPLICAS = 2
const WITHIN_MS = 10 * 60_000
/** Each for a moment, one after the other. */
const FAULTS: FaultRequest[] = [
  { reply: 'busy', every: 5 },
  { reply: 'drop-after-data', every: 5 },
  { reply: 'busy', every: 5, at: 'content' },
]
const FAULT_MS = 1_000

type Pool = ReturnType<typeof openPool>

/** Users with a confirmed address and one waiting mail each: a reset, a warning or a notice. */
async function storeMails(pool: Pool): Promise<void> {
  await pool.query(
    `INSERT INTO users (username, username_key, password_hash, email, email_confirmed)
     SELECT 'pilot' || i, 'pilot' || i, 'none', 'pilot' || i || '@example.com', true FROM generate_series(1, $1::int) AS i`,
    [MAILS],
  )
  await pool.query(
    `INSERT INTO mails (kind, user_id, address, data)
     SELECT CASE id % 4 WHEN 0 THEN 'reset-password' WHEN 1 THEN 'password-changed' WHEN 2 THEN 'photos-failed' ELSE 'order-ready' END,
       CASE id % 4 WHEN 0 THEN NULL ELSE id END, CASE id % 4 WHEN 0 THEN email END,
       CASE id % 4
         WHEN 2 THEN '{"count": 30, "photos": [{"title": "DJI_0001", "message": "The photo is damaged and cannot be shown."}]}'::jsonb
         WHEN 3 THEN '{"orderId": 1, "orderNumber": "512345", "storeNumber": "59", "prints": 4, "isTest": false}'::jsonb
         ELSE '{}'::jsonb END
     FROM users ORDER BY id`,
  )
  await pool.query('VACUUM ANALYZE')
}

async function startWorker(env: Record<string, string>): Promise<ChildProcess> {
  return spawn(process.execPath, [join(import.meta.dirname, '../src/worker.ts')], {
    env: { ...process.env, ...env, OPS_PORT: String(await freePort()), LOG_LEVEL: 'error' },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}

/** Changes the fault of the mailbox until the signal aborts. Returns what it did to mails. */
async function fail(mailbox: Mailbox, signal: AbortSignal): Promise<void> {
  for (let next = 0; !signal.aborted; next += 1) {
    const fault = FAULTS[next % FAULTS.length]
    if (fault) await mailbox.setFault(fault)
    await delay(FAULT_MS, undefined, { signal }).catch(() => {})
  }
}

async function measure(pool: Pool, mailbox: Mailbox, env: Record<string, string>): Promise<string[]> {
  const workers = await Promise.all(Array.from({ length: REPLICAS }, () => startWorker(env)))
  const stopping = new AbortController()
  const failing = fail(mailbox, stopping.signal)
  const start = performance.now()
  try {
    await waitUntilSent(pool, start + WITHIN_MS)
  } finally {
    stopping.abort()
    await failing
    for (const worker of workers) worker.kill('SIGTERM')
    await Promise.all(workers.map((worker) => worker.exitCode ?? once(worker, 'exit')))
  }
  return report(pool, mailbox, (performance.now() - start) / 1000)
}

async function waitUntilSent(pool: Pool, deadline: number): Promise<void> {
  for (let shown = 0; performance.now() < deadline; await delay(200)) {
    const { rows } = await pool.query("SELECT count(*)::int AS waiting FROM mails WHERE status = 'waiting'")
    const { waiting } = rows[0]
    if (waiting === 0) return
    if (Date.now() - shown > 10_000) console.log(`${waiting} wait`)
    else continue
    shown = Date.now()
  }
}

async function report(pool: Pool, mailbox: Mailbox, seconds: number): Promise<string[]> {
  const received = await mailbox.summaries()
  const { rows } = await pool.query<{ id: string; status: string; attempts: number }>(
    'SELECT id, status, attempts FROM mails',
  )
  const copies = Map.groupBy(received, ({ messageId }) => messageId)
  const missing = rows.filter(({ id }) => !copies.has(`<${id}@skyfolio.test>`))
  const addressees = new Set(received.flatMap(({ to }) => to))
  const twice = [...copies.values()].filter(({ length }) => length === 2).length
  const more = [...copies.values()].filter(({ length }) => length > 2).length
  const { busy, dropped } = await mailbox.stats()
  const attempts = Math.max(...rows.map((row) => row.attempts))
  console.log(
    `${MAILS} mails in ${seconds.toFixed(0)} s (${(MAILS / seconds).toFixed(0)} a second), ${REPLICAS} workers. The server was ` +
      `busy ${busy} times and dropped ${dropped} connections after it took the mail. Received ${received.length}: ` +
      `${twice} mails twice, ${more} more often. At most ${attempts} attempts for one mail.`,
  )
  const wrong: string[] = []
  const unsent = rows.filter(({ status }) => status !== 'sent').length
  if (unsent > 0) wrong.push(`${unsent} mails are not recorded as sent`)
  if (missing.length > 0) wrong.push(`${missing.length} mails were not delivered`)
  if (addressees.size !== MAILS) wrong.push(`${addressees.size} of ${MAILS} users got a mail`)
  if (received.length - rows.length > dropped) wrong.push('more mails came twice than connections were dropped')
  return wrong
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'skyfolio-bench-'))
  // PostgreSQL runs as another user when this runs as root.
  await chmod(folder, 0o755)
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), password: 'bench' })
  const redis = await startRedis({ dataDir: join(folder, 'redis') })
  const nats = await startNats({ dataDir: join(folder, 'nats') })
  const mailbox = await startMailbox({ maxMessages: 3 * MAILS })
  const databaseUrl = `${postgres.url}/auth`
  await migrate(databaseUrl, join(import.meta.dirname, '../prisma/migrations'))
  const pool = openPool(databaseUrl)
  const env = {
    ...{ DATABASE_URL: databaseUrl, REDIS_URL: redis.url, NATS_URL: nats.url, PUBLIC_ORIGIN: 'https://skyfolio.test' },
    ...{ SMTP_URL: mailbox.smtpUrl, MAIL_FROM: 'Skyfolio <no-reply@skyfolio.test>' },
  }
  try {
    await storeMails(pool)
    const wrong = await measure(pool, mailbox, env)
    console.log(wrong.length === 0 ? 'Each mail was delivered.' : `FAILED:\n${wrong.join('\n')}`)
    if (wrong.length > 0) process.exitCode = 1
  } finally {
    await pool.end()
    await mailbox.stop()
    await Promise.all([postgres.stop(), redis.stop(), nats.stop()])
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

await main()
