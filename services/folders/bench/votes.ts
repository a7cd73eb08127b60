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

const load = async (options: Load): Promise<LoadResult> => JSON.parse(await node('load.ts', JSON.stringify(options)))

type Skyfolio = Awaited<ReturnType<typeof startSkyfolio>>

/** Gateway and folders service with production behaviour; only the rate limits are raised. */
async function startSkyfolio(system: BenchSystem) {
  const common = {
    NATS_URL: system.urls.nats,
    REDIS_URL: system.urls.redis,
    IDENTITY_KEYS: 'a-key-that-signs-the-identities-of-the-benchmark',
    PUBLIC_ORIGIN: 'http://127.0.0.1',
  }
  const folders = await system.start('services/folders/src/main.ts', {
    ...common,
    DATABASE_URL: system.databaseUrl,
    VOTER_KEYS: VOTER_KEY,
    LINK_KEYS: VOTER_KEY,
  })
  const gateway = await system.start('gateway/src/main.ts', {
    ...common,
    FOLDERS_URL: `http://127.0.0.1:${folders.port}`,
    AUTH_URL: 'http://127.0.0.1:9',
    MEDIA_URL: 'http://127.0.0.1:9',
    PRINT_ORDERS_URL: 'http://127.0.0.1:9',
    REQUESTS_PER_MINUTE: NO_LIMIT,
    VOTES_PER_MINUTE_OF_ADDRESS: NO_LIMIT,
    VOTES_PER_MINUTE_OF_VOTER: NO_LIMIT,
  })
  return { folders, gateway }
}

async function startReference(system: BenchSystem): Promise<{ port: number }> {
  const handler = await system.start('services/folders/bench/reference.ts', {}, ['handler'])
  return system.start('services/folders/bench/reference.ts', {}, ['proxy', String(handler.port)])
}

/** CPU milliseconds per request, by process, while `work` runs; '?' where they cannot be read. */
async function withCosts(system: BenchSystem, skyfolio: Skyfolio, work: () => Promise<LoadResult>) {
  const read = () =>
    Promise.all([
      cpuSeconds(skyfolio.gateway.pid),
      cpuSeconds(skyfolio.folders.pid),
      cpuSeconds(system.postgres.pid, { children: true }),
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

async function votes(system: BenchSystem, skyfolio: Skyfolio, reference: { port: number }): Promise<string[]> {
  const program = await findPgbench()
  const core = Number(await node('votes-core.ts', system.databaseUrl, SHORT))
  await load({ port: skyfolio.gateway.port, seconds: WARM_UP })
  await load({ port: reference.port, seconds: WARM_UP })
  const through: Awaited<ReturnType<typeof withCosts>>[] = []
  const ordinary: LoadResult[] = []
  const direct: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    through.push(await withCosts(system, skyfolio, () => load({ port: skyfolio.gateway.port, seconds: SECONDS })))
    ordinary.push(await load({ port: reference.port, seconds: SECONDS }))
    if (program) direct.push(await pgbench(program, system.databaseUrl, system.folder, SECONDS))
  }
  const peak = through.reduce((top, one) => (one.result.perSecond > top.result.perSecond ? one : top))
  const { perSecond } = peak.result
  const half = await withCosts(system, skyfolio, () =>
    load({ port: skyfolio.gateway.port, seconds: SECONDS, rate: perSecond / 2 }),
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
    `Responses: ${JSON.stringify(peak.result.statuses)}.`,
  ]
}

/** The same load on each folder in turn. */
async function folderSizes(system: BenchSystem, { gateway }: Skyfolio): Promise<string[]> {
  await seedBallots(system.databaseUrl)
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
    locked: 'a folder whose link has a password (budget 1.1)',
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

/** The share page of the small folder, compressed and plain, each beside a static body of equal size through the proxy. */
async function sharePages(system: BenchSystem, skyfolio: Skyfolio, reference: { port: number }): Promise<string[]> {
  const lines: string[] = []
  const path = `/api/share/${FOLDERS.small.code}`
  for (const gzip of [true, false]) {
    const request = { port: skyfolio.gateway.port, path, gzip }
    const { bytes } = await load({ ...request, seconds: 1 })
    const staticBody = { port: reference.port, path: `/static/${bytes}` }
    await load({ ...staticBody, seconds: 1 })
    const through: Awaited<ReturnType<typeof withCosts>>[] = []
    const ordinary: LoadResult[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      through.push(await withCosts(system, skyfolio, () => load({ ...request, seconds: SHORT })))
      ordinary.push(await load({ ...staticBody, seconds: SHORT }))
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
const selected = process.argv.slice(2)
const system = await startBenchSystem()
try {
  const skyfolio = await startSkyfolio(system)
  const reference = await startReference(system)
  for (const [name, part] of Object.entries(parts)) {
    if (selected.length > 0 && !selected.includes(name)) continue
    const lines = await part(system, skyfolio, reference)
    process.stdout.write(`${lines.join('\n')}\n`)
  }
} finally {
  await system.close()
}
