import { setTimeout as delay } from 'node:timers/promises'
import { startTcpProxy, type TcpProxy } from '@skyfolio/testkit/tcp-proxy'
import { faultTargets } from '../../components.ts'
import type { LaunchedSystem } from '../../local/launch.ts'
import { cleanups, runCheck, startStore, startSystem } from '../harness.ts'
import { generatePhotos } from '../load/seed-folders.ts'
import { PRODUCTION_LIMIT_MS, type Probed, photoChanges, sendProbe, startProduction } from '../topology/production.ts'
import { checkAbandoned } from './abandoned.ts'
import {
  checkBytes,
  checkRows,
  expectRecovery,
  findObjectsWithoutRow,
  findRowsWithoutObject,
  openStoredData,
  reconcileNow,
  type StoredData,
  sweepSessions,
} from './consistency.ts'
import { injectFaults, resumeFrozen } from './inject.ts'
import { disturbQueues } from './queue-faults.ts'
import { between, type Random, seededRandom } from './random.ts'
import { checkProcessExits, expectEventually, listCounts, readFlags, reportResult, type Verdict } from './runner.ts'
import { createBasePhotos } from './upload-files.ts'
import { runUploadLoad, type UploadReport } from './upload-load.ts'

// `npm run check -- faults:upload [--seed N --seconds 60]`: uploads by the form and in parts, through the gateway and straight
// to the store, while processes are killed, lines break, Redis loses its data and a worker freezes, then checks that nothing
// acknowledged is lost and nothing abandoned stays. Exits with 1 and prints the details when anything is wrong. `--abandoned`
// kills nothing: see abandoned.ts.
const { seed, ms, abandoned, isProduction, pooler } = readFlags()

/** The machine runs all stores three times: their answers are measured, not its load. */
const LIGHT = { users: 2, uploadsPerUser: 1, pauseMs: 4_000 }

const PROCESSED_TIMEOUT_MS = 120_000
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
    ...(responses.has('part 204') ? [] : ['no part was stored through the gateway']),
    ...(responses.has('straight 200') ? [] : ['no part was stored straight at the store']),
  ]
}

/** Photos that the probes of a production run uploaded: those that were acknowledged. */
interface ProbedUploads {
  userId: number
  ids: number[]
}

/** Waits until the system has recovered, and checks that nothing was lost. */
async function examine(
  system: LaunchedSystem,
  evidence: StoredData,
  report: UploadReport,
  probes: ProbedUploads = { userId: 0, ids: [] },
): Promise<Verdict> {
  const verdict: Verdict = { errors: [...report.errors, ...findUnusedWays(report)], facts: [] }
  const { errors, facts } = verdict
  await expectEventually(verdict, 'no photo is in processing', PROCESSED_TIMEOUT_MS, async () => {
    return (await evidence.photos()).every(({ status }) => status !== 'processing')
  })
  await expectRecovery(verdict, system, evidence)
  const photos = await evidence.photos()
  errors.push(
    ...checkRows(
      photos.filter(({ userId }) => userId !== probes.userId),
      report,
    ),
  )
  const ids = new Set(photos.map(({ id }) => id))
  errors.push(...probes.ids.filter((id) => !ids.has(id)).map((id) => `photo ${id} of a probe does not exist`))
  errors.push(...(await checkBytes(system.url, photos, report.acknowledged)))
  const unverified = photos.filter(({ sha256Verified }) => !sha256Verified)
  errors.push(...unverified.map(({ id }) => `the SHA-256 of photo ${id} was never verified`))

  const sessions = await evidence.uploadSessions()
  errors.push(...sessions.filter(({ state }) => state === 'completing').map(({ id }) => `${id} is still completing`))
  await sweepSessions(verdict, evidence, SWEPT_TIMEOUT_MS)

  const orphans = async () => findObjectsWithoutRow(photos, await evidence.objectKeys())
  facts.push(`objects without a row before reconciling: ${(await orphans()).length}`)
  facts.push(await reconcileNow(await system.state()))
  const uploads = await evidence.incompleteUploads()
  errors.push(...uploads.map((id) => `the upload ${id} remained at the store after reconciling`))
  await expectEventually(verdict, 'no object is without a row', RECONCILED_TIMEOUT_MS, async () => {
    return (await orphans()).length === 0
  })
  errors.push(...(await orphans()).map((key) => `${key} remained after reconciling and belongs to no photo`))
  errors.push(...findRowsWithoutObject(photos, await evidence.objectKeys()))
  checkProcessExits(verdict, system)
  return verdict
}

