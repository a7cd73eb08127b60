// `npm run check -- bench:gallery scroll [--photos 5000,100000]`: scrolls galleries of these sizes in Chromium, by wheel and by
// jumps of the scroll bar, and measures the longest task of the page. Prints Markdown.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { launchSystem } from '../../local/launch.ts'
import { longestTask } from '../../test/browser/long-tasks.ts'
import { openBrowser } from '../../test/browser/test-system.ts'
import { openGallery } from './generated-gallery.ts'

const { values: flags } = parseArgs({ options: { photos: { type: 'string', default: '5000,100000' } } })
const SCROLL_MS = 10_000
const NOTCH_PIXELS = 120
const NOTCH_MS = 16
const JUMPS = 20
const LONG_MS = 50

/** Scrolls notch by notch without a pause, as a user who searches for a photo. */
async function scrollByWheel(page: Page): Promise<void> {
  await page.mouse.move(640, 400)
  for (const end = Date.now() + SCROLL_MS; Date.now() < end; await delay(NOTCH_MS)) {
    await page.mouse.wheel(0, NOTCH_PIXELS)
  }
}

/** Jumps to positions all over the list, as by dragging the scroll bar. */
async function scrollByJumps(page: Page): Promise<void> {
  for (let index = 0; index < JUMPS; index += 1) {
    await page.evaluate(
      (part) => scrollTo(0, document.documentElement.scrollHeight * part),
      ((index * 7) % JUMPS) / JUMPS,
    )
    await delay(SCROLL_MS / JUMPS)
  }
}

/** Returns the wall-clock durations (ms) of the page's long tasks while `work` runs, as the browser reports them. */
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

const dataDir = await mkdtemp(join(tmpdir(), 'skyfolio-bench-'))
const system = await launchSystem(dataDir)
const browser = await openBrowser()
console.log(
  `| photos | scrolled | tasks over ${LONG_MS} ms wall-clock | longest, ms CPU |\n| ---: | --- | --- | ---: |`,
)
try {
  for (const photos of flags.photos.split(',').map(Number)) {
    const context = await openGallery(browser, system.url, dataDir, photos)
    const page = await context.newPage()
    await page.goto('/')
    await page.getByRole('gridcell').first().getByRole('img').waitFor()
    for (const [name, work] of [
      ['by wheel', scrollByWheel],
      ['by jumps', scrollByJumps],
    ] as const) {
      await page.evaluate(() => scrollTo(0, 0))
      const long = await longTasks(page, () => work(page))
      await page.evaluate(() => scrollTo(0, 0))
      const cpuMs = await longestTask(browser, page, () => work(page))
      const summary = long.length === 0 ? 'none' : `${long.length}, longest ${Math.max(...long)}`
      console.log(`| ${photos.toLocaleString('en')} | ${name} | ${summary} | ${cpuMs.toFixed(0)} |`)
    }
    await context.close()
  }
} finally {
  await browser.close()
  await system.stop()
  await rm(dataDir, { recursive: true, force: true })
}
