import { packagedPhotos } from '@skyfolio/testkit'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { findPhoto, readJson, uploadPhoto, waitUntilReady } from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'
import { moveFingers, swipe } from './touch.ts'

// The dialogs of one photo with touch input, with the system's share dialog, and while a service is unavailable.
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 }

let fixture: OwnerFixture
let page: Page
let shareCode: string
const ids: Record<string, number> = {}

beforeAll(async () => {
  fixture = await startOwnerFixture()
  page = fixture.page
  const { api } = fixture
  const titles = ['oldest', 'middle', 'newest']
  for (const [index, title] of titles.entries()) {
    // Larger than its renditions, so that zooming needs the original.
    const photo = sharp(packagedPhotos()[index]).resize(4000, 3000, { fit: 'cover' })
    await uploadPhoto(api, `${title}.jpg`, await photo.jpeg({ quality: 60 }).toBuffer())
    ids[title] = (await findPhoto(api, title)).id
  }
  const folder = await readJson<{ id: number; shareCode: string }>(
    api.post('/api/folders', { data: { name: 'By hand', isPublic: true } }),
  )
  shareCode = folder.shareCode
  const move = { ids: Object.values(ids), action: 'move', folderId: folder.id }
  await readJson(api.post('/api/photos/bulk', { data: move }))
  await waitUntilReady(api)
})

afterAll(() => fixture?.close())

const toast = (on: Page, text: string) => on.locator('[data-toasts]').getByText(text, { exact: true })
const dialog = (on: Page, name: string) => on.getByRole('dialog', { name })

test("on a phone a swipe shows the neighbouring photo, in the owner's dialog and the visitors' viewer", async () => {
  const phones = [
    [await fixture.openIsolatedPage('owner', PHONE), `/?photo=${ids.middle}`],
    [await fixture.openIsolatedPage('visitor', PHONE), `/share/${shareCode}?photo=${ids.middle}`],
  ] as const
  for (const [phone, address] of phones) {
    await phone.goto(address)
    await dialog(phone, 'middle').waitFor()
    await swipe(phone, [300, 220], [120, 230])
    await dialog(phone, 'middle').waitFor({ state: 'detached' })
    const next = await phone.getByRole('dialog').getByRole('heading', { level: 2 }).textContent()
    expect(['oldest', 'newest']).toContain(next)
    await swipe(phone, [120, 220], [300, 230])
    await dialog(phone, 'middle').waitFor()
    await phone.context().close()
  }
})

test('two fingers zoom a photo to its own pixels, one pans it, and it can be reset', async () => {
  const phone = await fixture.openIsolatedPage('owner', PHONE)
  await phone.goto(`/?photo=${ids.middle}`)
  const opened = dialog(phone, 'middle')
  await opened.getByRole('img', { name: 'middle' }).waitFor()
  const percent = opened.getByText(/^\d+%$/)
  const spread = [
    { from: [170, 200], to: [60, 200] },
    { from: [220, 200], to: [330, 200] },
  ] as const
  await moveFingers(phone, spread)
  await percent.waitFor()
  expect(Number.parseInt((await percent.textContent()) ?? '', 10)).toBeGreaterThan(300)
  await phone.waitForFunction(() => document.querySelector<HTMLImageElement>('[data-original]')?.naturalWidth === 4000)

  const picture = opened.locator('[data-original]')
  const before = await picture.boundingBox()
  await swipe(phone, [200, 200], [140, 220])
  const moved = await picture.boundingBox()
  expect(Math.round((moved?.x ?? 0) - (before?.x ?? 0))).toBe(-60)
  // Swiping moves a zoomed photo and does not switch to another.
  await opened.waitFor()
  expect.soft(await findAxeViolations(phone)).toEqual([])

  await moveFingers(
    phone,
    spread.map(({ from, to }) => ({ from: to, to: from })),
  )
  await percent.waitFor({ state: 'detached' })
  await phone.context().close()
})

test("Share opens the system's share dialog with the visitors' link", async () => {
  await page.addInitScript(() => {
    navigator.share = async (data) => {
      document.documentElement.dataset.shared = JSON.stringify(data)
    }
  })
  await page.goto(`/?photo=${ids.newest}`)
  await dialog(page, 'newest').getByRole('button', { name: 'Share' }).click()
  const shared = () => page.evaluate(() => document.documentElement.dataset.shared ?? '{}')
  const url = `${new URL(page.url()).origin}/share/${shareCode}?photo=${ids.newest}`
  await expect.poll(async () => JSON.parse(await shared())).toEqual({ title: 'newest', url })
})

test('copies the link if the system has no share dialog', async () => {
  const tab = await fixture.openTab()
  await tab.addInitScript(() => {
    Object.defineProperty(navigator, 'share', { value: undefined })
  })
  await tab.goto(`/?photo=${ids.newest}`)
  await dialog(tab, 'newest').getByRole('button', { name: 'Share' }).click()
  await toast(tab, 'Link copied').waitFor()
  await tab.close()
})

test("the dialog shows 'Service unavailable' during an outage, and the photo after a retry", async () => {
  await page.goto('/')
  await page.getByRole('gridcell', { name: /^oldest\b/ }).waitFor()
  const photoCalls = /\/api\/photos\?ids=/
  await page.route(photoCalls, (route) =>
    route.fulfill({ status: 503, json: { code: 'unavailable', message: 'Away.' } }),
  )
  await page.getByRole('gridcell', { name: /^oldest\b/ }).click()
  const notice = dialog(page, 'oldest').getByRole('alert')
  await notice.getByText('Service unavailable').waitFor()
  await notice.getByText('Away.').waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await page.unroute(photoCalls)
  await notice.getByRole('button', { name: 'Try again' }).click()
  await notice.waitFor({ state: 'detached' })
})

test('the focus returns from the form to its button, and from the dialog to its card', async () => {
  const edit = dialog(page, 'oldest').getByRole('button', { name: 'Edit details' })
  await edit.click()
  await page.getByRole('textbox', { name: 'Title' }).waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => edit.evaluate((button) => button === document.activeElement)).toBe(true)
  await page.keyboard.press('Escape')
  const card = page.getByRole('gridcell', { name: /^oldest\b/ })
  await expect.poll(() => card.evaluate((element) => element === document.activeElement)).toBe(true)
})

test('no page threw an error or violated its content security policy', () => {
  expect(fixture.pageErrors).toEqual([])
})
