import { readFile } from 'node:fs/promises'
import { dronePhoto } from '@skyfolio/testkit'
import type { Download, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { button, heading, signIn } from './account-fixture.ts'
import { findAxeViolations } from './axe.ts'
import { noisePhoto, readJson, waitUntilReady } from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'
import { readZip } from './zip-file.ts'

// The user exports all data, downloads it, and finds in it what was uploaded. The tests are steps of one end-to-end user
// journey.
const LAKE = { latitude: 46.842607, longitude: -91.99456, takenAt: '2016:06:23 16:31:59' }
const PREPARING = { status: 'preparing', url: null, size: null, createdAt: null, expiresAt: null, message: null }

type Manifest = { id: number; path: string | null }[]

let fixture: OwnerFixture
let page: Page
/** What was uploaded, by the photo's id. */
const originals = new Map<number, Buffer>()

beforeAll(async () => {
  fixture = await startOwnerFixture()
  page = fixture.page
  const folder = await readJson<{ id: number }>(
    fixture.api.post('/api/folders', { data: { name: 'Über: the/lake?', isPublic: false } }),
  )
  await upload('flight.jpg', await dronePhoto(LAKE), folder.id)
  await upload('FLIGHT.jpg', await noisePhoto(400), folder.id)
  await upload('CON.jpg', await noisePhoto(410))
  await upload('../../out.jpg', await noisePhoto(420))
  await waitUntilReady(fixture.api)
})

afterAll(() => fixture?.close())

const section = (on = page) => on.getByRole('region', { name: 'Export your data' })
const download = (on = page) => section(on).getByRole('link', { name: 'Download' })
const prepare = () => section().getByRole('button', { name: 'Prepare export' })
const prepareAgain = () => section().getByRole('button', { name: 'Prepare again' })

async function upload(name: string, buffer: Buffer, folderId?: number): Promise<void> {
  const photo = { name, mimeType: 'image/jpeg', buffer }
  const multipart = { photo, ...(folderId !== undefined && { folderId: String(folderId) }) }
  const { id } = await readJson<{ id: number }>(fixture.api.post('/api/upload-photo', { multipart }))
  originals.set(id, buffer)
}

/** Forgets the requests of this day. */
const allowExports = () => fixture.sql('media', "UPDATE exports SET requests = '{}'")

async function startDownload(on = page): Promise<Download> {
  const [started] = await Promise.all([on.waitForEvent('download'), download(on).click()])
  return started
}

const unzip = async (done: Download) => readZip(await readFile(await done.path()))
const parse = <T>(content: Buffer | undefined) => JSON.parse(content?.toString('utf8') ?? 'null') as T

describe('the export of all data', () => {
  test('is prepared on request, by keyboard', async () => {
    await page.goto('/profile')
    await prepare().waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    // The preparation of a few photos is over before it can be seen.
    await page.route('**/api/user/export', (route) =>
      route.request().method() === 'GET'
        ? route.fulfill({ json: { ...PREPARING, progress: { done: 541, total: 1284 } } })
        : route.fallback(),
    )
    await prepare().focus()
    await page.keyboard.press('Enter')
    await section().getByText('Preparing your export').waitFor()
    await section().getByText('42 %').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('shows its progress after a reload and after another screen', async () => {
    await page.reload()
    await section().getByRole('progressbar').waitFor()
    await page.getByRole('link', { name: 'Orders' }).click()
    await heading(page, 'Print Orders').waitFor()
    await page.getByRole('link', { name: 'Profile' }).click()
    await section().getByRole('progressbar').waitFor()
  })

  test('says by itself when it is ready, how large it is and until when it is there', async () => {
    await page.unroute('**/api/user/export')
    await section().getByText('Your export is ready').waitFor()
    await section()
      .getByText(/^\d+\.\d\d KB · expires on \w+ \d+, \d{4} at \d+:\d\d [AP]M$/)
      .waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('is downloaded by the browser and has every original, byte for byte', async () => {
    const done = await startDownload()
    expect(done.suggestedFilename()).toMatch(/\.zip$/)
    const files = await unzip(done)
    const photos = parse<Manifest>(files.get('manifest.json'))
    expect(photos.map(({ id }) => id).toSorted()).toEqual([...originals.keys()].toSorted())
    for (const { id, path } of photos)
      expect(files.get(path ?? '')?.equals(originals.get(id) ?? Buffer.of())).toBe(true)
    const paths = [...files.keys()]
    expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(paths.length)
    for (const path of paths) expect(path).not.toMatch(/\.\.|^\/|[\\:*?"<>|]|(^|\/)CON\./i)
  })

  test('has the data of the account as JSON', async () => {
    const files = await unzip(await startDownload())
    const data = [...files].filter(([path]) => path.endsWith('.json')).map(([, content]) => content.toString('utf8'))
    for (const word of ['pilot@example.test', 'Über: the/lake?', '46.842607', 'Minnesota'])
      expect(data.some((text) => text.includes(word))).toBe(true)
  })

  test('is nobody else’s', async () => {
    const url = (await download().getAttribute('href')) ?? ''
    const visitor = await fixture.openIsolatedPage('visitor')
    expect((await visitor.request.get(url)).status()).toBe(401)
  })

  test('can be prepared again', async () => {
    const before = await download().getAttribute('href')
    await prepareAgain().click()
    await expect.poll(() => download().getAttribute('href', { timeout: 20_000 })).not.toBe(before)
  })

  test('says when it cannot be started, and offers to retry', async () => {
    await page.route('**/api/user/export', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 503, json: { code: 'unavailable', message: 'Busy.' } })
        : route.fallback(),
    )
    await prepareAgain().click()
    await section().getByRole('alert').getByText('Busy.').waitFor()
    await page.unroute('**/api/user/export')
    await section().getByRole('button', { name: 'Retry' }).click()
    await expect.poll(() => section().getByRole('alert').count()).toBe(0)
    await download().waitFor()
  })

  test('says when its state cannot be read, and offers to retry', async () => {
    await page.route('**/api/user/export', (route) =>
      route.fulfill({ status: 503, json: { code: 'unavailable', message: 'Busy.' } }),
    )
    await page.reload()
    await section().getByRole('alert').getByText('Busy.').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await page.unroute('**/api/user/export')
    await section().getByRole('button', { name: 'Retry' }).click()
    await download().waitFor()
  })

  test('that a deleted photo has made useless says so', async () => {
    const [id] = originals.keys()
    await fixture.api.delete(`/api/photos/${id}`)
    await download().click()
    await section()
      .getByRole('alert')
      .getByText(/deleted/)
      .waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('is limited in a day, and the section says how long to wait', async () => {
    await prepareAgain().click()
    await section().getByRole('alert').getByText(/today/).waitFor()
    await section()
      .getByRole('button', { name: /^Try again in 24 h$/ })
      .waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await allowExports()
    await page.reload()
    await prepareAgain().click()
    await download().waitFor()
  })

  test('that has expired can be prepared again', async () => {
    await fixture.sql('media', "UPDATE exports SET expires_at = now() - interval '1 minute'")
    await page.reload()
    await prepare().click()
    await download().waitFor()
  })

  test('fits at 390 px', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.reload()
    await download().waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    expect.soft(await findAxeViolations(page)).toEqual([])
  })
})

test('a user whose account is being deleted can still export it', async () => {
  expect((await fixture.api.delete('/api/user', { data: { password: 'over-the-lake' } })).status()).toBe(202)
  const leaving = await fixture.openIsolatedPage('visitor')
  await signIn(leaving, 'pilot', 'over-the-lake')
  await heading(leaving, 'Your account is scheduled for deletion').waitFor()
  const before = await download(leaving).getAttribute('href')
  await button(leaving, 'Prepare again').click()
  await expect.poll(() => download(leaving).getAttribute('href')).not.toBe(before)
  const files = await unzip(await startDownload(leaving))
  expect(parse<Manifest>(files.get('manifest.json'))).toHaveLength(originals.size - 1)
})

test('nothing failed in the background', () => {
  expect(fixture.pageErrors).toEqual([])
})
