import { waitFor } from '@skyfolio/testkit'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { fillGallery, listPhotos, readJson, waitUntilReady } from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'
import { edgesOf } from './touch.ts'

// Visitors of a public folder vote, change their mind, see failures, or only look. The tests are steps of one end-to-end user journey.

/** Tall enough for all ten photos: cards out of view are not rendered. */
const TALL = { width: 1280, height: 2200 }

let fixture: OwnerFixture
let page: Page
let folder: { id: number; shareCode: string }

beforeAll(async () => {
  fixture = await startOwnerFixture()
  const { api } = fixture
  await fillGallery(api)
  await waitUntilReady(api)
  const data = { name: 'Above the water', description: 'Which three should go on the wall?', isPublic: true }
  folder = await readJson(api.post('/api/folders', { data }))
  const ids = (await listPhotos(api)).map(({ id }) => id)
  await readJson(api.post('/api/photos/bulk', { data: { ids, action: 'move', folderId: folder.id } }))
  await waitFor(async () => (await shared()).photos.length === ids.length, { what: 'the folder shows its photos' })
  page = await fixture.openIsolatedPage('visitor')
  await page.setViewportSize(TALL)
})

afterAll(() => fixture?.close())

interface Shared {
  folder: object
  photos: Record<string, unknown>[]
}

const shared = () => readJson<Shared>(fixture.api.get(`/api/share/${folder.shareCode}`))
const toast = (text: string, on = page) => on.locator('[data-toasts]').getByText(text, { exact: true })
const button = (name: string | RegExp, on = page) => on.getByRole('button', { name, exact: true })
const panel = (on = page) => on.getByRole('region', { name: 'Your Rankings' })
const picture = (title: string) => page.getByRole('listitem').getByRole('button', { name: new RegExp(`^${title}\\b`) })
const RECORDED = 'Your ranking has been saved. Thank you for participating!'

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
    await page.getByText('Shared Folder').waitFor()
    await page.getByText('10 photos').waitFor()
    await expect.poll(() => page.title()).toBe('Above the water · Skyfolio')
    await rank('lake-1', /1st place/)
    await button('1st place: change your vote for lake-1').waitFor()
    await toast('Ranking recorded').waitFor()
    await toast(RECORDED).waitFor()
    const { top, bottom } = await edgesOf(page.locator('[data-toasts] li'))
    expect([top > TALL.height - 150, bottom < TALL.height]).toEqual([true, true])
    await page.reload()
    await button('1st place: change your vote for lake-1').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test("takes over another photo's rank, which the menu announces", async () => {
    await button('Rank lake-2').click()
    await page.getByRole('menuitem', { name: '1st place Will replace current' }).waitFor()
    await expect.poll(() => page.getByText('Will replace current').count()).toBe(1)
    expect.soft(await findAxeViolations(page)).toEqual([])
    await page.getByRole('menuitem', { name: /1st place/ }).click()
    await button('Rank lake-1').waitFor()
    await toast('Ranking recorded').waitFor()
    await toast('“lake-1” no longer has a place.').waitFor()
  })

  test('that took a rank away, or removed one, is undone by its toast', async () => {
    await button('Undo').click()
    await button('1st place: change your vote for lake-1').waitFor()
    await button('Rank lake-2').waitFor()
    await toast('Undone').waitFor()
    // Not in the list of toasts, which is empty soon.
    await expect.poll(() => page.evaluate(() => document.activeElement?.ariaLabel)).toMatch(/lake-2/)
    await button('1st place: change your vote for lake-1').click()
    await page.getByRole('menuitem', { name: 'Remove vote' }).click()
    await toast('Vote removed').waitFor()
    await button('Undo').click()
    await button('1st place: change your vote for lake-1').waitFor()
    await toast('Undone').waitFor()
    await rank('lake-2', /1st place/)
    await button('Rank lake-1').waitFor()
  })

  test('of a ranked photo moves only to a free rank, and can be removed', async () => {
    await rank('lake-3', /2nd place/)
    await button('2nd place: change your vote for lake-3').click()
    const held = page.getByRole('menuitem', { name: /1st place/ })
    expect(await held.getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('menuitem', { name: 'Swap with lake-2' }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await page.getByRole('menuitem', { name: /3rd place/ }).click()
    await button('3rd place: change your vote for lake-3').click()
    await page.getByRole('menuitem', { name: 'Remove vote' }).click()
    await button('Rank lake-3').waitFor()
    await toast('Vote removed').waitFor()
    expect(await toast('Ranking recorded').count()).toBe(0)
    await expect.poll(() => ranked()).toEqual(['lake-2', 'Choose', 'Choose'])
    // The remaining rankings are announced to screen readers.
    await panel().locator('[aria-live]').getByText('Your rankings: 1st place lake-2.', { exact: true }).waitFor()
  })

  test('swaps the ranks of two photos with one request', async () => {
    await rank('lake-3', /3rd place/)
    await toast('Ranking recorded').waitFor()
    await button('3rd place: change your vote for lake-3').click()
    const [request] = await Promise.all([
      page.waitForRequest('**/rank'),
      page.getByRole('menuitem', { name: 'Swap with lake-2' }).click(),
    ])
    expect(request.postDataJSON()).toMatchObject({ rank: 'first', swap: true })
    await expect.poll(() => ranked()).toEqual(['lake-3', 'Choose', 'lake-2'])
    await toast('Ranking recorded').waitFor()
    await page.reload()
    await button('3rd place: change your vote for lake-2').waitFor()
    expect(await ranked()).toEqual(['lake-3', 'Choose', 'lake-2'])
  })

  test('in one tab appears in the other', async () => {
    const other = await page.context().newPage()
    await other.setViewportSize(TALL)
    await other.goto(page.url())
    await rank('city-1', /2nd place/, other)
    await button('2nd place: change your vote for city-1').waitFor()
    await rank('city-2', /3rd place/)
    await button('3rd place: change your vote for city-2', other).waitFor()
    await other.close()
  })

  test('cast right after another is applied after it', async () => {
    const posts: string[] = []
    page.on('request', (request) => request.method() === 'POST' && posts.push(request.postData() ?? ''))
    await rank('city-3', /1st place/)
    await rank('city-4', /1st place/)
    await expect.poll(() => posts.length).toBe(2)
    await page.waitForLoadState('networkidle')
    await page.reload()
    await button('1st place: change your vote for city-4').waitFor()
    await button('Rank city-3').waitFor()
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
    await button('Rank lake-1').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menu').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await button(/place: change your vote for lake-1/).waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toMatch(/lake-1/)
  })
})

