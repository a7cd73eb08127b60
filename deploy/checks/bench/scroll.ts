// `npm run check -- bench:scroll [--photos 5000,100000]`: scrolls galleries of so many photos in Chromium, by the wheel and by
// jumps of the scroll bar, and tells the longest task of the page. Prints Markdown.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { launchSystem } from '../../local/launch.ts'
import { root } from '../../local/paths.ts'
import { longestTask } from '../../test/browser/long-tasks.ts'
import { openBrowser } from '../../test/browser/support.ts'

const { values: flags } = parseArgs({ options: { photos: { type: 'string', default: '5000,100000' } } })
const SCROLL_MS = 10_000
const NOTCH_PIXELS = 120
const NOTCH_MS = 16
const JUMPS = 20
const LONG_MS = 50

/** As one who looks for a picture: notch by notch, without a pause. */
async function scrollByWheel(page: Page): Promise<void> {
  await page.mouse.move(640, 400)
  for (const end = Date.now() + SCROLL_MS; Date.now() < end; await delay(NOTCH_MS)) {
    await page.mouse.wheel(0, NOTCH_PIXELS)
  }
}

/** The scroll bar is dragged all over the list. */
async function jump(page: Page): Promise<void> {
  for (let index = 0; index < JUMPS; index += 1) {
    await page.evaluate(
      (part) => scrollTo(0, document.documentElement.scrollHeight * part),
      ((index * 7) % JUMPS) / JUMPS,
    )
    await delay(SCROLL_MS / JUMPS)
  }
}

/** The durations of the page's long tasks while `work` runs, in milliseconds of the clock, as the browser reports them. */
async function longTasks(page: Page, work: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const tasks: number[] = []
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(duration)
    })
    observer.observe({ type: 'longtask' })
    Object.assign(window, { longTasks: tasks })
  })
  await work()
  return page.evaluate(() => (window as unknown as { longTasks: number[] }).longTasks)
}

async function openGallery(browser: Browser, url: string, dataDir: string, photos: number): Promise<Page> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 } })
  const account = { username: `pilot-${photos}`, password: 'over-the-lake', confirmPassword: 'over-the-lake' }
  await context.request.post('/api/register', { data: account, headers: { origin: url } })
  const args = ['deploy/local/generate-photos.ts', '--user', account.username, '--count', String(photos)]
  const made = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, SKYFOLIO_DATA: dataDir },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(made, 'exit')
  if (code !== 0) throw new Error('The photos could not be made')
  const page = await context.newPage()
  await page.goto('/')
  await page.getByRole('gridcell').first().getByRole('img').waitFor()
  return page
}

const dataDir = await mkdtemp(join(tmpdir(), 'skyfolio-bench-'))
const system = await launchSystem(dataDir)
const browser = await openBrowser()
console.log(
  `| photos | scrolled | tasks over ${LONG_MS} ms by the clock | longest, ms of the processor |\n| ---: | --- | --- | ---: |`,
)
try {
  for (const photos of flags.photos.split(',').map(Number)) {
    const page = await openGallery(browser, system.url, dataDir, photos)
    for (const [name, work] of [
      ['by the wheel', scrollByWheel],
      ['by jumps', jump],
    ] as const) {
      await page.evaluate(() => scrollTo(0, 0))
      const long = await longTasks(page, () => work(page))
      await page.evaluate(() => scrollTo(0, 0))
      const processor = await longestTask(browser, page, () => work(page))
      const said = long.length === 0 ? 'none' : `${long.length}, the longest ${Math.max(...long)}`
      console.log(`| ${photos.toLocaleString('en')} | ${name} | ${said} | ${processor.toFixed(0)} |`)
    }
    await page.context().close()
  }
} finally {
  await browser.close()
  await system.stop()
  await rm(dataDir, { recursive: true, force: true })
}
