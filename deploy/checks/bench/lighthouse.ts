// `npm run check -- lighthouse [--pages share,gallery] [--runs 3]`: Lighthouse's mobile scores of the screens, with
// a folder of 30 photos, as the median of the runs. Prints Markdown; fails when a score is below its goal.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { launchSystem } from '../../local/launch.ts'
import { openSignedInClient } from '../../local/signed-in-client.ts'
import { median } from './picture-loads.ts'
import { createFolder, PHOTOS, uploadPhotos, waitUntilShown } from './shared-folder.ts'

const { values: flags } = parseArgs({
  options: { pages: { type: 'string' }, runs: { type: 'string', default: '3' } },
})
const RUNS = Number(flags.runs)
// Not a dependency: it would be half as large again as all others together.
const LIGHTHOUSE = 'lighthouse@13.5.0'
const ATTEMPTS = 3
const PUBLIC_GOAL = 95
const GOAL = 90

interface Screen {
  name: string
  path: string
  /** Lowest score, of 100. */
  goal: number
  /** Signed in as the owner. */
  owner?: boolean
}

interface Report {
  categories: Record<'performance' | 'accessibility' | 'best-practices', { score: number | null }>
  audits: Record<string, { numericValue?: number }>
  /** Of a page that was not measured. */
  runtimeError?: object
}

/** A trace that Chromium did not record says nothing of the page. @throws Error when Lighthouse fails `ATTEMPTS` times */
async function measure(screen: Screen): Promise<Report> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const report = await runLighthouse(screen)
    if (report) return report
  }
  throw new Error(`Lighthouse failed on ${screen.path}`)
}

/** Null when it fails. */
async function runLighthouse({ path, owner }: Screen): Promise<Report | null> {
  const output = join(dataDir, 'report.json')
  const args = [
    ...['--yes', LIGHTHOUSE, system.url + path, '--quiet', '--output=json', `--output-path=${output}`],
    ...['--only-categories=performance,accessibility,best-practices', '--chrome-flags=--headless=new --no-sandbox'],
    ...(owner ? [`--extra-headers=${headersFile}`] : []),
  ]
  const env = { ...process.env, CHROME_PATH: process.env.CHROMIUM ?? '/usr/bin/chromium' }
  const [code] = await once(spawn('npx', args, { env, stdio: ['ignore', 'ignore', 'inherit'] }), 'exit')
  if (code !== 0) return null
  const report = JSON.parse(await readFile(output, 'utf8')) as Report
  return report.runtimeError ? null : report
}

/** Prints the screen's row. Returns whether its scores reach the goal. */
async function report(screen: Screen): Promise<boolean> {
  const runs: Report[] = []
  for (let run = 0; run < RUNS; run += 1) runs.push(await measure(screen))
  const score = (category: keyof Report['categories']) =>
    Math.round(100 * median(runs.map(({ categories }) => categories[category].score ?? 0)))
  const value = (audit: string) => median(runs.map(({ audits }) => audits[audit]?.numericValue ?? Number.NaN))
  const scores = [score('performance'), score('accessibility'), score('best-practices')]
  const figures = [
    (value('first-contentful-paint') / 1000).toFixed(1),
    (value('largest-contentful-paint') / 1000).toFixed(1),
    value('total-blocking-time').toFixed(0),
    value('cumulative-layout-shift').toFixed(3),
    (value('total-byte-weight') / 1024).toFixed(0),
  ]
  console.log(`| ${[screen.name, screen.goal, ...scores, ...figures].join(' | ')} |`)
  return scores.every((one) => one >= screen.goal)
}

const dataDir = await mkdtemp(join(tmpdir(), 'skyfolio-bench-'))
const headersFile = join(dataDir, 'headers.json')
const system = await launchSystem(dataDir)
const session = await openSignedInClient(system.url, { username: 'pilot', password: 'over-the-lake' })
await writeFile(headersFile, JSON.stringify({ cookie: session.cookie }))
const folder = await createFolder(session, 'Brighton Beach, June flight')
await uploadPhotos(session, folder.id)
await waitUntilShown(`${system.url}/api/share/${folder.shareCode}`, PHOTOS)

const screens: Screen[] = [
  { name: 'share', path: `/share/${folder.shareCode}`, goal: PUBLIC_GOAL },
  { name: 'viewer', path: `/viewer/${folder.shareCode}`, goal: PUBLIC_GOAL },
  { name: 'browse', path: `/browse/${folder.shareCode}`, goal: PUBLIC_GOAL },
  { name: 'auth', path: '/auth', goal: PUBLIC_GOAL },
  { name: 'gallery', path: '/', goal: GOAL, owner: true },
  { name: 'folders', path: '/folders', goal: GOAL, owner: true },
  { name: 'folder', path: `/folders/${folder.id}`, goal: GOAL, owner: true },
  { name: 'upload', path: '/upload', goal: GOAL, owner: true },
  { name: 'profile', path: '/profile', goal: GOAL, owner: true },
]
const chosen = flags.pages?.split(',')
const columns = [
  ...['screen', 'goal', 'performance', 'accessibility', 'best practices'],
  ...['FCP, s', 'LCP, s', 'TBT, ms', 'CLS', 'KB'],
]
console.log(`| ${columns.join(' | ')} |\n|${' --- |'.repeat(columns.length)}`)
for (const screen of screens) {
  if (chosen && !chosen.includes(screen.name)) continue
  if (!(await report(screen))) process.exitCode = 1
}
await system.stop()
await rm(dataDir, { recursive: true, force: true })
