// Votes and share pages through the real gateway beside the references of their budgets, in one run, on this machine's
// loopback only. Prints Markdown. `npm run check -- bench:votes`; takes some four minutes. `votes`, `share` or
// `folders` runs that part alone.
import { execFile } from 'node:child_process'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cpuSeconds } from '@skyfolio/testkit/servers'
import type { Load, LoadResult } from './load.ts'
import { findPgbench, pgbench } from './pgbench.ts'
import {
  BALLOTS,
  type BenchSystem,
  CONNECTIONS,
  emptyWebRoot,
  FOLDERS,
  type FolderName,
  seedBallots,
  startBenchSystem,
  VOTER_KEY,
} from './system.ts'

const WARM_UP = 3
const SECONDS = 7
const SHORT = 4
const ROUNDS = 2
const NO_LIMIT = '1000000000'
const run = promisify(execFile)
const here = (script: string) => fileURLToPath(new URL(script, import.meta.url))

async function node(script: string, ...args: (string | number)[]): Promise<string> {
  return (await run(process.execPath, [here(script), ...args.map(String)])).stdout.trim()
}

const load = async (o: Load): Promise<LoadResult> => JSON.parse(await node('load.ts', JSON.stringify(o)))

type Ours = Awaited<ReturnType<typeof startOurs>>

/** Gateway and folders service with all that they do when shipped; only the numbers of the rate limits are raised. */
async function startOurs(world: BenchSystem) {
  const common = {
    NATS_URL: world.urls.nats,
    REDIS_URL: world.urls.redis,
    IDENTITY_KEYS: 'a-key-that-signs-the-identities-of-the-benchmark',
    PUBLIC_ORIGIN: 'http://127.0.0.1',
  }
  const folders = await world.start('services/folders/src/main.ts', {
    ...common,
    DATABASE_URL: world.databaseUrl,
    VOTER_KEYS: VOTER_KEY,
  })
  const gateway = await world.start('gateway/src/main.ts', {
    ...common,
    FOLDERS_URL: `http://127.0.0.1:${folders.port}`,
    AUTH_URL: 'http://127.0.0.1:9',
    MEDIA_URL: 'http://127.0.0.1:9',
    WEB_ROOT: await emptyWebRoot(world.folder),
    REQUESTS_PER_MINUTE: NO_LIMIT,
    VOTES_PER_MINUTE_OF_ADDRESS: NO_LIMIT,
    VOTES_PER_MINUTE_OF_VOTER: NO_LIMIT,
  })
  return { folders, gateway }
}

async function startReference(world: BenchSystem): Promise<{ port: number }> {
  const handler = await world.start('services/folders/bench/reference.ts', {}, ['handler'])
  return world.start('services/folders/bench/reference.ts', {}, ['proxy', String(handler.port)])
}

/** Milliseconds of CPU for a request, by part, while `work` runs; null where they cannot be read. */
async function withCosts(world: BenchSystem, ours: Ours, work: () => Promise<LoadResult>) {
  const read = () =>
    Promise.all([
      cpuSeconds(ours.gateway.pid),
      cpuSeconds(ours.folders.pid),
      cpuSeconds(world.postgres.pid, { children: true }),
    ])
  const before = await read()
  const result = await work()
  const after = await read()
  const requests = Object.values(result.statuses).reduce((sum, count) => sum + count, 0)
  const costs = after.map((seconds, index) =>
    seconds === null ? null : ((seconds - (before[index] ?? 0)) * 1000) / requests,
  )
  return { result, costs: [...costs, result.cpu].map((cost) => (cost === null ? '?' : cost.toFixed(3))) }
}

const best = (results: LoadResult[]) => Math.max(...results.map((result) => result.perSecond))
const whole = (value: number) => Math.round(value).toLocaleString('en')
const ratio = (one: number, other: number) => (one / other).toFixed(2)