describe('a vote that fails', () => {
  test('is reverted with the reason, and Retry casts it again', async () => {
    await page.route('**/rank', (route) => route.abort())
    await rank('city-5', /1st place/)
    await toast('Ranking failed').waitFor()
    await toast('The server could not be reached. Check your connection and try again.').waitFor()
    await button('Rank city-5').waitFor()
    await page.unroute('**/rank')
    await button('Retry').click()
    await button('1st place: change your vote for city-5').waitFor()
    await toast(RECORDED).waitFor()
  })

  test('because of too many votes shows when to retry, and is disabled until then', async () => {
    const json = { code: 'too_many_requests', message: 'Too many votes. Please slow down.' }
    await page.route('**/rank', (route) => route.fulfill({ status: 429, headers: { 'retry-after': '2' }, json }))
    await rank('city-6', /1st place/)
    await toast('Too many votes. Please slow down.').waitFor()
    await button(/^Retry in [12] s$/).waitFor()
    await page.unroute('**/rank')
    await button('Retry').click()
    await button('1st place: change your vote for city-6').waitFor()
  })
})

test('the photo viewer can vote too', async () => {
  await picture('plain').click()
  const viewer = page.getByRole('dialog', { name: 'plain' })
  await viewer.getByRole('button', { name: 'Rank plain' }).click()
  await page.getByRole('menuitem', { name: /1st place/ }).click()
  await viewer.getByRole('button', { name: '1st place: change your vote for plain' }).waitFor()
  await toast(RECORDED).waitFor()
  await page.keyboard.press('Escape')
  await button('1st place: change your vote for plain').waitFor()
})

test('a viewer that cannot be loaded leaves the page unchanged, and opens when the network is back', async () => {
  const apart = await fixture.openIsolatedPage('visitor')
  await apart.goto(`/share/${folder.shareCode}`)
  await apart.route('**/assets/photo-viewer-*', (route) => route.abort())
  const card = apart.locator('[data-open]').first()
  await card.click()
  await toast('Photo could not be opened', apart).waitFor()
  await apart.getByRole('heading', { name: 'Above the water' }).waitFor()
  await apart.unroute('**/assets/photo-viewer-*')
  await card.click()
  await apart.getByRole('dialog').waitFor()
  await apart.context().close()
})

