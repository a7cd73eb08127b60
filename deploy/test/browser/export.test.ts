import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { heading, signIn } from './account-fixture.ts'
import { findAxeViolations } from './axe.ts'
import { lakePhoto, noisePhoto, readJson, waitUntilReady } from './gallery-photos.ts'
import { type OwnerFixture, PASSWORD, startOwnerFixture } from './owner-fixture.ts'
import { readZip } from './zip-file.ts'

// The user exports all data, downloads it, and finds in it what was uploaded.
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
  await upload('flight.jpg', await lakePhoto(), folder.id)
  await upload('FLIGHT.jpg', await noisePhoto(400), folder.id)
  await upload('CON.jpg', await noisePhoto(410))
  await upload('../../out.jpg', await noisePhoto(420))
  await waitUntilReady(fixture.api)
})

afterAll(() => fixture?.close())

const section = (on = page) => on.getByRole('region', { name: 'Export your data' })
const download = (on = page) => section(on).getByRole('link', { name: 'Download' })
const prepareAgain = (on = page) => section(on).getByRole('button', { name: 'Prepare again' })

async function upload(name: string, buffer: Buffer, folderId?: number): Promise<void> {
  const photo = { name, mimeType: 'image/jpeg', buffer }
  const multipart = { photo, ...(folderId !== undefined && { folderId: String(folderId) }) }
  const { id } = await readJson<{ id: number }>(fixture.api.post('/api/upload-photo', { multipart }))
  originals.set(id, buffer)
}

/** Downloads the export as the browser does. */
async function unzip(on = page): Promise<Map<string, Buffer>> {
  const [started] = await Promise.all([on.waitForEvent('download'), download(on).click()])
  expect(started.suggestedFilename()).toMatch(/\.zip$/)
  return readZip(await readFile(await started.path()))
}

const manifestOf = (files: Map<string, Buffer>): Manifest =>
  JSON.parse(files.get('manifest.json')?.toString('utf8') ?? 'null')

describe('the export of all data', () => {
  test('is prepared on request, by keyboard, and shows its progress also after a reload', async () => {
    const prepare = section().getByRole('button', { name: 'Prepare export' })
    await page.goto('/profile')
    // The preparation of a few photos is over before it can be seen.
    let isRequested = false
    await page.route('**/api/user/export', (route) => {
      isRequested ||= route.request().method() === 'POST'
      if (!isRequested || route.request().method() === 'POST') return route.fallback()
      return route.fulfill({ json: { ...PREPARING, progress: { done: 541, total: 1284 } } })
    })
    await prepare.focus()
    await page.keyboard.press('Enter')
    await section().getByText('42 %').waitFor()
    await page.reload()
    await section().getByRole('progressbar').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('says by itself when it is ready, how large it is and until when it is there', async () => {
    await page.unroute('**/api/user/export')
    await section().getByText('Your export is ready').waitFor()
    await section()
      .getByText(/^\d+\.\d\d KB · expires on \w+ \d+, \d{4} at \d+:\d\d [AP]M$/)
      .waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('has every original, byte for byte, the data of the account, and safe names', async () => {
    const files = await unzip()
    const photos = manifestOf(files)
    expect(photos.map(({ id }) => id).toSorted()).toEqual([...originals.keys()].toSorted())
    for (const { id, path } of photos)
      expect(files.get(path ?? '')?.equals(originals.get(id) ?? Buffer.of())).toBe(true)
    const paths = [...files.keys()]
    expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(paths.length)
    for (const path of paths) expect(path).not.toMatch(/\.\.|^\/|[\\:*?"<>|]|(^|\/)CON\./i)
    const data = [...files].filter(([path]) => path.endsWith('.json')).map(([, content]) => content.toString('utf8'))
    for (const word of ['pilot@example.test', 'Über: the/lake?', '46.842607', 'Minnesota'])
      expect(data.some((text) => text.includes(word))).toBe(true)
  })

  test('says that a deleted photo has made it useless', async () => {
    const [id] = originals.keys()
    await fixture.api.delete(`/api/photos/${id}`)
    await download().click()
    await section()
      .getByRole('alert')
      .getByText(/deleted/)
      .waitFor()
  })

  test('is limited in a day, and says how long to wait', async () => {
    await prepareAgain().click()
    const before = await download().getAttribute('href')
    await prepareAgain().click()
    await expect.poll(() => download().getAttribute('href')).not.toBe(before)
    await prepareAgain().click()
    await section()
      .getByRole('button', { name: /^Try again in 24 h$/ })
      .waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await fixture.sql('media', "UPDATE exports SET requests = '{}'")
  })

  test('is there for a user whose account is being deleted', async () => {
    expect((await fixture.api.delete('/api/user', { data: { password: PASSWORD } })).status()).toBe(202)
    const leaving = await fixture.openIsolatedPage('visitor')
    await signIn(leaving, 'pilot', PASSWORD)
    await heading(leaving, 'Your account is scheduled for deletion').waitFor()
    const before = await download(leaving).getAttribute('href')
    await prepareAgain(leaving).click()
    await expect.poll(() => download(leaving).getAttribute('href')).not.toBe(before)
    expect(manifestOf(await unzip(leaving))).toHaveLength(originals.size - 1)
  })
})