function describeLoad({ acknowledged, rejected, requests, responses }: UploadReport): string[] {
  const megabytes = acknowledged.reduce((sum, { file }) => sum + file.bytes.length, 0) / 1e6
  const photos = new Set(acknowledged.map(({ photoId }) => photoId)).size
  return [
    `files acknowledged: ${acknowledged.length} (${photos} photos, ${megabytes.toFixed(0)} MB), rejected as invalid: ${rejected}`,
    `requests: ${requests}; responses: ${listCounts(responses)}`,
  ]
}

async function checkUploads(folder: string): Promise<void> {
  console.log(`Fault run with seed ${seed}: ${ms / 1000} s`)
  const store = await startStore(folder)
  const settings = { ...store.settings, S3_PUBLIC_ENDPOINT: await startBreakingLine(store.url) }
  const system = await startSystem(folder, settings)
  cleanups.push(resumeFrozen)
  const targets = { services: faultTargets('upload'), servers: ['postgres', 'redis', 'nats', 'objects'] }
  const photos = await createBasePhotos()

  const uploadUrl = await startBreakingLine(system.url)
  const faultsStart = Promise.withResolvers<void>()
  const injected = faultsStart.promise.then(() =>
    Promise.all([injectFaults(system, store, targets, { seed, ms }), disturbQueues(system, { seed, ms })]),
  )
  // Errors are thrown where it is awaited.
  injected.catch(() => {})
  const breaks = faultsStart.promise.then(() => breakLines(seededRandom(seed + 1_000)))
  const load = { url: system.url, uploadUrl, partOfSessions: 0.7, seed, ms, photos }
  const report = await runUploadLoad(load, faultsStart.resolve)
  console.log('The load has ended.')
  const [faults] = await injected
  await judge(system, report, `seed ${seed}, ${faults} faults, ${await breaks} breaks of lines`)
}

async function checkUploadsInProduction(folder: string): Promise<void> {
  console.log(`Fault run of uploads with stores as in production with seed ${seed}`)
  const { system, probed, inject } = await startProduction(folder, { run: 'upload', seed, pooler }, {})
  const small = generatePhotos({ width: 480, height: 360 })
  const { id: userId } = (await probed.owner.call('GET', '/api/user')) as { id: number }
  const probes: ProbedUploads = { userId, ids: [] }
  const upload = async ({ url, owner, folder }: Probed, signal: AbortSignal) => {
    const { value } = await small.next()
    const body = new FormData()
    body.set('folderId', String(folder.id))
    body.append('photos', new Blob([value], { type: 'image/jpeg' }), 'probe.jpg')
    const headers = { cookie: owner.cookie, origin: url }
    const text = await sendProbe(`${url}/api/upload-photos`, { method: 'POST', headers, body, signal })
    probes.ids.push(...(JSON.parse(text) as { photos: { id: number }[] }).photos.map((photo) => photo.id))
  }
  const faultsStart = Promise.withResolvers<ReturnType<typeof inject>>()
  let isRunning = () => true
  const start = () => {
    const faults = inject(photoChanges, { send: upload, everyMs: 1_000 })
    isRunning = faults.isRunning
    faultsStart.resolve(faults)
  }
  const { url } = system
  const photos = await createBasePhotos()
  const load = { url, partOfSessions: 0.7, seed, ms, isRunning: () => isRunning(), photos, ...LIGHT }
  const report = await runUploadLoad(load, start)
  console.log('The load has ended.')
  report.errors.push(...(await (await faultsStart.promise).injected))
  await judge(system, report, `seed ${seed}`, probes)
}

async function judge(
  system: LaunchedSystem,
  report: UploadReport,
  plan: string,
  probes?: ProbedUploads,
): Promise<void> {
  const evidence = await openStoredData(await system.state())
  cleanups.push(() => evidence.close())
  const verdict = await examine(system, evidence, report, probes)
  reportResult(verdict, [plan, ...describeLoad(report)], 'Nothing was lost.')
}

if (abandoned) await runCheck(1_800_000, checkAbandoned)
else if (isProduction) await runCheck(PRODUCTION_LIMIT_MS, checkUploadsInProduction)
else await runCheck(ms + 400_000, checkUploads)
