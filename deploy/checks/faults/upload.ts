import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startTcpProxy, type TcpProxy } from '@skyfolio/testkit/tcp-proxy'
import { faultTargets } from '../../components.ts'
import type { LaunchedSystem } from '../../local/launch.ts'
import { cleanups, runCheck, startStore, startSystem } from '../harness.ts'
import { checkAbandoned } from './abandoned.ts'
import {
  areAllReady,
  checkBytes,
  checkRows,
  compareProjection,
  findObjectsWithoutRow,
  findRowsWithoutObject,
  openStoredData,
  type StoredData,
  sweepSessions,
} from './consistency.ts'
import { planFaults } from './fault-plan.ts'
import { resumeFrozen } from './inject.ts'
import { between, type Random, seededRandom } from './random.ts'
import { reconcileNow } from './reconcile-now.ts'
import { checkProcessExits, expectEventually, injectFaults, reportResult, type Verdict } from './runner.ts'
import { createBasePhotos } from './upload-files.ts'
import { runUploadLoad, type UploadReport } from './upload-load.ts'

// `npm run check -- faults:upload [--seed N --seconds 60 --store s3|dir]`: uploads by the form and in parts, through the gateway
// and straight to the store, while processes are killed and lines break, then checks that nothing acknowledged is lost and
// nothing abandoned stays. s3 needs MinIO. Exits with 1 and prints the details when anything is wrong. `--abandoned` kills
// nothing: see abandoned.ts.
const { values: flags } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    seconds: { type: 'string', default: '60' },
    store: { type: 'string', default: 's3' },
    abandoned: { type: 'boolean', default: false },
    sessions: { type: 'string', default: '10000' },
  },
})
const seed = Number(flags.seed)
const ms = Number(flags.seconds) * 1000

const READY_TIMEOUT_MS = 60_000
const PROCESSED_TIMEOUT_MS = 120_000
const CONSISTENT_TIMEOUT_MS = 60_000
const RECONCILED_TIMEOUT_MS = 30_000
const SWEPT_TIMEOUT_MS = 120_000

const breakingLines: TcpProxy[] = []

/** A line to this server whose connections break all the time during the load. */
async function startBreakingLine(url: string): Promise<string> {
  const line = await startTcpProxy(url)
  breakingLines.push(line)
  cleanups.push(() => line.close())
  return line.url
}

/** Returns how often the lines broke. What is left afterwards gets through: a part over a slow line takes longer than a break. */
async function breakLines(random: Random): Promise<number> {
  const signal = AbortSignal.timeout(ms)
  let breaks = 0
  while (!signal.aborted && breakingLines.length > 0) {
    await delay(between(random, 1_500, 6_000), undefined, { signal }).catch(() => {})
    breakingLines[Math.floor(random() * breakingLines.length)]?.cut()
    breaks += 1
  }
  return breaks
}

/** Parts go another way where one does not work, so a way that never works would not be noticed. */
function findUnusedWays({ responses }: UploadReport): string[] {
  return [
    ...(responses.has('part 200') ? [] : ['no part was stored through the gateway']),
    ...(flags.store === 'dir' || responses.has('straight 200') ? [] : ['no part was stored straight at the store']),
  ]
}

