import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort, MINIO_CREDENTIALS } from '@skyfolio/testkit/servers'
import { faultTargets } from '../../components.ts'
import { type LaunchedSystem, launchSystem } from '../../local/launch.ts'
import {
  areAllReady,
  checkBytes,
  checkRows,
  compareProjection,
  findObjectsWithoutRow,
  findRowsWithoutObject,
  openStoredData,
  type StoredData,
} from './consistency.ts'
import { planFaults } from './fault-plan.ts'
import { type ObjectServer, resumeFrozen, startObjectServer } from './inject.ts'
import { seededRandom } from './random.ts'
import { reconcileNow } from './reconcile-now.ts'
import {
  checkProcessExits,
  cleanUp,
  cleanups,
  expectEventually,
  injectFaults,
  limitRun,
  reportResult,
  type Verdict,
} from './runner.ts'
import { createBasePhotos } from './upload-files.ts'
import { runUploadLoad, type UploadReport } from './upload-load.ts'

// `npm run check -- faults:upload [--seed N --seconds 60 --store s3|dir]`: uploads while processes are killed, then checks
// that nothing acknowledged is lost. s3 needs MinIO. Exits with 1 and prints the details when anything is wrong.
const { values: flags } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    seconds: { type: 'string', default: '60' },
    store: { type: 'string', default: 's3' },
    keep: { type: 'boolean', default: false },
  },
})
const seed = Number(flags.seed)
const ms = Number(flags.seconds) * 1000

const READY_TIMEOUT_MS = 60_000
const PROCESSED_TIMEOUT_MS = 120_000
const CONSISTENT_TIMEOUT_MS = 60_000
const RECONCILED_TIMEOUT_MS = 30_000
limitRun(ms + 400_000)

async function startStore(
  dataDir: string,
): Promise<{ objects: ObjectServer | null; settings: Record<string, string> }> {
  if (flags.store === 'dir') return { objects: null, settings: { OBJECT_STORE: 'dir' } }
  const port = await freePort()
  const objects = await startObjectServer(join(dataDir, 'minio'), port)
  cleanups.push(() => objects.stop())
  const settings = {
    OBJECT_STORE: 's3',
    S3_ENDPOINT: `http://127.0.0.1:${port}`,
    S3_BUCKET: 'skyfolio',
    S3_ACCESS_KEY: MINIO_CREDENTIALS.accessKey,
    S3_SECRET_KEY: MINIO_CREDENTIALS.secretKey,
  }
  return { objects, settings }
}

/** Waits until the system has recovered, and checks that nothing was lost. */
async function examine(system: LaunchedSystem, evidence: StoredData, report: UploadReport): Promise<Verdict> {
  const verdict: Verdict = { errors: [...report.errors], facts: [] }
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

  const orphans = async () => findObjectsWithoutRow(photos, await evidence.objectKeys())
  facts.push(
    `objects without a row before reconciling: ${(await orphans()).length}`,
    await reconcileNow(await system.state()),
  )
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

async function main(): Promise<void> {
  console.log(`Fault run with seed ${seed}: ${flags.seconds} s, store ${flags.store}`)
  const dataDir = await mkdtemp(join(tmpdir(), 'skyfolio-faults-'))
  const { objects, settings } = await startStore(dataDir)
  const system = await launchSystem(dataDir, settings)
  cleanups.push(() => system.stop())
  const log = join(dataDir, 'system.log')
  cleanups.push(() => writeFile(log, system.lines.join('\n')))
  cleanups.push(async () => resumeFrozen())
  const servers = ['postgres', 'redis', 'nats', ...(objects ? ['objects'] : [])]
  const faults = planFaults(seededRandom(seed), ms, { services: faultTargets('upload'), servers })
  const photos = await createBasePhotos()

  const faultsStart = Promise.withResolvers<void>()
  const injected = faultsStart.promise.then(() => injectFaults(system, objects, faults))
  // Errors are thrown where it is awaited.
  injected.catch(() => {})
  const report = await runUploadLoad({ url: system.url, seed, ms, photos }, faultsStart.resolve)
  console.log('The load has ended.')
  await injected

  const evidence = await openStoredData(await system.state())
  cleanups.push(() => evidence.close())
  const { errors, facts } = await examine(system, evidence, report)
  const summary = [`seed ${seed}, ${faults.length} faults`, ...describeLoad(report), ...facts]
  reportResult(errors, { summary, fine: 'Nothing was lost.', keep: flags.keep, dataDir, log })
}

try {
  await main()
} finally {
  await cleanUp()
}
