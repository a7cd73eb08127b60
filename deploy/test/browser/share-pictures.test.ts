import type { BrowserContextOptions, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Folder, readJson, sharePhotos, uploadPhoto, waitUntilReady } from './gallery-photos.ts'
import { type OwnerFixture, PHONE, startOwnerFixture } from './owner-fixture.ts'
import { recordLayoutShifts, shiftsOf, weightOf } from './page-weight.ts'

// What the pages of a public folder load, when, and what they do when a picture or a link is rejected.

const LAPTOP = { viewport: { width: 1440, height: 900 }, deviceScaleFactor: 1 }
const PHOTOS = 9

let fixture: OwnerFixture
let folder: Folder

beforeAll(async () => {
  fixture = await startOwnerFixture()
  const { api } = fixture
  for (let number = 1; number <= PHOTOS; number += 1) {
    const noise = { type: 'gaussian', mean: 100 + 10 * number, sigma: 30 } as const
    const create = { width: 2400, height: 1600, channels: 3, background: '#356', noise } as const
    await uploadPhoto(api, `flight-${number}.jpg`, await sharp({ create }).jpeg().toBuffer())
  }
  await waitUntilReady(api)
  folder = await sharePhotos(api, 'Over the lake')
})

afterAll(() => fixture?.close())

/** The letter of the rendition in a public name: small, thumbnail, medium or preview. */
const kindOf = (url: string) => /-([stmp])-[\w-]{22}\.webp$/.exec(url)?.[1]

const cards = (page: Page) => page.locator('li[data-index] img')

interface Visit {
  page: Page
  /** The paths of the pictures that were requested, in their order. */
  requested: string[]
}

/** `slowness`: the factor by which the browser's processor is slowed down. */
async function visit(screen: string, options: BrowserContextOptions, slowness = 1): Promise<Visit> {
  const page = await fixture.openIsolatedPage('visitor', options)
  const browser = await page.context().newCDPSession(page)
  await browser.send('Emulation.setCPUThrottlingRate', { rate: slowness })
  const requested: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/uploads/')) requested.push(pathname)
  })
  await recordLayoutShifts(page)
  await page.goto(`/${screen}/${folder.shareCode}`)
  return { page, requested }
}

/** Waits until all pictures in the window are loaded, which is when the page loads the rest of its code. */
async function waitUntilShown(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const images = [...document.querySelectorAll<HTMLImageElement>('li[data-index] img')]
    const inWindow = images.filter((image) => image.getBoundingClientRect().top < innerHeight)
    return inWindow.length > 0 && inWindow.every(({ complete, naturalWidth }) => complete && naturalWidth > 0)
  })
  await page.waitForLoadState('networkidle')
}

/** Kilobytes of JavaScript, as it was sent, that was requested before the pictures in the window were there. */
function scriptsBeforePictures(page: Page): Promise<number> {
  return page.evaluate(() => {
    const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
    const images = [...document.querySelectorAll<HTMLImageElement>('li[data-index] img')]
    const inWindow = images.filter((image) => image.getBoundingClientRect().top < innerHeight)
    const sources = inWindow.map(({ currentSrc }) => currentSrc)
    const shown = Math.max(...entries.filter(({ name }) => sources.includes(name)).map((entry) => entry.responseEnd))
    const early = entries.filter(({ name, startTime }) => name.endsWith('.js') && startTime < shown)
    return early.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1024
  })
}