test("the browser's Back closes the photo, and its neighbour too, but not the page", async () => {
  const apart = await fixture.openIsolatedPage('visitor')
  for (const path of ['share', 'viewer', 'browse']) {
    await apart.goto(`/${path}/${folder.shareCode}`)
    const address = apart.url()
    const photo = path === 'browse' ? apart.getByRole('button', { name: /^Close/ }) : apart.getByRole('dialog')
    await apart.locator('[data-open]').first().click()
    await photo.waitFor()
    expect(apart.url()).toMatch(/\?photo=\d+$/)
    if (path === 'browse') await apart.locator('[data-open]').nth(1).click()
    else await apart.keyboard.press('ArrowRight')
    await apart.goBack()
    await photo.waitFor({ state: 'detached' })
    expect(apart.url()).toBe(address)
    await apart.getByRole('heading', { name: 'Above the water' }).waitFor()
  }
  await apart.context().close()
})

test('a photo that was opened by a link closes to its folder, also after a step to its neighbour', async () => {
  const apart = await fixture.openIsolatedPage('visitor')
  const [photo] = (await shared()).photos
  await apart.goto(`/share/${folder.shareCode}?photo=${photo?.id}`)
  const viewer = apart.getByRole('dialog')
  await viewer.getByText(/^1 of /).waitFor()
  // The blurred placeholder does not show beside the whole picture.
  const placeholder = viewer.locator('[data-placeholder]').first()
  await expect.poll(() => placeholder.evaluate((element) => getComputedStyle(element).opacity)).toBe('0')
  await apart.keyboard.press('ArrowRight')
  await viewer.getByText(/^2 of /).waitFor()
  await apart.keyboard.press('Escape')
  await viewer.waitFor({ state: 'detached' })
  expect(apart.url()).toMatch(`/share/${folder.shareCode}`)
  await apart.context().close()
})

test('closing a photo that was opened by a link focuses its picture', async () => {
  const apart = await fixture.openIsolatedPage('visitor')
  const [photo] = (await shared()).photos
  await apart.goto(`/share/${folder.shareCode}?photo=${photo?.id}`)
  await apart.getByRole('dialog').waitFor()
  await apart.keyboard.press('Escape')
  const focused = apart.locator('[data-open]:focus')
  await expect.poll(() => focused.getByRole('img').getAttribute('alt')).toContain(photo?.title)
  await apart.context().close()
})

describe('an armed rank', () => {
  const slot = () => panel().getByRole('listitem').first().getByRole('button', { name: /First/ })
  const announced = (sentence: string) => panel().locator('[aria-live]').getByText(sentence).waitFor()

  test('is announced, opens no photo, and ends by a second press or by Escape', async () => {
    await button('1st place: change your vote for plain').click()
    await page.getByRole('menuitem', { name: 'Remove vote' }).click()
    await announced('Choose your three favourites.')
    for (const end of ['Enter', 'Escape']) {
      await slot().focus()
      await page.keyboard.press('Enter')
      expect(await slot().getAttribute('aria-pressed')).toBe('true')
      await announced('Choose the photo for 1st place. Press the place again, or Escape, to cancel.')
      if (end === 'Enter') expect.soft(await findAxeViolations(page)).toEqual([])
      await page.keyboard.press(end)
      expect(await slot().getAttribute('aria-pressed')).toBe('false')
      await announced('Choose your three favourites.')
    }
    await picture('plain').click()
    await page.getByRole('dialog', { name: 'plain' }).waitFor()
    await page.keyboard.press('Escape')
  })

  test('stays when Escape closes a menu, and is given to the next photo, which a keyboard can choose', async () => {
    await slot().click()
    await button('Rank plain').click()
    await page.getByRole('menu').waitFor()
    await page.keyboard.press('Escape')
    expect(await slot().getAttribute('aria-pressed')).toBe('true')
    await button(/^plain.*Choose for 1st place$/).focus()
    await page.keyboard.press('Enter')
    await button('1st place: change your vote for plain').waitFor()
    await toast('Ranking recorded').waitFor()
    await announced('All three chosen.')
    expect(await page.getByRole('dialog').count()).toBe(0)
  })
})

