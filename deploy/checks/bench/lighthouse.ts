// `npm run check -- lighthouse [--pages share,gallery] [--runs 3]`: Lighthouse's mobile scores of the screens, with
// a folder of 30 photos, as the median of the runs. Prints Markdown; fails when a score is below its goal.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { median, runCheck, startSystem } from '../harness.ts'
import { createPhotos } from '../load/large-photos.ts'
import { seedFolders } from '../load/seed-folders.ts'

const { values: flags } = parseArgs({
  options: { pages: { type: 'string' }, runs: { type: 'string', default: '3' } },
})
const RUNS = Number(flags.runs)
const PHOTOS = 30
// Not a dependency: it would be half as large again as all others together.
const LIGHTHOUSE = 'lighthouse@13.5.0'
const ATTEMPTS = 3
const PUBLIC_GOAL = 95
const GOAL = 85

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
  /** Of a page that was not measured. */
  runtimeError?: object
}

/** Where the screens are. */
interface Target {
  url: string
  folder: string
  /** A file with the headers of the owner. */
  headers: string
}

/** A trace that Chromium did not record says nothing of the page. @throws Error when Lighthouse fails `ATTEMPTS` times */
async function measure(target: Target, screen: Screen): Promise<Report> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const report = await runLighthouse(target, screen)
    if (report) return report
  }
  throw new Error(`Lighthouse failed on ${screen.path}`)
}

/** Null when it fails. */
async function runLighthouse({ url, folder, headers }: Target, { path, owner }: Screen): Promise<Report | null> {
  const output = join(folder, 'report.json')
  const args = [
    ...['--yes', LIGHTHOUSE, url + path, '--quiet', '--output=json', `--output-path=${output}`],
    ...['--only-categories=performance,accessibility,best-practices', '--chrome-flags=--headless=new --no-sandbox'],
    ...(owner ? [`--extra-headers=${headers}`] : []),
  ]
  const env = { ...process.env, CHROME_PATH: process.env.CHROMIUM ?? '/usr/bin/chromium' }
  const [code] = await once(spawn('npx', args, { env, stdio: ['ignore', 'ignore', 'inherit'] }), 'exit')
  if (code !== 0) return null
  const report = JSON.parse(await readFile(output, 'utf8')) as Report
  return report.runtimeError ? null : report
}

/** Prints the screen's row. Returns whether its scores reach the goal. */
async function report(target: Target, screen: Screen): Promise<boolean> {
  const runs: Report[] = []
  for (let run = 0; run < RUNS; run += 1) runs.push(await measure(target, screen))
  const score = (category: keyof Report['categories']) =>
    Math.round(100 * median(runs.map(({ categories }) => categories[category].score ?? 0)))
  const scores = [score('performance'), score('accessibility'), score('best-practices')]
  console.log(`| ${[screen.name, screen.goal, ...scores].join(' | ')} |`)
  return scores.every((one) => one >= screen.goal)
}

function screensOf({ id, code }: { id: number; code: string }): Screen[] {
  return [
    { name: 'share', path: `/share/${code}`, goal: PUBLIC_GOAL },
    { name: 'viewer', path: `/viewer/${code}`, goal: PUBLIC_GOAL },
    { name: 'browse', path: `/browse/${code}`, goal: PUBLIC_GOAL },
    { name: 'auth', path: '/auth', goal: PUBLIC_GOAL },
    { name: 'gallery', path: '/', goal: GOAL, owner: true },
    { name: 'folders', path: '/folders', goal: GOAL, owner: true },
    { name: 'folder', path: `/folders/${id}`, goal: GOAL, owner: true },
    { name: 'upload', path: '/upload', goal: GOAL, owner: true },
    { name: 'profile', path: '/profile', goal: GOAL, owner: true },
  ]
}

const COLUMNS = ['screen', 'goal', 'performance', 'accessibility', 'best practices']

await runCheck(3_600_000, async (folder) => {
  const { url } = await startSystem(folder)
  const account = { username: 'pilot', password: 'over-the-lake' }
  const size = { folders: 1, photos: PHOTOS, areRendered: true }
  const { owner, folders } = await seedFolders(url, account, size, createPhotos(PHOTOS))
  const headers = join(folder, 'headers.json')
  await writeFile(headers, JSON.stringify({ cookie: owner.cookie }))
  const chosen = flags.pages?.split(',')
  console.log(`| ${COLUMNS.join(' | ')} |\n|${' --- |'.repeat(COLUMNS.length)}`)
  for (const screen of folders.flatMap(screensOf)) {
    if (chosen && !chosen.includes(screen.name)) continue
    if (!(await report({ url, folder, headers }, screen))) process.exitCode = 1
  }
})