describe.each([
  ['a phone of triple density', { ...PHONE, deviceScaleFactor: 3 }, 'm', 1],
  ['a screen of 1440 pixels', LAPTOP, 't', 3],
] as const)('on %s', (_, options, kind, columns) => {
  test.each(['share', 'viewer', 'browse'])('/%s loads each picture once, in the width of its card', async (screen) => {
    const { page, requested } = await visit(screen, options)
    await waitUntilShown(page)
    expect(new Set(requested.map(kindOf))).toEqual(new Set([kind]))
    expect(requested).toEqual([...new Set(requested)])
    const first = await cards(page).evaluateAll((images) =>
      images.map((image) => [image.getAttribute('loading'), image.getAttribute('fetchpriority')]),
    )
    expect(first.slice(0, columns)).toEqual(Array.from({ length: columns }, () => ['eager', 'high']))
    expect(first.slice(columns).every(([loading, priority]) => loading === 'lazy' && priority === null)).toBe(true)
    const weight = await weightOf(page)
    expect(weight.requests).toBeLessThan(15)
    expect(weight.kilobytes).toBeLessThan(250)
    // Brotli: 149 KB by gzip.
    expect(weight.scriptKilobytes).toBeLessThan(130)
    // What remains is the arrival of the font.
    expect(await shiftsOf(page)).toBeLessThan(0.005)
    await page.context().close()
  })

  test('loads the code that pictures do not need after them, also on a slow device', async () => {
    const { page } = await visit('share', options, 8)
    await waitUntilShown(page)
    const early = await scriptsBeforePictures(page)
    expect(early).toBeLessThan(108)
    await expect.poll(async () => (await weightOf(page)).scriptKilobytes).toBeGreaterThan(early + 1)
    await page.context().close()
  })

  test('shows the first row before the application runs', async () => {
    const page = await fixture.openIsolatedPage('visitor', options)
    await page.route('**/assets/*.js', (route) => route.abort())
    await page.goto(`/share/${folder.shareCode}`)
    const pictures = page.locator('.prerendered-folder li:visible img')
    await expect.poll(() => pictures.count()).toBe(columns)
    await expect
      .poll(() =>
        pictures.evaluateAll((images) => images.every((image) => (image as HTMLImageElement).naturalWidth > 0)),
      )
      .toBe(true)
    await page.context().close()
  })
})

test('shows the chosen cover above the photos, after the first row, and not on a phone on its side', async () => {
  const cover = async (coverPhotoId: number | null) =>
    readJson(fixture.api.put(`/api/folders/${folder.id}`, { data: { coverPhotoId } }))
  const { photos } = await readJson<{ photos: { id: number }[] }>(fixture.api.get(`/api/share/${folder.shareCode}`))
  await cover(photos[4]?.id ?? null)
  const { page, requested } = await visit('share', LAPTOP)
  await waitUntilShown(page)
  const shown = page.locator('.on-cover > img')
  expect(await shown.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(1000)
  expect(requested.slice(0, 4).map(kindOf)).toEqual(['t', 't', 't', 'm'])
  expect(requested).toEqual([...new Set(requested)])
  const { y = 0, height = 0 } = (await cards(page).first().boundingBox()) ?? {}
  expect(y + height).toBeLessThan(LAPTOP.viewport.height)
  expect(await shiftsOf(page)).toBeLessThan(0.005)
  await page.context().close()

  const side = await visit('share', { ...PHONE, viewport: { width: 844, height: 390 }, deviceScaleFactor: 1 })
  await waitUntilShown(side.page)
  expect(side.requested.map(kindOf)).not.toContain('m')
  await side.page.context().close()
  await cover(null)
})

test('shows a picture by itself that the server rejects at first, and reads the folder again once', async () => {
  const page = await fixture.openIsolatedPage('visitor', LAPTOP)
  let rejected = 0
  let answers = 0
  page.on('response', (response) => {
    if (response.url().includes('/api/share/')) answers += 1
  })
  // The first three pictures, in the page and in the application.
  await page.route('**/api/uploads/*', async (route) => {
    if (rejected >= 6) return route.continue()
    rejected += 1
    await route.fulfill({ status: 503, headers: { 'retry-after': '1' } })
  })
  await page.goto(`/share/${folder.shareCode}`)
  await waitUntilShown(page)
  expect(rejected).toBe(6)
  expect(answers).toBeLessThanOrEqual(3)
  await page.context().close()
})

test('says on an open page that its link was renewed, and takes votes of the new one without cookies', async () => {
  const { page: old, requested } = await visit('share', LAPTOP)
  await waitUntilShown(old)
  folder = await readJson(fixture.api.post(`/api/folders/${folder.id}/share-code`))
  await old.getByRole('heading', { name: 'Folder Not Found' }).waitFor()
  expect((await old.request.get(requested[0] ?? '')).status()).toBe(404)
  const { page } = await visit('share', LAPTOP)
  await waitUntilShown(page)
  await page.context().clearCookies()
  const sent = page.waitForRequest('**/rank')
  await page.getByRole('button', { name: 'Rank flight-1' }).click()
  await page.getByRole('menuitem', { name: /1st place/ }).click()
  expect((await sent).postDataJSON()).toMatchObject({ shareCode: folder.shareCode })
  await page.locator('[data-toasts]').getByText('Ranking recorded', { exact: true }).waitFor()
})