test('the panel stays in view while the photos scroll', async () => {
  const apart = await fixture.openIsolatedPage('visitor')
  await apart.goto(`/share/${folder.shareCode}`)
  await panel(apart).waitFor()
  await apart.mouse.wheel(0, 900)
  await expect.poll(() => apart.evaluate(() => scrollY)).toBeGreaterThan(600)
  const { top, bottom } = await edgesOf(panel(apart))
  expect(top).toBeGreaterThanOrEqual(60)
  expect(bottom).toBeLessThan(300)
  await apart.context().close()
})

describe('on a phone', () => {
  const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
  let phone: Page
  const errors: string[] = []

  test('the dock says what to do, and a tapped photo takes the armed rank', async () => {
    phone = await fixture.openIsolatedPage('visitor', PHONE)
    phone.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    await phone.goto(`/share/${folder.shareCode}`)
    // A text that only screen readers have is one pixel wide.
    for (const text of [/^Your Rankings$/, /^1First$/, /^2Second$/, /^3Third$/, /^Choose your three favourites\./])
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

  test('a toast is small, above the dock, and below the photo and the title of the viewer', async () => {
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
    const onPage = await edgesOf(card)
    expect(onPage.bottom).toBeLessThanOrEqual((await edgesOf(panel(phone))).top)
    expect(onPage.bottom - onPage.top).toBeLessThan(80)

    await phone.locator('[data-open]').first().tap()
    const viewer = phone.getByRole('dialog')
    await viewer.getByRole('button', { name: /change your vote/ }).tap()
    await phone.getByRole('menuitem', { name: 'Remove vote' }).tap()
    await toast('Vote removed', phone).waitFor()
    expect((await edgesOf(card)).top).toBeGreaterThan((await edgesOf(viewer.getByRole('heading').first())).bottom)
    expect.soft(await findAxeViolations(phone)).toEqual([])
  })

  test('the photo is beside its details in landscape', async () => {
    await phone.setViewportSize({ width: 844, height: 390 })
    const viewer = phone.getByRole('dialog')
    const [photo, title] = await Promise.all([
      viewer.getByRole('img').first().boundingBox(),
      viewer.getByRole('heading').first().boundingBox(),
    ])
    expect(title?.x).toBeGreaterThanOrEqual((photo?.x ?? 0) + (photo?.width ?? 0))
    expect(title?.y).toBeLessThan(200)
    await phone.keyboard.press('Escape')
    // The panel scrolls away, to leave the photos their room.
    await phone.evaluate(() => scrollTo(0, 500))
    await expect.poll(async () => (await edgesOf(panel(phone))).bottom).toBeLessThan(0)
  })

  test('a toast leaves when its cause is gone', async () => {
    await phone.setViewportSize(PHONE.viewport)
    await phone.evaluate(() => scrollTo(0, 0))
    await phone.route('**/rank', (route) => route.abort())
    await rank((await phone.getByRole('heading', { level: 3 }).first().textContent()) ?? '', /1st place/, phone)
    await toast('Ranking failed', phone).waitFor()
    await phone.unroute('**/rank')
    let answer = () => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    await phone.route('**/rank', (route) => held.then(() => route.continue()))
    await phone
      .getByRole('button', { name: /change your vote/ })
      .first()
      .tap()
    await phone.getByRole('menuitem', { name: 'Remove vote' }).tap()
    await toast('Ranking failed', phone).waitFor({ state: 'detached' })
    answer()
    await toast('Vote removed', phone).waitFor()
    // Leaving the page ends the toast of its vote.
    await phone.getByRole('link', { name: 'Login' }).tap()
    await phone.getByRole('heading', { name: 'Welcome back' }).waitFor()
    expect(await phone.locator('[data-toasts] li').count()).toBe(0)
  })

  test('a toast is above an open sheet', async () => {
    const owner = await fixture.openIsolatedPage('owner', PHONE)
    await owner.goto('/folders')
    await button('New folder', owner).tap()
    await owner.route('**/api/folders', (route) => route.abort())
    const sheet = owner.getByRole('dialog')
    await sheet.getByLabel('Name').fill('Harbour')
    await sheet.getByRole('button', { name: 'Create folder' }).tap()
    await toast('Failed to create folder', owner).waitFor()
    const { bottom } = await edgesOf(owner.locator('[data-toasts] li'))
    expect(bottom).toBeLessThanOrEqual((await edgesOf(sheet)).top)
    await owner.context().close()
  })

  test("a stranger's visit logs no error, and asks nobody who is signed in", async () => {
    // The one request that was aborted above is the test's own.
    expect(errors.filter((text) => !text.includes('ERR_FAILED'))).toEqual([])
    const visit = await fixture.openIsolatedPage('visitor', PHONE)
    const asked: string[] = []
    visit.on('request', (request) => request.url().endsWith('/api/user') && asked.push(request.url()))
    visit.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    for (const path of [`/share/${folder.shareCode}`, `/browse/${folder.shareCode}`, '/auth', '/']) {
      await visit.goto(path)
      await visit.waitForLoadState('networkidle')
    }
    expect([asked, errors.filter((text) => !text.includes('ERR_FAILED'))]).toEqual([[], []])
    await visit.context().close()
    await phone.context().close()
  })

  test('somebody who is signed in is known on the voting page, also after going back to a page from before', async () => {
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
})

test('closed voting is shown as closed and keeps the votes', async () => {
  const kept = (await ranked()).filter((text) => !text.includes('Not chosen'))
  await readJson(fixture.api.patch(`/api/folders/${folder.id}/voting`, { data: { open: false } }))
  await page
    .getByRole('button', { name: /^Rank / })
    .first()
    .click()
  await page.getByRole('menuitem', { name: /1st place/ }).click()
  await toast('Ranking failed').waitFor()
  await toast('Voting is closed').waitFor()
  await panel().getByText('Voting is closed.').waitFor()
  expect(await button('Retry').count()).toBe(0)
  expect((await ranked()).filter((text) => text !== 'Not chosen')).toEqual(kept)
  const open = page.locator('[data-rank]:not([aria-disabled=true])')
  expect(await open.count()).toBe(0)
  expect.soft(await findAxeViolations(page)).toEqual([])
})

describe('a view-only folder', () => {
  test('at /viewer opens its photos in a dialog without a vote', async () => {
    await page.goto(`/viewer/${folder.shareCode}`)
    await page.getByRole('heading', { name: 'Above the water' }).waitFor()
    await page.getByText('View Only').waitFor()
    await page.getByText('10 photos').waitFor()
    const hint = 'Browse the drone photos in this collection. Click on any photo to view more details.'
    await page.getByText(hint).waitFor()
    await page
      .getByText(/^Uploaded [A-Z][a-z]+ \d+, \d{4}$/)
      .first()
      .waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await picture('lake-1').click()
    const viewer = page.getByRole('dialog', { name: 'lake-1' })
    await viewer.getByRole('link', { name: 'Download' }).waitFor()
    expect(await page.getByRole('button', { name: /^Rank / }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await expect.poll(() => picture('lake-1').evaluate((card) => card === document.activeElement)).toBe(true)
  })

  test('at /browse shows a card above its photos, which Escape closes', async () => {
    await page.goto(`/browse/${folder.shareCode}`)
    await picture('lake-2').focus()
    await page.keyboard.press('Enter')
    const card = page.getByRole('region', { name: 'lake-2' })
    await card.getByText('Location: Duluth, Minnesota').waitFor()
    await expect.poll(() => card.evaluate((element) => element === document.activeElement)).toBe(true)
    const map = card.getByRole('link', { name: /View on Map/ })
    expect(await map.getAttribute('href')).toContain('46.842607')
    expect([await map.getAttribute('target'), await map.getAttribute('rel')]).toEqual(['_blank', 'noreferrer'])
    await expect.poll(async () => (await card.boundingBox())?.y).toBeLessThan(100)
    expect.soft(await findAxeViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => picture('lake-2').evaluate((one) => one === document.activeElement)).toBe(true)
    expect(await card.count()).toBe(0)
  })
})

test('an empty view-only folder has nothing to click on', async () => {
  const data = { name: 'Nothing yet', description: null, isPublic: true }
  const empty = await readJson<{ shareCode: string }>(fixture.api.post('/api/folders', { data }))
  await page.goto(`/viewer/${empty.shareCode}`)
  await page.getByRole('heading', { name: 'No photos available' }).waitFor()
  expect(await page.getByText('Click on any photo').count()).toBe(0)
})

test('the footer leads to a page of the API that can be searched, and calls nobody else', async () => {
  const apart = await fixture.openIsolatedPage('visitor')
  const hosts = new Set<string>()
  apart.on('request', (request) => hosts.add(new URL(request.url()).host))
  await apart.goto(`/share/${folder.shareCode}`)
  await apart.getByRole('contentinfo').getByRole('link', { name: 'API' }).click()
  await apart.getByRole('heading', { name: 'Skyfolio API' }).waitFor()
  await apart.getByLabel('Search operations').fill('rank ballot')
  await apart.getByRole('main').getByRole('status').getByText('1 operation', { exact: true }).waitFor()
  await apart.getByText('/api/photos/{id}/rank', { exact: true }).click()
  await apart.getByText('"first" or "second" or "third" or ""').waitFor()
  expect.soft(await findAxeViolations(apart)).toEqual([])
  await apart.getByLabel('Search operations').fill('nothing of the kind')
  await apart.getByRole('heading', { name: 'No operations found' }).waitFor()
  await apart.getByRole('button', { name: 'Clear search' }).click()
  expect.soft(await findAxeViolations(apart)).toEqual([])
  await apart.goto('/api-docs#post-api-photos-id-rank')
  await apart.reload()
  await apart.getByText('"first" or "second" or "third" or ""').waitFor()
  for (const [path, title] of [
    ['/terms', 'Terms of Use'],
    ['/privacy', 'Privacy Policy'],
    ['/no/such/page', '404'],
  ] as const) {
    await apart.goto(path)
    await apart.getByRole('heading', { level: 1, name: title }).waitFor()
    expect.soft(await findAxeViolations(apart)).toEqual([])
  }
  expect([...hosts]).toEqual([new URL(fixture.url).host])
  await apart.context().close()
})

describe('visitors', () => {
  test('see nothing of the owner, of files or of other voters', async () => {
    const { folder: known, photos } = await shared()
    expect(Object.keys(known).sort()).toEqual(['description', 'id', 'name', 'showMap', 'votingOpen'])
    expect(Object.keys(photos[0] ?? {}).sort()).toEqual(
      `altitude city county createdAt dateTaken description filename filesize folderId height id isPublic latitude
       longitude mediumUrl previewUrl projection smallUrl state status statusMessage thumbhash thumbnailUrl title url width`.split(
        /\s+/,
      ),
    )
  })

  test('see a link preview in messengers', async () => {
    const crawler = await fixture.openIsolatedPage('visitor')
    const html = await (await crawler.request.get(`/share/${folder.shareCode}`)).text()
    expect(html).toContain('<meta property="og:title" content="Above the water" />')
    const picture = new URL(/property="og:image" content="([^"]+)"/.exec(html)?.[1] ?? '')
    const answer = await crawler.request.get(picture.href)
    expect([answer.status(), answer.headers()['content-type']]).toEqual([200, 'image/webp'])
    await crawler.close()
  })

  test('see nothing of a folder that became private, also on open pages', async () => {
    const voting = await page.context().newPage()
    await voting.goto(`/share/${folder.shareCode}`)
    await voting.getByRole('heading', { name: 'Above the water' }).waitFor()
    await page.goto(`/browse/${folder.shareCode}`)
    await page.getByRole('heading', { name: 'Above the water' }).waitFor()
    await readJson(fixture.api.patch(`/api/folders/${folder.id}/toggle-public`, { data: { isPublic: false } }))
    await voting.getByRole('heading', { name: 'Folder Not Found' }).waitFor()
    await voting.getByText("The shared folder you're looking for doesn't exist or may have been removed.").waitFor()
    await page.getByRole('heading', { name: 'Folder not found' }).waitFor()
    await page.getByText("The folder you're looking for doesn't exist or is not publicly shared.").waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    expect(await (await page.request.get(`/share/${folder.shareCode}`)).text()).not.toContain('Above the water')
    await page.getByRole('link', { name: 'Back to Home' }).waitFor()
  })
})

test('no page threw an error or violated its content security policy', () => {
  expect(fixture.pageErrors).toEqual([])
})
