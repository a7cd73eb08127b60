import { packagedPhotos } from '@skyfolio/testkit'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { sharePhotos, uploadPhoto, waitUntilReady } from './gallery-photos.ts'
import { hasFocus, type OwnerFixture, PHONE, startOwnerFixture } from './owner-fixture.ts'
import { doubleTap, moveFingers, swipe } from './touch.ts'

// The dialog of one photo: with touch input, as a slideshow, with the system's share dialog, and while a service is
// unavailable.
let fixture: OwnerFixture
let page: Page
let shareCode: string
const ids: Record<string, number> = {}

beforeAll(async () => {
  fixture = await startOwnerFixture()
  page = fixture.page
  const { api } = fixture
  for (const [index, title] of ['oldest', 'middle', 'newest'].entries()) {
    // Larger than its renditions, so that zooming needs the original.
    const photo = sharp(packagedPhotos()[index]).resize(4000, 3000, { fit: 'cover' })
    ids[title] = await uploadPhoto(api, `${title}.jpg`, await photo.jpeg({ quality: 60 }).toBuffer())
  }
  await waitUntilReady(api)
  shareCode = (await sharePhotos(api, 'By hand')).shareCode
})

afterAll(() => fixture?.close())

const toast = (on: Page, text: string) => on.locator('[data-toasts]').getByText(text, { exact: true })
const dialog = (on: Page, name: string) => on.getByRole('dialog', { name })

test("shows the neighbouring photo by a swipe and closes by one down, in the owner's dialog and the visitors' viewer", async () => {
  for (const [who, path] of [
    ['owner', '/'],
    ['visitor', `/share/${shareCode}`],
  ] as const) {
    const phone = await fixture.openIsolatedPage(who, PHONE)
    await phone.goto(`${path}?photo=${ids.middle}`)
    await dialog(phone, 'middle').waitFor()
    await swipe(phone, [300, 220], [120, 230])
    await dialog(phone, 'middle').waitFor({ state: 'detached' })
    const next = await phone.getByRole('dialog').getByRole('heading', { level: 2 }).textContent()
    expect(['oldest', 'newest']).toContain(next)
    await swipe(phone, [120, 220], [300, 230])
    await dialog(phone, 'middle').waitFor()
    const button = await phone.getByRole('button', { name: 'Next photo' }).boundingBox()
    const [x, y] = [(button?.x ?? 0) + 10, (button?.y ?? 0) + 20]
    await swipe(phone, [x, y], [x - 180, y])
    await dialog(phone, 'middle').waitFor({ state: 'detached' })
    expect(await phone.getByRole('dialog').getByRole('heading', { level: 2 }).textContent()).toBe(next)
    // Up and in the details the dialog stays.
    await swipe(phone, [200, 330], [200, 120])
    await swipe(phone, [200, 480], [200, 800])
    expect(await phone.getByRole('dialog').count()).toBe(1)
    await swipe(phone, [200, 120], [210, 300])
    await phone.getByRole('dialog').waitFor({ state: 'detached' })
    await phone.context().close()
  }
})

