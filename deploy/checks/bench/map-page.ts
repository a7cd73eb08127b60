// `npm run check -- bench:gallery map [--photos 100,100000]`: opens the map of galleries of these sizes in Chromium, in turns, and pans
// and zooms it: the time until the first photos are there, what was loaded, and the longest task. Prints Markdown.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { BrowserContext, Page } from 'playwright-core'
import { launchSystem } from '../../local/launch.ts'
import { longestTask } from '../../test/browser/long-tasks.ts'
import { weightOf } from '../../test/browser/page-weight.ts'
import { openBrowser } from '../../test/browser/test-system.ts'
import { openGallery } from './generated-gallery.ts'
import { median } from './picture-loads.ts'

const { values: flags } = parseArgs({ options: { photos: { type: 'string', default: '100,100000' } } })
const COUNTS = flags.photos.split(',').map(Number)
/** The first round counts cells, and fills the cache of the browser. */
const WARM_UP = 1
const ROUNDS = 5
/** Cells of the first map are counted in steps. */
const FIRST_MAP_MS = 120_000

const mapOf = (page: Page) => page.getByRole('application', { name: /^Map of the photos/ })
const markersOf = (page: Page) => mapOf(page).getByRole('button')

interface Opened {
  page: Page
  /** Until the first photos were on the map, from the start of the navigation. */
  milliseconds: number
  kilobytes: number
}

async function openMap(context: BrowserContext): Promise<Opened> {
  const page = await context.newPage()
  const start = performance.now()
  await page.goto('/?view=map')
  await markersOf(page).first().waitFor({ timeout: FIRST_MAP_MS })
  const milliseconds = performance.now() - start
  await page.waitForLoadState('networkidle')
  return { page, milliseconds, kilobytes: (await weightOf(page)).kilobytes }
}

/** Zooms in four times and out again, with a pan between any two. */
async function moveAround(page: Page): Promise<void> {
  const box = await mapOf(page).boundingBox()
  if (!box) throw new Error('The map is not shown')
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  for (const notch of [-1, -1, -1, -1, 1, 1, 1, 1]) {
    await page.mouse.move(x, y)
    await page.mouse.wheel(0, notch * 240)
    await page.waitForLoadState('networkidle')
    await page.mouse.down()
    await page.mouse.move(x - 200, y + 60, { steps: 20 })
    await page.mouse.up()
  }
  await markersOf(page).first().waitFor()
}

const dataDir = await mkdtemp(join(tmpdir(), 'skyfolio-bench-'))
const system = await launchSystem(dataDir)
const browser = await openBrowser()
try {
  const galleries = []
  for (const photos of COUNTS) {
    galleries.push({
      photos,
      times: [] as number[],
      kilobytes: 0,
      context: await openGallery(browser, system.url, dataDir, photos),
    })
  }
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    for (const gallery of galleries) {
      const { page, milliseconds, kilobytes } = await openMap(gallery.context)
      if (round >= WARM_UP) gallery.times.push(milliseconds)
      gallery.kilobytes = kilobytes
      await page.close()
    }
  }
  console.log('| photos | first photos on the map, ms | kB | longest task, ms CPU |\n| ---: | ---: | ---: | ---: |')
  for (const { photos, times, kilobytes, context } of galleries) {
    const { page } = await openMap(context)
    const task = await longestTask(browser, page, () => moveAround(page))
    console.log(`| ${photos.toLocaleString('en')} | ${median(times).toFixed(0)} | ${kilobytes} | ${task.toFixed(0)} |`)
    await context.close()
  }
} finally {
  await browser.close()
  await system.stop()
  await rm(dataDir, { recursive: true, force: true })
}
