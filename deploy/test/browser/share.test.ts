import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { type Folder, fillGallery, readJson, sharePhotos } from './gallery-photos.ts'
import { hasFocus, type OwnerFixture, PHONE, startOwnerFixture } from './owner-fixture.ts'
import { controlsUnderToast, edgesOf } from './touch.ts'

// Visitors of a public folder vote, change their mind, see failures, or only look.

/** Tall enough for all ten photos: cards out of view are not rendered. */
const TALL = { width: 1280, height: 2200 }
const RECORDED = 'Your ranking has been saved. Thank you for participating!'

let fixture: OwnerFixture
let page: Page
let folder: Folder

beforeAll(async () => {
  fixture = await startOwnerFixture()
  await fillGallery(fixture.api)
  folder = await sharePhotos(fixture.api, 'Above the water')
  page = await fixture.openIsolatedPage('visitor')
  await page.setViewportSize(TALL)
})

afterAll(() => fixture?.close())

const toast = (text: string, on = page) => on.locator('[data-toasts]').getByText(text, { exact: true })
const button = (name: string | RegExp, on = page) => on.getByRole('button', { name, exact: true })
const panel = (on = page) => on.getByRole('region', { name: 'Your Rankings' })
const picture = (title: string) => page.getByRole('listitem').getByRole('button', { name: new RegExp(`^${title}\\b`) })

const ratioOf = (image: Locator) =>
  image.evaluate((element) => (element as HTMLImageElement).naturalWidth / (element as HTMLImageElement).naturalHeight)

async function rank(title: string, label: RegExp, on = page): Promise<void> {
  await button(`Rank ${title}`, on).click()
  await on.getByRole('menuitem', { name: label }).click()
}

/** The titles that the panel shows, in the order of the ranks. */
const ranked = (on = page) =>
  panel(on)
    .getByRole('listitem')
    .allTextContents()
    .then((texts) => texts.map((text) => text.replace(/^\d(First|Second|Third)/, '')))