async function votes(world: BenchSystem, ours: Ours, reference: { port: number }): Promise<string[]> {
  const program = await findPgbench()
  const core = Number(await node('votes-core.ts', world.databaseUrl, SHORT))
  await load({ port: ours.gateway.port, seconds: WARM_UP })
  await load({ port: reference.port, seconds: WARM_UP })
  const through: Awaited<ReturnType<typeof withCosts>>[] = []
  const ordinary: LoadResult[] = []
  const direct: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    through.push(await withCosts(world, ours, () => load({ port: ours.gateway.port, seconds: SECONDS })))
    ordinary.push(await load({ port: reference.port, seconds: SECONDS }))
    if (program) direct.push(await pgbench(program, world.databaseUrl, world.folder, SECONDS))
  }
  const peak = through.reduce((top, one) => (one.result.perSecond > top.result.perSecond ? one : top))
  const { perSecond } = peak.result
  const half = await withCosts(world, ours, () =>
    load({ port: ours.gateway.port, seconds: SECONDS, rate: perSecond / 2 }),
  )
  const pgbenchLine = program
    ? `${whole(Math.max(...direct))} | ${ratio(perSecond, Math.max(...direct))} × (budget 2) |`
    : 'not measured: this PostgreSQL came without pgbench | |'
  return [
    `Votes at ${CONNECTIONS} connections, best of ${ROUNDS} rounds of ${SECONDS} s; ${cpus().length} × ${cpus()[0]?.model.trim()}`,
    '',
    '| what | a second | ours is |',
    '| --- | ---: | ---: |',
    `| durable votes through the gateway | ${whole(perSecond)} | |`,
    `| reference: @fastify/http-proxy before a handler that stores nothing | ${whole(best(ordinary))} | ${ratio(perSecond, best(ordinary))} × (budget 1.5) |`,
    `| reference: pgbench, one transaction a vote | ${pgbenchLine}`,
    `| durable votes inside the service, without HTTP | ${whole(core)} | |`,
    '',
    '| CPU milliseconds for a vote | gateway | folders | PostgreSQL | load generator |',
    '| --- | ---: | ---: | ---: | ---: |',
    `| at the peak | ${peak.costs.join(' | ')} |`,
    `| at half of it | ${half.costs.join(' | ')} |`,
    '',
    `At the peak p50 ${peak.result.p50.toFixed(0)} ms, p99 ${peak.result.p99.toFixed(0)} ms; at half of it (${whole(half.result.perSecond)} a second) p50 ${half.result.p50.toFixed(0)} ms, p99 ${half.result.p99.toFixed(0)} ms (budget 50).`,
    `Answers: ${JSON.stringify(peak.result.statuses)}.`,
  ]
}

/** The same load on each folder in turn. */
async function folderSizes(world: BenchSystem, { gateway }: Ours): Promise<string[]> {
  await seedBallots(world.databaseUrl)
  await load({ port: gateway.port, seconds: WARM_UP })
  const names = Object.keys(FOLDERS) as FolderName[]
  const results = new Map<FolderName, LoadResult[]>(names.map((name) => [name, []]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const folder of names) {
      results.get(folder)?.push(await load({ port: gateway.port, seconds: SHORT, folder }))
    }
  }
  const small = best(results.get('small') ?? [])
  const describe = {
    small: 'a folder of 30 photos',
    'many ballots': `a folder of ${BALLOTS.toLocaleString('en')} ballots`,
    'many photos': 'a folder of 5,000 photos',
  }
  return [
    '',
    '| votes in | a second | slower by (budget 1.2) |',
    '| --- | ---: | ---: |',
    ...names.map((name) => {
      const votes = best(results.get(name) ?? [])
      return `| ${describe[name]} | ${whole(votes)} | ${ratio(small, votes)} |`
    }),
  ]
}

/** The share page of the small folder, compressed and plain, each beside a static body of its size through the proxy. */
async function sharePages(world: BenchSystem, ours: Ours, reference: { port: number }): Promise<string[]> {
  const lines: string[] = []
  const path = `/api/share/${FOLDERS.small.code}`
  for (const gzip of [true, false]) {
    const asked = { port: ours.gateway.port, path, gzip }
    const { bytes } = await load({ ...asked, seconds: 1 })
    const fixed = { port: reference.port, path: `/static/${bytes}` }
    await load({ ...fixed, seconds: 1 })
    const through: Awaited<ReturnType<typeof withCosts>>[] = []
    const ordinary: LoadResult[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      through.push(await withCosts(world, ours, () => load({ ...asked, seconds: SHORT })))
      ordinary.push(await load({ ...fixed, seconds: SHORT }))
    }
    const perSecond = best(through.map(({ result }) => result))
    const [gateway, folders] = through.at(-1)?.costs ?? []
    lines.push(
      `| ${gzip ? 'gzip' : 'plain'} | ${whole(bytes)} | ${whole(perSecond)} | ${whole(best(ordinary))} | ${ratio(perSecond, best(ordinary))} | ${gateway} | ${folders} |`,
    )
  }
  return [
    '',
    '| share page | bytes | a second | static body through the proxy | ours is (budget 0.8) | gateway, ms | folders, ms |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...lines,
  ]
}

const parts = { votes, share: sharePages, folders: folderSizes }
const wanted = process.argv.slice(2)
const world = await startBenchSystem()
try {
  const ours = await startOurs(world)
  const reference = await startReference(world)
  for (const [name, part] of Object.entries(parts)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    const lines = await part(world, ours, reference)
    process.stdout.write(`${lines.join('\n')}\n`)
  }
} finally {
  await world.close()
}
