import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort, MINIO_CREDENTIALS } from '@skyfolio/testkit/servers'
import { faultTargets } from '../../components.ts'
import { type LaunchedSystem, launchSystem } from '../../local/launch.ts'
import {
  allReady,
  checkBytes,
  checkRows,
  type Evidence,
  objectsWithoutRow,
  openEvidence,
  projectionDiffers,
  rowsWithoutObject,
} from './checks.ts'
import { basePhotos } from './files.ts'
import { type Report, runLoad } from './load.ts'
import { planFaults } from './plan.ts'
import { type ObjectServer, startObjectServer, thaw } from './processes.ts'
import { seeded } from './random.ts'
import { boundRun, cleanUp, conclude, expectSoon, injectAll, noteEnds, undo, type Verdict } from './run.ts'
import { sweepNow } from './sweep.ts'

// `npm run check -- faults:upload [--seed N --seconds 60 --store s3|dir]`: uploads while processes are killed, then checks that
// nothing which was acknowledged is lost. Needs MinIO for s3. Ends with 1 and the details when anything is wrong.
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

const readyWithinMs = 60_000
const processedWithinMs = 120_000
const agreedWithinMs = 60_000
const sweptWithinMs = 30_000
// Whatever hangs: the run ends.
boundRun(ms + 400_000)

async function startStore(
  dataDir: string,
): Promise<{ objects: ObjectServer | null; settings: Record<string, string> }> {
  if (flags.store === 'dir') return { objects: null, settings: { OBJECT_STORE: 'dir' } }
  const port = await freePort()
  const objects = await startObjectServer(join(dataDir, 'minio'), port)
  undo.push(() => objects.stop())
  const settings = {
    OBJECT_STORE: 's3',
    S3_ENDPOINT: `http://127.0.0.1:${port}`,
    S3_BUCKET: 'skyfolio',
    S3_ACCESS_KEY: MINIO_CREDENTIALS.accessKey,
    S3_SECRET_KEY: MINIO_CREDENTIALS.secretKey,
  }
  return { objects, settings }
}

/** Waits until the system is itself again and looks for what it lost. */
async function examine(system: LaunchedSystem, evidence: Evidence, report: Report): Promise<Verdict> {
  const verdict: Verdict = { wrong: [...report.wrong], facts: [] }
  const { wrong, facts } = verdict
  const wait = (what: string, withinMs: number, done: () => Promise<boolean>) =>
    expectSoon(verdict, what, withinMs, done)
  const processing = async () => (await evidence.photos()).filter(({ status }) => status === 'processing')
  await wait('every service is ready', readyWithinMs, async () => allReady(await system.state()))
  await wait('no photo is in processing', processedWithinMs, async () => (await processing()).length === 0)
  await wait('folders has the photos that media has', agreedWithinMs, async () => {
    return projectionDiffers(await evidence.photos(), await evidence.projected()).length === 0
  })

  const photos = await evidence.photos()
  wrong.push(...projectionDiffers(photos, await evidence.projected()))
  wrong.push(...checkRows(photos, report))
  wrong.push(...rowsWithoutObject(photos, await evidence.objectKeys()))
  wrong.push(...(await checkBytes(system.url, photos, report.acknowledged)))

  const orphans = async () => objectsWithoutRow(photos, await evidence.objectKeys())
  facts.push(
    `objects without a row before the sweep: ${(await orphans()).length}`,
    await sweepNow(await system.state()),
  )
  await wait('no object is without a row', sweptWithinMs, async () => (await orphans()).length === 0)
  const left = await orphans()
  wrong.push(...left.map((key) => `the sweeper left ${key}, which belongs to no photo`))
  wrong.push(...rowsWithoutObject(photos, await evidence.objectKeys()).map((line) => `after the sweep ${line}`))

  noteEnds(verdict, system)
  return verdict
}

function describeLoad({ acknowledged, refused, requests, answers }: Report): string[] {
  const megabytes = acknowledged.reduce((sum, { file }) => sum + file.bytes.length, 0) / 1e6
  const photos = new Set(acknowledged.map(({ photoId }) => photoId)).size
  return [
    `files acknowledged: ${acknowledged.length} (${photos} photos, ${megabytes.toFixed(0)} MB), refused as bad: ${refused}`,
    `requests: ${requests}; answers: ${[...answers].map(([answer, count]) => `${count} × ${answer}`).join(', ')}`,
  ]
}

async function main(): Promise<void> {
  console.log(`Fault run with seed ${seed}: ${flags.seconds} s, store ${flags.store}`)
  const dataDir = await mkdtemp(join(tmpdir(), 'skyfolio-faults-'))
  const { objects, settings } = await startStore(dataDir)
  const system = await launchSystem(dataDir, settings)
  undo.push(() => system.stop())
  const log = join(dataDir, 'system.log')
  undo.push(() => writeFile(log, system.lines.join('\n')))
  undo.push(async () => thaw())
  const servers = ['postgres', 'redis', 'nats', ...(objects ? ['objects'] : [])]
  const faults = planFaults(seeded(seed), ms, { services: faultTargets('upload'), servers })
  const photos = await basePhotos()

  const faultsStart = Promise.withResolvers<void>()
  const injected = faultsStart.promise.then(() => injectAll(system, objects, faults))
  // What goes wrong there is thrown when it is waited for.
  injected.catch(() => {})
  const report = await runLoad({ url: system.url, seed, ms, photos }, faultsStart.resolve)
  console.log('The load has ended.')
  await injected

  const evidence = await openEvidence(await system.state())
  undo.push(() => evidence.close())
  const { wrong, facts } = await examine(system, evidence, report)
  const summary = [`seed ${seed}, ${faults.length} faults`, ...describeLoad(report), ...facts]
  conclude(wrong, { summary, fine: 'Nothing was lost.', keep: flags.keep, dataDir, log })
}

try {
  await main()
} finally {
  await cleanUp()
}
