// `npm run check -- load:visits`: k6 plays whole visits to a share of a system that it starts, or of the one at BASE_URL: the
// page, the share, its pictures as a phone chooses them, three votes, and a return. `--rate 5 --seconds 20` begins visits at
// a rate; `--people 300` lets so many visitors arrive within ten seconds, with `--address one` all from one address;
// `--saturate 20` measures visits a second with so many visitors at a time who never wait, and the same files from
// @fastify/static behind @fastify/http-proxy. Afterwards the votes are checked as by load:votes. Exits with code 1 when a
// request was refused, an unchanged picture was sent again, or a vote is lost.
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type LaunchedSystem, launchSystem } from '../../local/launch.ts'
import { startReference } from '../bench/picture-reference-server.ts'
import { runSharedCaches } from '../shared-cache/run.ts'
import { readVotes } from './check-votes.ts'
import { createPhotos } from './large-photos.ts'
import { readThresholds, removeReport, reportChecks, runK6, type Summary } from './run-k6.ts'
import { type SeededFolders, seedFolders } from './seed-folders.ts'
import { checkTarget } from './target.ts'
import { verifyVotes } from './verify-votes.ts'
import { copyVisitFiles, listVisitFiles } from './visit-files.ts'

const { values: flags } = parseArgs({
  options: {
    rate: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '20' },
    people: { type: 'string' },
    saturate: { type: 'string' },
    // `each`: every visitor has an address of its own, as if through a proxy.
    address: { type: 'string', default: 'each' },
    // Seconds until visitors return.
    return: { type: 'string' },
    photos: { type: 'string', default: '30' },
    // Photos of 480 pixels, which are rendered at once.
    small: { type: 'boolean', default: false },
    // Instead: nginx and Varnish in front of a system, see ../shared-cache.
    caches: { type: 'boolean', default: false },
    compare: { type: 'string', default: '2000' },
  },
})
const scenario = flags.people ? 'crowd' : flags.saturate ? 'saturate' : 'arrivals'
const seconds = Number(flags.seconds)
const returnAfter = Number(flags.return ?? (scenario === 'saturate' ? 0 : 15))
const ARRIVE_SECONDS = 10
const RENDERED_WITHIN_MS = 240_000

const SYSTEM_SETTINGS = {
  ...(flags.address === 'each' && { TRUSTED_PROXIES: '127.0.0.1' }),
  ...(scenario === 'saturate' && { SKYFOLIO_HEAP: 'default' }),
}

/** A public folder whose photos are all rendered. */
async function prepareFolder(baseUrl: string): Promise<SeededFolders> {
  const account = { username: `visits-${randomBytes(4).toString('hex')}`, password: randomBytes(12).toString('hex') }
  const photos = Number(flags.photos)
  const files = flags.small ? undefined : createPhotos(photos)
  const seeded = await seedFolders(baseUrl, account, { folders: 1, photos }, files)
  await waitUntilRendered(`${baseUrl}/api/share/${seeded.folders[0]?.code}`)
  return seeded
}

async function waitUntilRendered(url: string): Promise<void> {
  for (const deadline = Date.now() + RENDERED_WITHIN_MS; Date.now() < deadline; await delay(250)) {
    const { photos } = (await (await fetch(url)).json()) as { photos: { previewUrl: string | null }[] }
    if (photos.every(({ previewUrl }) => previewUrl)) return
  }
  throw new Error('The photos are not rendered.')
}

/** Runs k6 on our system or on a static server. Returns its figures. */
async function visit(
  baseUrl: string,
  directory: string,
  name: string,
  env: Record<string, string>,
): Promise<{ metrics: Summary['metrics']; output: string }> {
  const [output, summaryFile] = [join(directory, `${name}.log`), join(directory, `${name}.json`)]
  const duration = scenario === 'crowd' ? ARRIVE_SECONDS : seconds
  await runK6('deploy/checks/load/k6-visit.ts', output, duration + returnAfter, {
    BASE_URL: baseUrl,
    SCENARIO: scenario,
    RATE: flags.rate,
    SECONDS: flags.seconds,
    PEOPLE: flags.people ?? flags.saturate ?? '1',
    ARRIVE: String(ARRIVE_SECONDS),
    RETURN: String(returnAfter),
    ADDRESS: flags.address,
    RUN: `visit-${randomBytes(4).toString('hex')}`,
    SUMMARY: summaryFile,
    // The addresses of the reference are those of one kind of phone.
    ...(scenario === 'saturate' && { DENSITY: '2' }),
    ...env,
  })
  const { metrics } = JSON.parse(await readFile(summaryFile, 'utf8')) as Summary
  return { metrics, output }
}