/** Waits until the system has recovered, and checks that nothing was lost. */
async function examine(system: LaunchedSystem, evidence: StoredData, report: UploadReport): Promise<Verdict> {
  const verdict: Verdict = { errors: [...report.errors, ...findUnusedWays(report)], facts: [] }
  const { errors, facts } = verdict
  const wait = (what: string, withinMs: number, done: () => Promise<boolean>) =>
    expectEventually(verdict, what, withinMs, done)
  const processing = async () => (await evidence.photos()).filter(({ status }) => status === 'processing')
  await wait('every service is ready', READY_TIMEOUT_MS, async () => areAllReady(await system.state()))
  await wait('no photo is in processing', PROCESSED_TIMEOUT_MS, async () => (await processing()).length === 0)
  await wait('the projection in folders matches media', CONSISTENT_TIMEOUT_MS, async () => {
    return compareProjection(await evidence.photos(), await evidence.projectedPhotos()).length === 0
  })

  const photos = await evidence.photos()
  errors.push(...compareProjection(photos, await evidence.projectedPhotos()))
  errors.push(...checkRows(photos, report))
  errors.push(...findRowsWithoutObject(photos, await evidence.objectKeys()))
  errors.push(...(await checkBytes(system.url, photos, report.acknowledged)))

  const unverified = photos.filter(({ sha256Verified }) => !sha256Verified)
  errors.push(...unverified.map(({ id }) => `the SHA-256 of photo ${id} was never verified`))
  const sessions = await evidence.uploadSessions()
  errors.push(...sessions.filter(({ state }) => state === 'completing').map(({ id }) => `${id} is still completing`))
  await sweepSessions(verdict, evidence, SWEPT_TIMEOUT_MS)

  const orphans = async () => findObjectsWithoutRow(photos, await evidence.objectKeys())
  const kinds = Map.groupBy(await orphans(), (key) => key.split('/')[0])
  facts.push(
    `objects without a row before reconciling: ${[...kinds].map(([kind, keys]) => `${keys.length} ${kind}`).join(', ') || 0}`,
    await reconcileNow(await system.state()),
  )
  const uploads = await evidence.incompleteUploads()
  errors.push(...uploads.map((id) => `the upload ${id} remained at the store after reconciling`))
  await wait('no object is without a row', RECONCILED_TIMEOUT_MS, async () => (await orphans()).length === 0)
  const remaining = await orphans()
  errors.push(...remaining.map((key) => `${key} remained after reconciling and belongs to no photo`))
  errors.push(...findRowsWithoutObject(photos, await evidence.objectKeys()).map((line) => `after reconciling ${line}`))

  checkProcessExits(verdict, system)
  return verdict
}

function describeLoad({ acknowledged, rejected, requests, responses }: UploadReport): string[] {
  const megabytes = acknowledged.reduce((sum, { file }) => sum + file.bytes.length, 0) / 1e6
  const photos = new Set(acknowledged.map(({ photoId }) => photoId)).size
  return [
    `files acknowledged: ${acknowledged.length} (${photos} photos, ${megabytes.toFixed(0)} MB), rejected as invalid: ${rejected}`,
    `requests: ${requests}; responses: ${[...responses].map(([response, count]) => `${count} × ${response}`).join(', ')}`,
  ]
}

async function checkUploads(folder: string): Promise<void> {
  console.log(`Fault run with seed ${seed}: ${flags.seconds} s, store ${flags.store}`)
  const store = flags.store === 'dir' ? null : await startStore(folder)
  const settings: Record<string, string> = store
    ? { ...store.settings, S3_PUBLIC_ENDPOINT: await startBreakingLine(store.url) }
    : {}
  const system = await startSystem(folder, settings)
  cleanups.push(async () => resumeFrozen())
  const servers = ['postgres', 'redis', 'nats', ...(store ? ['objects'] : [])]
  const faults = planFaults(seededRandom(seed), ms, { services: faultTargets('upload'), servers })
  const photos = await createBasePhotos()

  const uploadUrl = await startBreakingLine(system.url)
  const faultsStart = Promise.withResolvers<void>()
  const injected = faultsStart.promise.then(() => injectFaults(system, store, faults))
  // Errors are thrown where it is awaited.
  injected.catch(() => {})
  const breaks = faultsStart.promise.then(() => breakLines(seededRandom(seed + 1_000)))
  const load = { url: system.url, uploadUrl, inParts: 0.7, seed, ms, photos }
  const report = await runUploadLoad(load, faultsStart.resolve)
  console.log('The load has ended.')
  await injected

  const evidence = await openStoredData(await system.state())
  cleanups.push(() => evidence.close())
  const verdict = await examine(system, evidence, report)
  const plan = `seed ${seed}, ${faults.length} faults, ${await breaks} breaks of lines`
  reportResult(verdict, [plan, ...describeLoad(report)], 'Nothing was lost.')
}

await runCheck(flags.abandoned ? 1_800_000 : ms + 400_000, (folder) =>
  flags.abandoned ? checkAbandoned(folder, flags.store, Number(flags.sessions)) : checkUploads(folder),
)
