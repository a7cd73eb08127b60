// Votes a second through the real gateway beside the two references of the budget, in one run, on this machine's
// loopback only. Prints Markdown. `npm run bench:votes`; takes about two minutes.
import { execFile } from 'node:child_process'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cpuSeconds } from '@skyfolio/kit/servers'
import type { LoadResult } from './load.ts'
import { findPgbench, pgbench } from './pgbench.ts'
import { CONNECTIONS, emptyWebRoot, openWorld, VOTER_KEY, type World } from './world.ts'

const WARM_UP = 3
const SECONDS = 8
const ROUNDS = 2
const NO_LIMIT = '1000000000'
const run = promisify(execFile)
const here = (script: string) => fileURLToPath(new URL(script, import.meta.url))

async function node(script: string, ...args: (string | number)[]): Promise<string> {
  return (await run(process.execPath, [here(script), ...args.map(String)])).stdout.trim()
}

const load = async (port: number, seconds: number, rate = 0): Promise<LoadResult> =>
  JSON.parse(await node('load.ts', port, seconds, Math.round(rate)))

/** Gateway and folders service with all that they do when shipped; only the numbers of the rate limits are raised. */
async function startOurs(world: World) {
  const common = {
    NATS_URL: world.urls.nats,
    REDIS_URL: world.urls.redis,
    IDENTITY_KEYS: 'a-key-that-signs-the-identities-of-the-benchmark',
    PUBLIC_ORIGIN: 'http://127.0.0.1',
  }
  const folders = await world.start('services/folders/src/main.ts', {
    ...common,
    DATABASE_URL: world.databaseUrl,
    VOTER_KEY,
  })
  const gateway = await world.start('gateway/src/main.ts', {
    ...common,
    FOLDERS_URL: `http://127.0.0.1:${folders.port}`,
    AUTH_URL: 'http://127.0.0.1:9',
    MEDIA_URL: 'http://127.0.0.1:9',
    WEB_ROOT: await emptyWebRoot(world.folder),
    VOTES_PER_MINUTE_OF_ADDRESS: NO_LIMIT,
    VOTES_PER_MINUTE_OF_VOTER: NO_LIMIT,
  })
  return { folders, gateway }
}

async function startReference(world: World): Promise<{ port: number }> {
  const handler = await world.start('services/folders/bench/reference.ts', {}, ['handler'])
  return world.start('services/folders/bench/reference.ts', {}, ['proxy', String(handler.port)])
}

/** Milliseconds of CPU for a vote, by part, while `work` runs; null where they cannot be read. */
async function cpuPerVote(world: World, ours: Awaited<ReturnType<typeof startOurs>>, work: () => Promise<LoadResult>) {
  const read = () =>
    Promise.all([
      cpuSeconds(ours.gateway.pid),
      cpuSeconds(ours.folders.pid),
      cpuSeconds(world.postgres.pid, { children: true }),
    ])
  const before = await read()
  const result = await work()
  const after = await read()
  const votes = Object.values(result.statuses).reduce((sum, count) => sum + count, 0)
  const costs = after.map((seconds, index) =>
    seconds === null ? null : ((seconds - (before[index] ?? 0)) * 1000) / votes,
  )
  return { result, costs }
}

const best = (results: number[]) => Math.max(...results)
const whole = (value: number) => Math.round(value).toLocaleString('en')
const factor = (ours: number, other: number) => `${(ours / other).toFixed(2)}`

const world = await openWorld()
try {
  const program = await findPgbench()
  const core = Number(await node('votes-core.ts', world.databaseUrl, SECONDS))
  const ours = await startOurs(world)
  const reference = await startReference(world)
  await load(ours.gateway.port, WARM_UP)
  await load(reference.port, WARM_UP)

  const through: Awaited<ReturnType<typeof cpuPerVote>>[] = []
  const ordinary: LoadResult[] = []
  const direct: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    through.push(await cpuPerVote(world, ours, () => load(ours.gateway.port, SECONDS)))
    ordinary.push(await load(reference.port, SECONDS))
    if (program) direct.push(await pgbench(program, world.databaseUrl, world.folder, SECONDS))
  }
  const peak = through.reduce((top, one) => (one.result.votesPerSecond > top.result.votesPerSecond ? one : top))
  const half = await load(ours.gateway.port, SECONDS, peak.result.votesPerSecond / 2)
  const votes = peak.result.votesPerSecond
  const proxied = best(ordinary.map((result) => result.votesPerSecond))
  const [gateway, service, postgres] = peak.costs.map((cost) => (cost === null ? '?' : cost.toFixed(3)))

  const lines = [
    `Votes at ${CONNECTIONS} connections, best of ${ROUNDS} rounds of ${SECONDS} s; ${cpus().length} × ${cpus()[0]?.model.trim()}`,
    '',
    '| what | a second | ours is |',
    '| --- | ---: | ---: |',
    `| durable votes through the gateway | ${whole(votes)} | |`,
    `| reference: @fastify/http-proxy before a handler that stores nothing | ${whole(proxied)} | ${factor(votes, proxied)} × (budget 1.5) |`,
    program
      ? `| reference: pgbench, one transaction a vote | ${whole(best(direct))} | ${factor(votes, best(direct))} × (budget 2) |`
      : '| reference: pgbench, one transaction a vote | not measured: this PostgreSQL came without pgbench | |',
    `| durable votes inside the service, without HTTP | ${whole(core)} | |`,
    '',
    `At the peak p50 ${peak.result.p50.toFixed(0)} ms, p99 ${peak.result.p99.toFixed(0)} ms; at half of it (${whole(half.votesPerSecond)} a second) p50 ${half.p50.toFixed(0)} ms, p99 ${half.p99.toFixed(0)} ms (budget 50).`,
    `CPU milliseconds for a vote: gateway ${gateway}, service ${service}, PostgreSQL ${postgres}.`,
    `Answers: ${JSON.stringify(peak.result.statuses)}.`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
} finally {
  await world.close()
}