test('zooms a photo to its own pixels with two fingers, pans it with one, and resets it', async () => {
  const phone = await fixture.openIsolatedPage('owner', { ...PHONE, deviceScaleFactor: 2 })
  await phone.goto(`/?photo=${ids.middle}`)
  const opened = dialog(phone, 'middle')
  await opened.getByRole('img', { name: 'middle' }).waitFor()
  const percent = opened.getByText(/^\d+%$/)
  await moveFingers(phone, [
    { from: [170, 200], to: [60, 200] },
    { from: [220, 200], to: [330, 200] },
  ])
  await percent.waitFor()
  expect(Number.parseInt((await percent.textContent()) ?? '', 10)).toBeGreaterThan(300)
  await phone.waitForFunction(() => document.querySelector<HTMLImageElement>('[data-original]')?.naturalWidth === 4000)

  const picture = opened.locator('[data-original]')
  const before = await picture.boundingBox()
  await swipe(phone, [200, 200], [140, 220])
  const moved = await picture.boundingBox()
  expect(Math.round((moved?.x ?? 0) - (before?.x ?? 0))).toBe(-60)
  // Swiping moves a zoomed photo: it neither switches to another nor closes.
  await swipe(phone, [200, 140], [210, 320])
  await opened.waitFor()
  expect.soft(await findAxeViolations(phone)).toEqual([])
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

test('fills the screen with a slideshow of whole pictures, which waits while the page is hidden', async () => {
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
  await details.waitFor()
  const percent = opened.getByText(/^\d+%$/)
  await tab.keyboard.press('+')
  await percent.waitFor()
  await tab.keyboard.press('s')
  await pause.waitFor()
  await percent.waitFor({ state: 'detached' })
  await details.waitFor({ state: 'hidden' })
  await opened.getByRole('combobox', { name: 'Seconds per photo' }).selectOption('20 s')
  expect.soft(await findAxeViolations(tab)).toEqual([])
  await setHidden(true)
  await tab.clock.runFor(60_000)
  await picture('1 of 3 · newest').waitFor()
  await setHidden(false)
  const pictureIsLoaded = () =>
    tab.waitForFunction(() =>
      [...document.querySelectorAll<HTMLImageElement>('[role="dialog"] img')].every(({ complete }) => complete),
    )
  for (const next of [picture('2 of 3 · middle'), picture('3 of 3 · oldest'), start]) {
    await pictureIsLoaded()
    await expect.poll(() => tab.clock.runFor(20_000).then(() => next.count())).toBe(1)
  }
  await start.click()
  await picture('1 of 3 · newest').waitFor()
  await pause.waitFor()
  await tab.keyboard.press('+')
  await start.waitFor()
  // Escape leaves full screen first, then the photo.
  await tab.keyboard.press('Escape')
  await details.waitFor()
  await tab.keyboard.press('Escape')
  await opened.waitFor({ state: 'detached' })
  await tab.close()
})

test("opens the system's share dialog with the visitors' link, or copies the link where there is none", async () => {
  await page.addInitScript(() => {
    navigator.share = async (data) => {
      document.documentElement.dataset.shared = JSON.stringify(data)
    }
  })
  await page.goto(`/?photo=${ids.newest}`)
  await dialog(page, 'newest').getByRole('button', { name: 'Share' }).click()
  const shared = () => page.evaluate(() => document.documentElement.dataset.shared ?? '{}')
  const url = `${fixture.url}/share/${shareCode}?photo=${ids.newest}`
  await expect.poll(async () => JSON.parse(await shared())).toEqual({ title: 'newest', url })
  const tab = await fixture.openTab()
  await tab.addInitScript(() => {
    Object.defineProperty(navigator, 'share', { value: undefined })
  })
  await tab.goto(`/?photo=${ids.newest}`)
  await dialog(tab, 'newest').getByRole('button', { name: 'Share' }).click()
  await toast(tab, 'Link copied').waitFor()
  await toast(tab, 'Everyone with the link to the folder By hand can see this photo.').waitFor()
  // One that nobody else sees has no link for others.
  await dialog(tab, 'newest').getByRole('switch', { name: 'Public' }).click()
  await toast(tab, 'Photo made private').waitFor()
  await dialog(tab, 'newest').getByRole('button', { name: 'Share' }).click()
  await toast(tab, 'Not shared').waitFor()
  await dialog(tab, 'newest').getByRole('switch', { name: 'Public' }).click()
  await toast(tab, 'Photo made public').waitFor()
  await tab.close()
})

test("shows 'Service unavailable' during an outage, and the photo after a retry", async () => {
  await page.goto('/')
  const photoCalls = /\/api\/photos\?ids=/
  await page.route(photoCalls, (route) => route.fulfill({ status: 503, json: { code: 'unavailable', message: 'x' } }))
  await page.getByRole('gridcell', { name: /^oldest\b/ }).click()
  const notice = dialog(page, 'oldest').getByRole('alert')
  await notice.getByText('Service unavailable').waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await page.unroute(photoCalls)
  await notice.getByRole('button', { name: 'Try again' }).click()
  await notice.waitFor({ state: 'detached' })
})

test('drops unsaved edits only after a question, and returns the focus to the button of the form', async () => {
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
  await expect.poll(() => hasFocus(edit)).toBe(true)
})

test('shows the neighbour of a deleted photo, whose card gets the focus when the dialog closes', async () => {
  await dialog(page, 'oldest').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog', { name: 'Delete Photo' }).getByRole('button', { name: 'Delete' }).click()
  await dialog(page, 'middle').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const card = page.getByRole('gridcell', { name: /^middle\b/ })
  await expect.poll(() => hasFocus(card)).toBe(true)
})
