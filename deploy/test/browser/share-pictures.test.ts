import { waitFor } from '@skyfolio/testkit'
import type { BrowserContextOptions, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listPhotos, readJson, uploadPhoto, waitUntilReady } from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'
import { recordLayoutShifts, shiftsOf, weightOf } from './page-weight.ts'

// What the pages of a public folder load, when, and what they do when a picture or a link is refused.

const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 3, isMobile: true, hasTouch: true }
const LAPTOP = { viewport: { width: 1440, height: 900 }, deviceScaleFactor: 1 }
const PHOTOS = 9

let fixture: OwnerFixture
let folder: { id: number; shareCode: string }

beforeAll(async () => {
  fixture = await startOwnerFixture()
  const { api } = fixture
  for (let number = 1; number <= PHOTOS; number += 1) {
    const noise = { type: 'gaussian', mean: 100 + 10 * number, sigma: 30 } as const
    const create = { width: 2400, height: 1600, channels: 3, background: '#356', noise } as const
    await uploadPhoto(api, `flight-${number}.jpg`, await sharp({ create }).jpeg().toBuffer())
  }
  await waitUntilReady(api)
  folder = await readJson(
    api.post('/api/folders', { data: { name: 'Over the lake', description: 'June', isPublic: true } }),
  )
  const ids = (await listPhotos(api)).map(({ id }) => id)
  await readJson(api.post('/api/photos/bulk', { data: { ids, action: 'move', folderId: folder.id } }))
  const shown = async () =>
    (await readJson<{ photos: object[] }>(api.get(`/api/share/${folder.shareCode}`))).photos.length === ids.length
  await waitFor(shown, { what: 'the folder shows its photos' })
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

async function visit(screen: string, options: BrowserContextOptions): Promise<Visit> {
  const page = await fixture.openIsolatedPage('visitor', options)
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

describe.each([
  ['a phone of triple density', PHONE, 'm', 1],
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
    expect(weight.scriptKilobytes).toBeLessThan(150)
    // What remains is the arrival of the font.
    expect(await shiftsOf(page)).toBeLessThan(0.005)
    await page.context().close()
  })

  test('the first row is shown before the application runs', async () => {
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

test('the sign-in screen, which a Login button leads to, does not move while it loads', async () => {
  const page = await fixture.openIsolatedPage('visitor', PHONE)
  await recordLayoutShifts(page)
  await page.goto('/auth')
  await page.getByRole('heading', { name: 'Welcome back' }).waitFor()
  await page.waitForLoadState('networkidle')
  expect(await shiftsOf(page)).toBeLessThan(0.02)
  await page.context().close()
})

test('a picture that the server refuses at first appears by itself, and the folder is read again once', async () => {
  const page = await fixture.openIsolatedPage('visitor', LAPTOP)
  let refused = 0
  let answers = 0
  page.on('response', (response) => {
    if (response.url().includes('/api/share/')) answers += 1
  })
  // The first three pictures, in the page and in the application.
  await page.route('**/api/uploads/*', async (route) => {
    if (refused >= 6) return route.continue()
    refused += 1
    await route.fulfill({ status: 503, headers: { 'retry-after': '1' } })
  })
  await page.goto(`/share/${folder.shareCode}`)
  await waitUntilShown(page)
  expect(refused).toBe(6)
  expect(answers).toBeLessThanOrEqual(3)
  await page.context().close()
})

describe('after the owner made a new link', () => {
  let old: Page
  let oldPicture: string

  beforeAll(async () => {
    const opened = await visit('share', LAPTOP)
    old = opened.page
    await waitUntilShown(old)
    oldPicture = opened.requested[0] ?? ''
    folder = await readJson(fixture.api.post(`/api/folders/${folder.id}/share-code`))
  })

  test('an open page of the old one says that the folder is not there', async () => {
    await old.getByRole('heading', { name: 'Folder Not Found' }).waitFor()
    expect((await old.request.get(oldPicture)).status()).toBe(404)
  })

  test('a visitor whose browser keeps no cookies votes with the new one', async () => {
    const { page } = await visit('share', LAPTOP)
    await waitUntilShown(page)
    await page.context().clearCookies()
    const sent = page.waitForRequest('**/rank')
    await page.getByRole('button', { name: 'Rank flight-1' }).click()
    await page.getByRole('menuitem', { name: /1st place/ }).click()
    expect((await sent).postDataJSON()).toMatchObject({ shareCode: folder.shareCode })
    await page.locator('[data-toasts]').getByText('Ranking recorded', { exact: true }).waitFor()
    await page.context().close()
  })
})

test('no page threw an error or violated its content security policy', () => {
  expect(fixture.pageErrors).toEqual([])
})