describe('a vote', () => {
  test('appears at once, is confirmed, and persists', async () => {
    await page.goto(`/share/${folder.shareCode}`)
    await page.getByText('10 photos').waitFor()
    await expect.poll(() => page.title()).toBe('Above the water · Skyfolio')
    await rank('lake-1', /1st place/)
    await button('1st place: change your vote for lake-1').waitFor()
    await toast(RECORDED).waitFor()
    await page.reload()
    await button('1st place: change your vote for lake-1').waitFor()
  })

  test("takes over another photo's rank, which the menu announces, and gives it back with Undo", async () => {
    await button('Rank lake-2').click()
    await page.getByRole('menuitem', { name: '1st place Will replace current' }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await page.getByRole('menuitem', { name: /1st place/ }).click()
    await button('Rank lake-1').waitFor()
    await toast('“lake-1” no longer has a place.').waitFor()
    await button('Undo').click()
    await button('1st place: change your vote for lake-1').waitFor()
    await toast('Undone').waitFor()
    // Not in the list of toasts, which is empty soon.
    await expect.poll(() => page.evaluate(() => document.activeElement?.ariaLabel)).toMatch(/lake-2/)
  })

  test('swaps the ranks of two photos with one request', async () => {
    await rank('lake-3', /3rd place/)
    await toast('Ranking recorded').waitFor()
    await button('3rd place: change your vote for lake-3').click()
    const [request] = await Promise.all([
      page.waitForRequest('**/rank'),
      page.getByRole('menuitem', { name: 'Swap with lake-1' }).click(),
    ])
    expect(request.postDataJSON()).toMatchObject({ rank: 'first', swap: true })
    await expect.poll(() => ranked()).toEqual(['lake-3', 'Choose', 'lake-1'])
  })

  test('in one tab appears in the other, and one right after another is applied after it', async () => {
    const other = await page.context().newPage()
    await other.setViewportSize(TALL)
    await other.goto(page.url())
    await rank('city-1', /2nd place/, other)
    await button('2nd place: change your vote for city-1').waitFor()
    await other.close()
    await rank('city-3', /1st place/)
    await rank('city-4', /1st place/)
    await button('Rank city-3').waitFor()
    await page.waitForLoadState('networkidle')
    await page.reload()
    await button('1st place: change your vote for city-4').waitFor()
  })

  test('is not suspicious where the browser keeps no cookies', async () => {
    const visit = await fixture.openIsolatedPage('visitor')
    await visit.goto(`/share/${folder.shareCode}`)
    for (const [photo, place] of [
      ['city-1', /1st place/],
      ['city-2', /2nd place/],
    ] as const) {
      await button(`Rank ${photo}`, visit).waitFor()
      await visit.context().clearCookies()
      await rank(photo, place, visit)
      await toast(RECORDED, visit).waitFor()
    }
    const [last] = await readJson<{ second: number; flags: string[] }[]>(
      fixture.api.get(`/api/folders/${folder.id}/voters`),
    )
    expect([last?.second === 0, last?.flags]).toEqual([false, []])
    await visit.context().close()
  })

  test('works without a mouse', async () => {
    await button('Rank lake-2').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menu').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await button(/place: change your vote for lake-2/).waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toMatch(/lake-2/)
  })

  test('that fails is reverted with the reason, and Retry casts it again', async () => {
    await page.route('**/rank', (route) => route.abort())
    await rank('city-5', /1st place/)
    await toast('The server could not be reached. Check your connection and try again.').waitFor()
    await button('Rank city-5').waitFor()
    await page.unroute('**/rank')
    await button('Retry').click()
    await button('1st place: change your vote for city-5').waitFor()
  })
})

describe('a photo', () => {
  test('closes with Back, and its neighbour too, but not the page', async () => {
    const visitor = await fixture.openIsolatedPage('visitor')
    for (const path of ['share', 'viewer', 'browse']) {
      await visitor.goto(`/${path}/${folder.shareCode}`)
      const address = visitor.url()
      const photo = path === 'browse' ? visitor.getByRole('button', { name: /^Close/ }) : visitor.getByRole('dialog')
      await visitor.locator('[data-open]').first().click()
      await photo.waitFor()
      expect(visitor.url()).toMatch(/\?photo=\d+$/)
      if (path === 'browse') await visitor.locator('[data-open]').nth(1).click()
      else await visitor.keyboard.press('ArrowRight')
      await visitor.goBack()
      await photo.waitFor({ state: 'detached' })
      expect(visitor.url()).toBe(address)
    }
    await visitor.context().close()
  })

  test('that was opened by a link closes to its picture in the folder', async () => {
    const visitor = await fixture.openIsolatedPage('visitor')
    const { photos } = await readJson<{ photos: { id: number; title: string }[] }>(
      fixture.api.get(`/api/share/${folder.shareCode}`),
    )
    await visitor.goto(`/share/${folder.shareCode}?photo=${photos[0]?.id}`)
    const viewer = visitor.getByRole('dialog')
    await viewer.getByText(/^1 of /).waitFor()
    await visitor.keyboard.press('ArrowRight')
    await viewer.getByText(/^2 of /).waitFor()
    await visitor.keyboard.press('Escape')
    await viewer.waitFor({ state: 'detached' })
    await visitor.locator(`[data-open]:focus img[alt^="${photos[1]?.title}"]`).waitFor()
    await visitor.context().close()
  })

  test('whose viewer cannot be loaded leaves the page unchanged, and opens when the network is back', async () => {
    const visitor = await fixture.openIsolatedPage('visitor')
    await visitor.goto(`/share/${folder.shareCode}`)
    await visitor.route('**/assets/photo-viewer-*', (route) => route.abort())
    const card = visitor.locator('[data-open]').first()
    await card.click()
    await toast('Photo could not be opened', visitor).waitFor()
    await visitor.unroute('**/assets/photo-viewer-*')
    await card.click()
    await visitor.getByRole('dialog').waitFor()
    await visitor.context().close()
  })
})

test('gives an armed rank, which is announced, to the next photo by keyboard, and ends it by Escape', async () => {
  const slot = panel().getByRole('listitem').first().getByRole('button', { name: /First/ })
  const announced = (sentence: string) => panel().locator('[aria-live]').getByText(sentence).waitFor()
  await button('1st place: change your vote for city-5').click()
  await page.getByRole('menuitem', { name: 'Remove vote' }).click()
  await expect.poll(() => hasFocus(button('Rank city-5'))).toBe(true)
  await slot.focus()
  await page.keyboard.press('Enter')
  await announced('Choose the photo for 1st place. Press the place again, or Escape, to cancel.')
  expect.soft(await findAxeViolations(page)).toEqual([])
  await page.keyboard.press('Escape')
  expect(await slot.getAttribute('aria-pressed')).toBe('false')
  await slot.focus()
  await page.keyboard.press('Enter')
  await button(/^plain.*Choose for 1st place$/).focus()
  await page.keyboard.press('Enter')
  await button('1st place: change your vote for plain').waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
})

describe('on a phone', () => {
  let phone: Page

  test('says in the dock what to do, and gives the armed rank to the photo that is tapped', async () => {
    phone = await fixture.openIsolatedPage('visitor', PHONE)
    await phone.goto(`/share/${folder.shareCode}`)
    // A text that only screen readers have is one pixel wide.
    for (const text of [/^Your Rankings$/, /^1First$/, /^2Second$/, /^3Third$/, /^Choose your three favorites\./])
      expect((await panel(phone).getByText(text).boundingBox())?.width, `${text}`).toBeGreaterThan(20)
    for (const [index, name] of ['First', 'Second', 'Third'].entries()) {
      await panel(phone)
        .getByRole('button', { name: new RegExp(name) })
        .tap()
      if (index === 0) expect.soft(await findAxeViolations(phone)).toEqual([])
      await phone
        .getByRole('button', { name: /Choose for / })
        .nth(index)
        .tap()
      await toast('Ranking recorded', phone).waitFor()
    }
    await panel(phone).getByText('All three chosen.').waitFor()
    expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  })

  test('leaves the links at the end of the page above the dock', async () => {
    const end = await fixture.openIsolatedPage('visitor', PHONE)
    await end.goto(`/share/${folder.shareCode}`)
    await panel(end).waitFor()
    await end.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    const link = await edgesOf(end.getByRole('link', { name: 'Privacy Policy' }))
    expect(link.bottom).toBeLessThan((await edgesOf(panel(end))).top)
    await end.context().close()
  })

  test.each([
    [844, 390],
    [667, 375],
  ])('on its side, %i by %i pixels, shows photos beside the ranks', async (width, height) => {
    const side = await fixture.openIsolatedPage('visitor', { ...PHONE, viewport: { width, height } })
    for (const screen of ['share', 'viewer', 'browse']) {
      await side.goto(`/${screen}/${folder.shareCode}`)
      const { top } = await edgesOf(side.locator('[data-open]').first())
      expect(height - top, screen).toBeGreaterThan(120)
    }
    await side.context().close()
  })

  test('shows a toast above the dock, and clear of the controls of the viewer', async () => {
    const card = phone.locator('[data-toasts] li')
    await phone
      .getByRole('button', { name: /change your vote/ })
      .first()
      .tap()
    await phone
      .getByRole('menuitem', { name: /^Swap with/ })
      .first()
      .tap()
    await toast(RECORDED, phone).waitFor()
    expect((await edgesOf(card)).bottom).toBeLessThanOrEqual((await edgesOf(panel(phone))).top)

    await phone.locator('[data-open]').first().tap()
    const viewer = phone.getByRole('dialog')
    await viewer.getByRole('button', { name: /change your vote/ }).tap()
    await phone.getByRole('menuitem', { name: 'Remove vote' }).tap()
    await toast('Vote removed', phone).waitFor()
    expect(await controlsUnderToast(phone)).toEqual([])
    expect.soft(await findAxeViolations(phone)).toEqual([])
  })
})

test("logs no error of a stranger's visit, and asks nobody who is signed in", async () => {
  const visit = await fixture.openIsolatedPage('visitor', PHONE)
  const errors: string[] = []
  const asked: string[] = []
  visit.on('request', (request) => /\/api\/(user|folders)$/.test(request.url()) && asked.push(request.url()))
  visit.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  for (const path of [`/share/${folder.shareCode}`, `/browse/${folder.shareCode}`, '/auth', '/']) {
    await visit.goto(path)
    await visit.waitForLoadState('networkidle')
  }
  expect([asked, errors]).toEqual([[], []])
  await visit.context().close()
})

test('knows who is signed in, also after going back to a page from before', async () => {
  const owner = await fixture.openIsolatedPage('owner')
  const session = await owner.context().cookies()
  await owner.context().clearCookies({ name: 'sid' })
  await owner.goto(`/share/${folder.shareCode}`)
  await owner.getByRole('link', { name: 'Login' }).waitFor()
  await owner.context().addCookies(session)
  await owner.goto('/terms')
  await button('Account of pilot', owner).waitFor()
  await owner.goBack()
  await panel(owner).waitFor()
  await button('Account of pilot', owner).waitFor()
  await owner.context().close()
})

test('says whose photos they are, as the owner is called by own choice, who has a way back', async () => {
  await readJson(fixture.api.put('/api/user', { data: { displayName: 'Ann <Lake>' } }))
  const owner = await fixture.openIsolatedPage('owner')
  for (const screen of ['share', 'viewer', 'browse']) {
    await page.goto(`/${screen}/${folder.shareCode}`)
    await page.getByText('Photos by Ann <Lake>', { exact: true }).waitFor()
    expect(await page.getByRole('link', { name: 'Back to your folder' }).count()).toBe(0)
    await owner.goto(`/${screen}/${folder.shareCode}`)
    await owner.getByRole('link', { name: 'Back to your folder' }).click()
    await owner.getByRole('heading', { name: 'Above the water' }).waitFor()
    expect(new URL(owner.url()).pathname).toBe(`/folders/${folder.id}`)
  }
  await owner.context().close()
  await page.goto(`/share/${folder.shareCode}`)
  await button('1st place: change your vote for plain').waitFor()
})

test('shows closed voting as closed, and keeps the votes', async () => {
  const kept = (await ranked()).filter((text) => !text.includes('Not chosen'))
  // The page learns it by the vote, not by reading the folder again before.
  const { promise: voted, resolve: letRead } = Promise.withResolvers<void>()
  await page.route(`**/api/share/${folder.shareCode}*`, (route) => voted.then(() => route.continue()))
  await readJson(fixture.api.patch(`/api/folders/${folder.id}/voting`, { data: { open: false } }))
  await page
    .getByRole('button', { name: /^Rank / })
    .first()
    .click()
  await page.getByRole('menuitem', { name: /1st place/ }).click()
  await toast('Voting is closed').waitFor()
  letRead()
  await panel().getByText('Voting is closed.').waitFor()
  expect(await button('Retry').count()).toBe(0)
  expect((await ranked()).filter((text) => text !== 'Not chosen')).toEqual(kept)
  expect(await page.locator('[data-rank]:not([aria-disabled=true])').count()).toBe(0)
  expect.soft(await findAxeViolations(page)).toEqual([])
})

describe('a view-only folder', () => {
  test('at /viewer opens its photos in a dialog without a vote', async () => {
    await page.goto(`/viewer/${folder.shareCode}`)
    await page.getByText('View Only').waitFor()
    await picture('lake-1').click()
    await page.getByRole('dialog', { name: 'lake-1' }).getByRole('link', { name: 'Download', exact: true }).waitFor()
    expect(await page.getByRole('button', { name: /^Rank / }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await expect.poll(() => hasFocus(picture('lake-1'))).toBe(true)
  })

  test('at /browse shows a card above its photos, which Escape closes', async () => {
    await page.goto(`/browse/${folder.shareCode}`)
    await picture('lake-2').focus()
    await page.keyboard.press('Enter')
    const card = page.getByRole('region', { name: 'lake-2' })
    await card.getByText('Location: Duluth, Minnesota').waitFor()
    await expect.poll(() => hasFocus(card)).toBe(true)
    const map = card.getByRole('link', { name: /View on Map/ })
    expect(await map.getAttribute('href')).toContain('46.842607')
    expect([await map.getAttribute('target'), await map.getAttribute('rel')]).toEqual(['_blank', 'noreferrer'])
    expect.soft(await findAxeViolations(page)).toEqual([])
    // The picture has the ratio of its photo: nothing is beside it in its box.
    const box = await card.getByRole('img').boundingBox()
    expect((box?.width ?? 0) / (box?.height ?? 1)).toBeCloseTo(await ratioOf(card.getByRole('img')), 1)
    await page.keyboard.press('ArrowRight')
    await page.getByRole('region', { name: 'lake-1' }).waitFor()
    await button('Previous photo').click()
    await card.waitFor()
    await expect.poll(() => hasFocus(button('Previous photo'))).toBe(true)
    await page.keyboard.press('Escape')
    await expect.poll(() => hasFocus(picture('lake-2'))).toBe(true)
    expect(await card.count()).toBe(0)
  })

  test('that became private disappears, also on open pages and in previews of the link', async () => {
    const preview = async () => (await page.request.get(`/share/${folder.shareCode}`)).text()
    expect(await preview()).toContain('<meta property="og:title" content="Above the water" />')
    await readJson(fixture.api.patch(`/api/folders/${folder.id}/toggle-public`, { data: { isPublic: false } }))
    await page.getByRole('heading', { name: 'Folder not found' }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    expect(await preview()).not.toContain('Above the water')
  })
})
