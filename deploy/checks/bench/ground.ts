// `npm run check -- bench:gallery ground [--photos 200]`: a mapping flight of so many photos on its page in Chromium, moved and zoomed
// without its pictures and with them on the ground: the longest tasks of the page, and what was loaded. Prints Markdown.
import { parseArgs } from 'node:util'
import { dronePhoto, packagedPhotos } from '@skyfolio/testkit'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { uploadPhoto } from '../../test/browser/gallery-photos.ts'
import { longestTask } from '../../test/browser/long-tasks.ts'
import { openBrowser } from '../../test/browser/test-system.ts'
import { cleanups, runCheck, startSystem, waitFor } from '../harness.ts'

const { values: flags } = parseArgs({ options: { photos: { type: 'string', default: '200' } } })
const PHOTOS = Number(flags.photos)
const PER_ROW = 20
/** Degrees between photos of a row, and between rows: at 40 m each lies on about eight others. */
const [ALONG, BETWEEN] = [0.0001, 0.0001]

/** Photos in rows that are flown to and fro, 3 s apart. */
async function uploadFlight(page: Page): Promise<void> {
  const bases = await Promise.all(packagedPhotos().map((file) => sharp(file).resize(2400, 1350).jpeg().toBuffer()))
  for (let number = 0; number < PHOTOS; number += 1) {
    const row = Math.floor(number / PER_ROW)
    const column = row % 2 === 0 ? number % PER_ROW : PER_ROW - 1 - (number % PER_ROW)
    const photo = await dronePhoto({
      base: bases[number % bases.length],
      latitude: 46.84 + row * BETWEEN,
      longitude: -91.99 + column * ALONG,
      gimbal: { yaw: row % 2 === 0 ? 90 : -90, pitch: -89.9, roll: 0 },
      takenAt: `2026:06:01 10:${String(Math.floor(number / 20)).padStart(2, '0')}:${String((number % 20) * 3).padStart(2, '0')}`,
    })
    await uploadPhoto(page.request, `map-${number}.jpg`, photo)
  }
}

async function flightOf(page: Page): Promise<{ id: number; photoCount: number }> {
  const flights = await (await page.request.get('/api/flights')).json()
  return flights[0] ?? { id: 0, photoCount: 0 }
}

/** Moves the map to and fro, zooms in three times, out four times and in again. */
async function moveAndZoom(page: Page): Promise<void> {
  const box = await page.locator('.photo-map').boundingBox()
  if (!box) throw new Error('The map is not shown')
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  for (const [right, down] of [
    [250, 80],
    [-250, -80],
    [200, -60],
    [-200, 60],
  ] as const) {
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + right, y + down, { steps: 20 })
    await page.mouse.up()
    await page.waitForLoadState('networkidle')
  }
  for (const way of ['in', 'in', 'in', 'out', 'out', 'out', 'out', 'in']) {
    await page.getByRole('button', { name: `Zoom ${way} ` }).click()
    await page.waitForLoadState('networkidle')
  }
}

await runCheck(1_800_000, async (folder) => {
  const system = await startSystem(folder)
  const browser = await openBrowser()
  cleanups.push(() => browser.close())
  const account = { username: 'pilot', password: 'over-the-lake' }
  const openPage = async (deviceScaleFactor: number, path: string) => {
    const context = await browser.newContext({
      ...{ baseURL: system.url, viewport: { width: 1440, height: 900 }, deviceScaleFactor },
      extraHTTPHeaders: { origin: system.url },
    })
    await context.request.post(path, { data: { ...account, confirmPassword: account.password } })
    return context.newPage()
  }
  const first = await openPage(1, '/api/register')
  await uploadFlight(first)
  await waitFor(300_000, async () => (await flightOf(first)).photoCount === PHOTOS)
  const { id } = await flightOf(first)

  console.log('Longest task in ms of CPU time.\n')
  console.log(
    '| pixels of the screen for one of the page | without pictures | switched on | with pictures | requested twice |',
  )
  console.log('| ---: | ---: | ---: | ---: | ---: |')
  for (const density of [1, 2]) {
    const page = await openPage(density, '/api/login')
    const requests = new Map<string, number>()
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (request.resourceType() === 'fetch' && pathname.startsWith('/api/uploads/'))
        requests.set(pathname, (requests.get(pathname) ?? 0) + 1)
    })
    await page.goto(`/flights/${id}`)
    const ground = page.getByRole('button', { name: 'Photos on the ground' })
    await ground.waitFor()
    const all = page.getByRole('button', { name: 'Show all photos' })
    const without = await longestTask(browser, page, () => moveAndZoom(page))
    await all.click()
    const switched = await longestTask(browser, page, async () => {
      await ground.click()
      await page.getByText(`${PHOTOS} pictures`).waitFor()
      await page.waitForLoadState('networkidle')
    })
    const moved = await longestTask(browser, page, () => moveAndZoom(page))
    const twice = [...requests.values()].filter((count) => count > 1).length
    const tasks = [without, switched, moved].map((ms) => ms.toFixed(0)).join(' | ')
    console.log(`| ${density} | ${tasks} | ${twice} of ${requests.size} |`)
  }
})
