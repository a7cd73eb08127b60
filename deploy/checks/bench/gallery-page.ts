// `npm run check -- bench:gallery page [--photos 100,100000]`: galleries of these sizes in Chromium, in turns. Scrolls them by
// wheel and by jumps of the scroll bar, opens their map, pans and zooms it: the longest tasks of the page, the time until the
// first photos are on the map, and what was loaded. Prints Markdown.
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { BrowserContext, Page } from 'playwright-core'
import { longestTask } from '../../test/browser/long-tasks.ts'
import { weightOf } from '../../test/browser/page-weight.ts'
import { openBrowser } from '../../test/browser/test-system.ts'
import { cleanups, median, runCheck, startSystem } from '../harness.ts'
import { generatePhotos } from './generate-photos.ts'

const { values: flags } = parseArgs({ options: { photos: { type: 'string', default: '100,100000' } } })
const SCROLL_MS = 10_000
const NOTCH_PIXELS = 120
const NOTCH_MS = 16
const JUMPS = 20
/** The first round counts cells in steps, and fills the cache of the browser. */
const ROUNDS = 6
const FIRST_MAP_MS = 120_000

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
    const part = ((index * 7) % JUMPS) / JUMPS
    await page.evaluate((to) => scrollTo(0, document.documentElement.scrollHeight * to), part)
    await delay(SCROLL_MS / JUMPS)
  }
}

const mapOf = (page: Page) => page.getByRole('application', { name: /^Map of the photos/ })
const markersOf = (page: Page) => mapOf(page).getByRole('button')

/** Zooms in four times and out again, with a pan between any two. */
async function moveMap(page: Page): Promise<void> {
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

/** Milliseconds from the start of the navigation until the first photos are on the map. */
async function openMap(page: Page): Promise<number> {
  const start = performance.now()
  await page.goto('/?view=map')
  await markersOf(page).first().waitFor({ timeout: FIRST_MAP_MS })
  const milliseconds = performance.now() - start
  await page.waitForLoadState('networkidle')
  return milliseconds
}

interface Gallery {
  photos: number
  context: BrowserContext
  times: number[]
}

await runCheck(3_600_000, async (folder) => {
  const system = await startSystem(folder)
  const browser = await openBrowser()
  cleanups.push(() => browser.close())

  async function openGallery(photos: number): Promise<Gallery> {
    const context = await browser.newContext({ baseURL: system.url, viewport: { width: 1440, height: 900 } })
    const account = { username: `pilot-${photos}`, password: 'over-the-lake', confirmPassword: 'over-the-lake' }
    await context.request.post('/api/register', { data: account, headers: { origin: system.url } })
    await generatePhotos(folder, account.username, photos)
    return { photos, context, times: [] }
  }

  async function describe({ photos, context, times }: Gallery): Promise<string> {
    const page = await context.newPage()
    await page.goto('/')
    await page.getByRole('gridcell').first().getByRole('img').waitFor()
    const tasks: number[] = []
    for (const scroll of [scrollByWheel, scrollByJumps]) {
      await page.evaluate(() => scrollTo(0, 0))
      tasks.push(await longestTask(browser, page, () => scroll(page)))
    }
    await openMap(page)
    const { kilobytes } = await weightOf(page)
    tasks.push(await longestTask(browser, page, () => moveMap(page)))
    const [wheel, jumps, map] = tasks.map((ms) => ms.toFixed(0))
    const sizes = `${median(times.slice(1)).toFixed(0)} | ${kilobytes}`
    return `| ${photos.toLocaleString('en')} | ${wheel} | ${jumps} | ${sizes} | ${map} |`
  }

  const galleries: Gallery[] = []
  for (const photos of flags.photos.split(',').map(Number)) galleries.push(await openGallery(photos))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { context, times } of galleries) {
      const page = await context.newPage()
      times.push(await openMap(page))
      await page.close()
    }
  }
  console.log('Longest tasks in ms of CPU time; the map with its first photos in ms.\n')
  console.log('| photos | scrolled by wheel | by jumps | map | its kB | panned and zoomed |')
  console.log('| ---: | ---: | ---: | ---: | ---: | ---: |')
  for (const gallery of galleries) console.log(await describe(gallery))
})
