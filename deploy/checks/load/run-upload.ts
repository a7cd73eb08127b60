// `npm run check -- load:upload --seconds 10`: k6 uploads real, unique photos through the gateway of a system that it
// starts, or of the one at BASE_URL (on another machine with ALLOW_REMOTE=yes). Afterwards each acknowledged photo is
// downloaded and compared by SHA-256. Exits with code 1 when a threshold is crossed or an original differs.
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { dronePhoto, packagedPhotos } from '@skyfolio/testkit/photos'
import { type LaunchedSystem, launchSystem } from '../../local/launch.ts'
import { type Acknowledged, compareOriginals } from './compare-originals.ts'
import { readThresholds, removeReport, reportChecks, runK6, type Summary } from './run-k6.ts'
import { checkTarget } from './target.ts'

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    vus: { type: 'string', default: '8' },
    users: { type: 'string', default: '4' },
    // Size of the random sample of acknowledged photos that is compared.
    compare: { type: 'string', default: '5000' },
  },
})
async function writePhotos(folder: string): Promise<string[]> {
  const paths = packagedPhotos().map((_, index) => join(folder, `photo-${index}.jpg`))
  for (const [index, base] of packagedPhotos().entries()) {
    await writeFile(paths[index] ?? '', await dronePhoto({ base, latitude: 46.84 + index, longitude: -91.99 }))
  }
  return paths
}

async function load(baseUrl: string, folder: string): Promise<Record<string, boolean>> {
  const account = `load-${randomBytes(4).toString('hex')}`
  const password = randomBytes(12).toString('base64url')
  const summaryFile = join(folder, 'summary.json')
  const output = join(folder, 'acknowledged')
  await runK6('deploy/checks/load/k6-upload.ts', output, Number(flags.seconds), {
    BASE_URL: baseUrl,
    PHOTOS: (await writePhotos(folder)).join(','),
    SECONDS: flags.seconds,
    VUS: flags.vus,
    USERS: flags.users,
    LOAD_ACCOUNT: account,
    LOAD_PASSWORD: password,
    SUMMARY: summaryFile,
  })
  const lines = (await readFile(output, 'utf8')).trim().split('\n').filter(Boolean)
  const acknowledged = lines.map((line) => JSON.parse(line) as Acknowledged)
  const signIn = { baseUrl, account, password }
  const { compared, missing } = await compareOriginals(signIn, acknowledged, Number(flags.compare))
  const { metrics } = JSON.parse(await readFile(summaryFile, 'utf8')) as Summary
  report(metrics, acknowledged.length, compared, missing)
  return { ...readThresholds(metrics), 'every acknowledged photo is stored byte for byte': missing.length === 0 }
}

function report(metrics: Summary['metrics'], acknowledged: number, compared: number, missing: string[]): void {
  const megabytes = (metrics.data_sent?.values.count ?? 0) / 1e6
  const lines = [
    `${acknowledged} photos acknowledged, ${(acknowledged / Number(flags.seconds)).toFixed(1)} per second, ${megabytes.toFixed(0)} MB sent`,
    ...['one', 'group'].map((name) => {
      const { med = 0, 'p(95)': p95 = 0, max = 0 } = metrics[`http_req_duration{name:${name}}`]?.values ?? {}
      return `response time of ${name}: median ${med.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, max ${max.toFixed(0)} ms`
    }),
    `${compared === acknowledged ? 'all' : compared} downloaded and compared, ${missing.length} missing`,
    ...missing.slice(0, 20),
  ]
  console.log(lines.join('\n'))
}

await removeReport('load')
const folder = await mkdtemp(join(tmpdir(), 'skyfolio-load-'))
const { BASE_URL, ALLOW_REMOTE } = process.env
let system: LaunchedSystem | null = null
try {
  if (!BASE_URL) system = await launchSystem(folder)
  const baseUrl = checkTarget(system?.url ?? BASE_URL ?? '', ALLOW_REMOTE)
  await reportChecks('load', await load(baseUrl, folder))
} finally {
  await system?.stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}