const countOf = (metrics: Summary['metrics'], name: string) => metrics[name]?.values.count ?? 0
const perSecondOf = (metrics: Summary['metrics'], name: string) => metrics[name]?.values.rate ?? 0

function describeVisits(metrics: Summary['metrics']): string[] {
  const times = (name: string) => {
    const { med = 0, 'p(95)': p95 = 0 } = metrics[name]?.values ?? {}
    return `median ${med.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms`
  }
  return [
    `${countOf(metrics, 'visits_completed')} visits, ${countOf(metrics, 'visits_pictures')} pictures of them and of their returns; refused: ${countOf(metrics, 'visits_refused')}`,
    `pictures of the first screen: ${times('visits_first_screen')}; all pictures: ${times('visits_all_pictures')}; any response: ${times('http_req_duration')}`,
  ]
}

/** The same visits' files from a static server, after ours. */
async function describeReference(
  baseUrl: string,
  directory: string,
  code: string,
  ours: Summary['metrics'],
): Promise<string> {
  const reference = await startReference(directory)
  try {
    const files = await listVisitFiles(baseUrl, code)
    await copyVisitFiles(baseUrl, files, reference.files)
    const list = join(directory, 'visit-files.json')
    await writeFile(list, JSON.stringify(files))
    const { metrics } = await visit(`http://127.0.0.1:${reference.port}`, directory, 'reference', { FILES: list })
    const failed = Object.entries(readThresholds(metrics)).filter(([, ok]) => !ok)
    if (failed.length > 0) throw new Error(`The reference failed: ${failed.map(([name]) => name).join(', ')}`)
    const [own, other] = [perSecondOf(ours, 'visits_completed'), perSecondOf(metrics, 'visits_completed')]
    return `${flags.saturate} visitors at a time: ${own.toFixed(1)} visits a second; the same files without votes from @fastify/static behind @fastify/http-proxy: ${other.toFixed(1)} (ratio ${(own / other).toFixed(2)})`
  } finally {
    await reference.stop()
  }
}

async function load(baseUrl: string, directory: string, system: LaunchedSystem | null) {
  const { owner, folders } = await prepareFolder(baseUrl)
  const [folder] = folders
  if (!folder) throw new Error('No folder was created.')
  const { metrics, output } = await visit(baseUrl, directory, 'visits', { CODE: folder.code })
  console.log(describeVisits(metrics).join('\n'))
  if (flags.saturate) console.log(await describeReference(baseUrl, directory, folder.code, metrics))
  const votes = readVotes(await readFile(output, 'utf8'))
  const codes = new Map([[folder.id, folder.code]])
  const target = { baseUrl, codes, owner, system, compare: Number(flags.compare) }
  return { ...readThresholds(metrics), ...(await verifyVotes(target, votes)) }
}

async function main(): Promise<void> {
  await removeReport('load-visits')
  const directory = await mkdtemp(join(tmpdir(), 'skyfolio-visits-'))
  const { BASE_URL, ALLOW_REMOTE } = process.env
  let system: LaunchedSystem | null = null
  // When root runs this, PostgreSQL runs as another user.
  await chmod(directory, 0o755)
  try {
    if (!BASE_URL) system = await launchSystem(join(directory, 'data'), SYSTEM_SETTINGS)
    const baseUrl = checkTarget(system?.url ?? BASE_URL ?? '', ALLOW_REMOTE)
    await reportChecks('load-visits', await load(baseUrl, directory, system))
  } finally {
    await system?.stop()
    await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

await (flags.caches ? runSharedCaches() : main())
