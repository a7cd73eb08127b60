import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { migrate } from '@skyfolio/kit/migrations'
import { freePort, startNats, startPostgres, startRedis } from '@skyfolio/testkit/servers'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const READY_MS = 30_000

export interface BenchSystem {
  /** Addresses of the service and of the partner's sandbox. */
  service: string
  sandbox: string
  natsUrl: string
  close(): Promise<void>
}

/** Private, durable servers, the partner's sandbox without latency, and print-orders with these further settings. */
export async function startBenchSystem(settings: Record<string, string>): Promise<BenchSystem> {
  const folder = await mkdtemp(join(tmpdir(), 'skyfolio-bench-'))
  // PostgreSQL runs as another user if this process is root's.
  await chmod(folder, 0o755)
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), password: 'bench' })
  const redis = await startRedis({ dataDir: join(folder, 'redis') })
  const nats = await startNats({ dataDir: join(folder, 'nats') })
  const databaseUrl = `${postgres.url}/print-orders`
  await migrate(databaseUrl, join(root, 'services/print-orders/prisma/migrations'))

  const children: ChildProcess[] = []
  async function start(script: string, port: number, probe: string, env: Record<string, string>): Promise<string> {
    const child = spawn(process.execPath, [join(root, script)], {
      env: { ...process.env, PORT: String(port), ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    children.push(child)
    await waitUntilReady(probe, child)
    return `http://127.0.0.1:${port}`
  }
  const [control, ops] = [await freePort(), await freePort()]
  const sandbox = await start(
    'deploy/partner-sandbox/src/main.ts',
    await freePort(),
    `http://127.0.0.1:${control}/livez`,
    {
      ...{ CONTROL_PORT: String(control), LATENCY: 'off', IMAGE_ORIGIN: settings.PUBLIC_ORIGIN ?? '' },
    },
  )
  await liftLimits(`http://127.0.0.1:${control}`)
  const service = await start('services/print-orders/src/main.ts', await freePort(), `http://127.0.0.1:${ops}/readyz`, {
    ...{
      OPS_PORT: String(ops),
      LOG_LEVEL: 'warn',
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      NATS_URL: nats.url,
    },
    ...{ PARTNER_SANDBOX_URL: sandbox, PARTNER_API_KEY: 'sandbox-key', PARTNER_AFFILIATE_ID: 'sandbox-affiliate' },
    ...{ PARTNER_REQUESTS_PER_MINUTE: '1000000', ORDER_SUBMITS_PER_MINUTE: '1000000' },
    ...settings,
  })
  return {
    service,
    sandbox,
    natsUrl: nats.url,
    async close() {
      await Promise.all(children.map(end))
      await Promise.all([postgres.stop(), redis.stop(), nats.stop()])
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    },
  }
}

/** The sandbox measures no rates, and does not fetch images. */
async function liftLimits(control: string): Promise<void> {
  const response = await fetch(`${control}/profiles/sandbox-affiliate`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ requestsPerMinute: 1_000_000, downloads: false }),
  })
  if (!response.ok) throw new Error(await response.text())
}

async function waitUntilReady(url: string, child: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + READY_MS; Date.now() < deadline; await delay(50)) {
    if (child.exitCode !== null) throw new Error(`a process ended with ${child.exitCode}`)
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
  }
  throw new Error(`${url} is not ready`)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
