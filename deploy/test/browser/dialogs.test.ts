import { packagedPhotos } from '@skyfolio/testkit'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { findPhoto, readJson, uploadPhoto, waitUntilReady } from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'
import { doubleTap, moveFingers, swipe } from './touch.ts'

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
  await doubleTap(phone, [195, 190])
  await percent.waitFor()
  await doubleTap(phone, [195, 190])
  await percent.waitFor({ state: 'detached' })

  // Held sideways, the details are beside the picture.
  await phone.setViewportSize({ width: 844, height: 390 })
  await expect
    .poll(async () => (await opened.getByRole('heading', { name: 'middle' }).boundingBox())?.x ?? 0)
    .toBeGreaterThan(422)
  expect.soft(await findAxeViolations(phone)).toEqual([])
  await phone.context().close()
})

test('a small picture is there at once, the large one follows, and then those of the neighbours', async () => {
  const listed = await readJson<{ title: string; mediumUrl: string }[]>(fixture.api.get('/api/photos'))
  const largeUrl = new Map(listed.map(({ title, mediumUrl }) => [title, mediumUrl]))
  const tab = await fixture.openTab()
  const requested = new Set<string>()
  tab.on('request', (request) => requested.add(new URL(request.url()).pathname))
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await tab.route(`**${largeUrl.get('middle')}`, async (route) => {
    await held
    await route.continue()
  })
  await tab.goto(`/?photo=${ids.middle}`)
  const widths = () =>
    tab.evaluate(() =>
      [...document.querySelectorAll<HTMLImageElement>('[role="dialog"] img')].map((i) => i.naturalWidth),
    )
  await expect.poll(async () => Math.max(...(await widths()))).toBeGreaterThan(0)
  const neighbours = ['newest', 'oldest'].map((title) => largeUrl.get(title) ?? '')
  expect(neighbours.some((url) => requested.has(url))).toBe(false)
  answer()
  await expect.poll(async () => Math.max(...(await widths()))).toBeGreaterThan(800)
  await expect.poll(() => neighbours.every((url) => requested.has(url))).toBe(true)
  await tab.close()
})

test('a slideshow fills the screen, pauses by key and while the page is hidden, and ends with the last photo', async () => {
  const tab = await fixture.openTab()
  await tab.clock.install()
  await tab.goto(`/?photo=${ids.newest}`)
  const opened = tab.getByRole('dialog')
  const details = opened.getByRole('button', { name: 'Share' })
  const picture = (title: string) => opened.getByText(title)
  const pause = opened.getByRole('button', { name: 'Pause slideshow' })
  const start = opened.getByRole('button', { name: 'Start slideshow' })
  const setHidden = (hidden: boolean) =>
    tab.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { configurable: true, value })
      document.dispatchEvent(new Event('visibilitychange'))
    }, hidden)
  const pictureIsLoaded = () =>
    tab.waitForFunction(() =>
      [...document.querySelectorAll<HTMLImageElement>('[role="dialog"] img')].every(({ complete }) => complete),
    )
  await details.waitFor()
  await tab.keyboard.press('s')
  await pause.waitFor()
  await details.waitFor({ state: 'hidden' })
  await opened.getByRole('combobox', { name: 'Seconds per photo' }).selectOption('20 s')
  expect.soft(await findAxeViolations(tab)).toEqual([])
  await opened.focus()
  await tab.keyboard.press(' ')
  await start.waitFor()
  await tab.keyboard.press(' ')
  await pause.waitFor()
  await pictureIsLoaded()
  await setHidden(true)
  await tab.clock.runFor(60_000)
  await picture('1 of 3 · newest').waitFor()
  await setHidden(false)
  await tab.clock.runFor(20_000)
  await picture('2 of 3 · middle').waitFor()
  await pictureIsLoaded()
  await expect
    .poll(async () => {
      await tab.clock.runFor(20_000)
      return picture('3 of 3 · oldest').count()
    })
    .toBe(1)
  await pictureIsLoaded()
  await expect
    .poll(async () => {
      await tab.clock.runFor(20_000)
      return start.count()
    })
    .toBe(1)
  // Escape leaves full screen first, then the photo.
  await tab.keyboard.press('Escape')
  await details.waitFor()
  await tab.keyboard.press('Escape')
  await opened.waitFor({ state: 'detached' })
  await tab.close()
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

test('unsaved edits are dropped only after a question, and the focus returns to the button of the form', async () => {
  const edit = dialog(page, 'oldest').getByRole('button', { name: 'Edit details' })
  const title = page.getByRole('textbox', { name: 'Title' })
  const question = page.getByRole('alertdialog', { name: 'Discard your changes?' })
  await edit.click()
  await title.fill('Never saved')
  await page.keyboard.press('Escape')
  await question.waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await question.getByRole('button', { name: 'Keep editing' }).click()
  await page.goBack()
  await question.getByRole('button', { name: 'Keep editing' }).click()
  expect(await title.inputValue()).toBe('Never saved')
  await title.press('Escape')
  await question.getByRole('button', { name: 'Discard' }).click()
  await title.waitFor({ state: 'detached' })
  await expect.poll(() => edit.evaluate((button) => button === document.activeElement)).toBe(true)
})

test('the folder can be changed in the dialog, and Undo changes it back', async () => {
  const opened = dialog(page, 'oldest')
  await opened.getByRole('button', { name: 'Choose folder' }).click()
  await dialog(page, 'Choose folder')
    .getByRole('button', { name: /^By hand/ })
    .click()
  await toast(page, 'Taken out of the folder').waitFor()
  await opened.getByText('In no folder').waitFor()
  await page.locator('[data-toasts]').getByRole('button', { name: 'Undo' }).click()
  await toast(page, 'Moved to By hand').waitFor()
  await opened.getByText('By hand', { exact: true }).waitFor()
})

test('a deleted photo gives way to its neighbour, whose card gets the focus when the dialog closes', async () => {
  await dialog(page, 'oldest').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog', { name: 'Delete Photo' }).getByRole('button', { name: 'Delete' }).click()
  await dialog(page, 'middle').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const card = page.getByRole('gridcell', { name: /^middle\b/ })
  await expect.poll(() => card.evaluate((element) => element === document.activeElement)).toBe(true)
})

test('no page threw an error or violated its content security policy', () => {
  expect(fixture.pageErrors).toEqual([])
})
