import { readFile } from 'node:fs/promises'
import type { Locator, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import {
  dronePhotoAt,
  fillGallery,
  findPhoto,
  listPhotos,
  readJson,
  uploadPhoto,
  waitUntilReady,
} from './gallery-photos.ts'
import { longestTask } from './long-tasks.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'
import { recordLayoutShifts, shiftsOf, weightOf } from './page-weight.ts'
import { readZip } from './zip-file.ts'

// The gallery: photos are searched, selected, changed together, and browsed by keyboard. The tests are steps of one end-to-end user journey.
const DAY_MS = 86_400_000
let fixture: OwnerFixture
let page: Page

beforeAll(async () => {
  fixture = await startOwnerFixture()
  page = fixture.page
})

afterAll(() => fixture?.close())

const toast = (on: Page, text: string) => on.locator('[data-toasts]').getByText(text, { exact: true })
const dialog = (name: string | RegExp) => page.getByRole('dialog', { name })
const question = (name: string) => page.getByRole('alertdialog', { name })
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const search = () => page.getByRole('searchbox', { name: 'Search photos' })
const bar = (on = page) => on.getByRole('region', { name: 'Selected photos' })
const cell = (title: string, on = page) => on.getByRole('gridcell', { name: new RegExp(`^${title}\\b`) })
const titles = () => page.getByRole('grid', { name: 'Photos' }).getByRole('heading').allTextContents()
const shows = (count: string) => page.getByRole('search').getByText(count, { exact: true }).waitFor()
const parameters = () => Object.fromEntries(new URL(page.url()).searchParams)

async function searchFor(text: string, count: string): Promise<void> {
  await search().fill(text)
  await shows(count)
}

test('an empty gallery says what to do, and axe finds no problem in sign-in and upload dialog', async () => {
  await page.goto('/upload')
  await dialog('Upload photos').waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'No photos found' }).waitFor()
  await page.getByText('Upload some photos to get started').waitFor()
  expect(await page.getByRole('search').count()).toBe(0)
  expect(await button('Fix Locations').count()).toBe(0)
  expect.soft(await findAxeViolations(page)).toEqual([])
  await button('Upload Photos').click()
  await dialog('Upload photos').waitFor()
  await page.keyboard.press('Escape')

  const guest = await fixture.openIsolatedPage('visitor')
  await guest.goto('/auth')
  await guest.getByRole('tab', { name: 'Register' }).waitFor()
  expect.soft(await findAxeViolations(guest)).toEqual([])
  await guest.getByRole('tab', { name: 'Register' }).click()
  await guest.getByRole('link', { name: 'terms and conditions' }).waitFor()
  expect.soft(await findAxeViolations(guest)).toEqual([])
  await guest.context().close()
})

test('search, location, date and order are in the URL: a reload and Back keep them', async () => {
  await fillGallery(fixture.api)
  await waitUntilReady(fixture.api)
  await page.goto('/')
  await shows('10 photos')
  await searchFor('LAKE', '3 photos')
  await page.getByRole('combobox', { name: 'Location' }).selectOption('Duluth, Minnesota')
  await page.getByRole('combobox', { name: 'Date' }).selectOption('Today')
  await page.getByRole('combobox', { name: 'Sort' }).selectOption('Oldest first')
  const all = { q: 'LAKE', location: 'Duluth, Minnesota', from: 'today', sort: 'oldest' }
  expect(parameters()).toEqual(all)
  await expect.poll(titles).toEqual(['lake-1', 'lake-2', 'lake-3'])

  await page.reload()
  await expect.poll(titles).toEqual(['lake-1', 'lake-2', 'lake-3'])
  expect(parameters()).toEqual(all)
  expect(await search().inputValue()).toBe('LAKE')
  expect(await page.getByRole('combobox', { name: 'Location' }).inputValue()).toBe('Duluth, Minnesota')
  expect(await page.getByRole('combobox', { name: 'Date' }).inputValue()).toBe('today')

  await page.goBack()
  await expect.poll(titles).toEqual(['lake-3', 'lake-2', 'lake-1'])
  expect(await page.getByRole('combobox', { name: 'Sort' }).inputValue()).toBe('newest')
  await page.goBack()
  await page.goBack()
  await expect.poll(parameters).toEqual({ q: 'LAKE' })
})

test('a search finds places too, and an empty result can be reset', async () => {
  await searchFor('minnes', '3 photos')
  await searchFor('over the rainbow', '0 photos')
  await page.getByRole('heading', { name: 'No photos found' }).waitFor()
  await page.getByText('Try adjusting your filters or search terms').waitFor()
  await button('Clear filters').click()
  await shows('10 photos')
  expect(parameters()).toEqual({})
  expect.soft(await findAxeViolations(page)).toEqual([])
})

test('the gallery works as a list and on a phone', async () => {
  await page.getByRole('radio', { name: 'List view' }).click()
  await cell('lake-1').waitFor()
  await page.getByText('Date taken', { exact: true }).waitFor()
  const date = cell('lake-1').getByText('June 23, 2016 at 4:31 PM').last()
  expect(await date.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  expect.soft(await findAxeViolations(page)).toEqual([])
  await page.getByRole('radio', { name: 'Small pictures' }).click()
  await cell('lake-1').waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 800 })
  expect.soft(await findAxeViolations(page)).toEqual([])
  await button('Filters and view').click()
  await dialog('Filters and view').getByRole('combobox', { name: 'Location' }).selectOption('Duluth, Minnesota')
  await dialog('Filters and view').getByRole('radio', { name: 'Grid view' }).click()
  // Until the list is there, its former photos are pale.
  await button('Show 3 photos').waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await button('Show 3 photos').click()
  await button('Filters and view, 1 in use').waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  const wide = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(wide).toBe(390)
  const first = await page.getByRole('grid', { name: 'Photos' }).getByRole('img').first().boundingBox()
  expect(first?.y).toBeLessThan(800 / 3)
  await button('Filters and view, 1 in use').click()
  await button('Clear filters').click()
  await button('Show 10 photos').click()
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('the order by date taken has a header for each month, and photos without a date are last', async () => {
  await page.setViewportSize({ width: 1280, height: 1600 }) // So that all rows are rendered.
  await page.getByRole('combobox', { name: 'Sort' }).selectOption('Date taken, oldest first')
  await page.getByRole('rowheader', { name: 'No date 1 photo' }).waitFor()
  expect(await page.getByRole('rowheader').allTextContents()).toEqual([
    'June 2016 3 photos',
    'May 2024 6 photos',
    'No date 1 photo',
  ])
  await expect.poll(async () => (await titles()).at(0)).toBe('lake-1')
  await expect.poll(async () => (await titles()).at(-1)).toBe('plain')
  expect(parameters()).toEqual({ sort: 'taken-oldest' })
  await page.reload()
  await page.getByRole('rowheader', { name: 'June 2016' }).waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await page.getByRole('combobox', { name: 'Sort' }).selectOption('Newest first')
  await page.getByRole('rowheader', { name: '10 photos uploaded' }).waitFor()
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('a search can be cleared, and a button shows the keyboard help', async () => {
  await searchFor('lake', '3 photos')
  await button('Clear search').click()
  await shows('10 photos')
  expect(await search().evaluate((field) => field === document.activeElement)).toBe(true)
  expect(parameters()).toEqual({})
  await button('Keyboard shortcuts').click()
  await dialog('Keyboard shortcuts').waitFor()
  await page.keyboard.press('Escape')
  await expect
    .poll(() => button('Keyboard shortcuts').evaluate((element) => element === document.activeElement))
    .toBe(true)
})

test("after ten days photos are in the month, not in the week, by the browser's calendar", async () => {
  const later = await fixture.openTab()
  await later.clock.setFixedTime(Date.now() + 10 * DAY_MS)
  await later.goto('/?from=week')
  await later.getByText('Try adjusting your filters or search terms').waitFor()
  await later.getByRole('combobox', { name: 'Date' }).selectOption('Last 30 days')
  await later.getByRole('search').getByText('10 photos').waitFor()
  await later.close()
})

test('Fix Locations geocodes photos with a position and no place, and can be repeated', async () => {
  // The state of photos that were stored before their places were known.
  await fixture.sql('media', "UPDATE photos SET city = NULL, county = NULL, state = NULL WHERE title LIKE 'lake-%'")
  await page.goto('/?sort=oldest')
  await cell('lake-1').getByText('46.842607').waitFor()
  expect(await cell('lake-1').getByText('Duluth').count()).toBe(0)
  await page.getByText('adds city and state to photos that have GPS coordinates but no place').waitFor()
  await button('Fix Locations').click()
  await toast(page, 'Location Update Complete').waitFor()
  await toast(page, 'Updated 3 photos with location data').waitFor()
  await page
    .locator('main')
    .getByText(/^3 of 3 photos with GPS coordinates but no place got one\. 1 photo stays without a place/)
    .waitFor()
  await page.locator('[data-toasts]').getByText('Location Update Complete').hover() // Hovering keeps the toast open while axe runs.
  expect.soft(await findAxeViolations(page)).toEqual([])
  await cell('lake-1').getByText('Duluth, Minnesota').waitFor()
  await page.getByRole('combobox', { name: 'Location' }).selectOption('Duluth, Minnesota')
  await shows('3 photos')
  await button('Fix Locations').click()
  await toast(page, 'Updated 0 photos with location data').waitFor()
  await page
    .locator('main')
    .getByText(/^No photo with GPS coordinates was missing a place\./)
    .waitFor()
})

test('the gallery is shown, whenever its code arrives', async () => {
  for (let delay = 0; delay < 120; delay += 10) {
    const answer = (route: Route) => void setTimeout(() => route.continue(), delay)
    await page.route('**/assets/home-page-*.js', answer)
    await page.goto('/')
    await page.getByRole('gridcell').first().waitFor()
    await page.unroute('**/assets/home-page-*.js', answer)
  }
})

test('a move and a change of visibility of many photos are undone by their toast', async () => {
  const before = await listPhotos(fixture.api)
  const folder = await readJson<{ id: number }>(
    fixture.api.post('/api/folders', { data: { name: 'For a moment', isPublic: true } }),
  )
  await page.goto('/')
  await searchFor('lake', '3 photos')
  await button('Select').click()
  await bar().getByRole('button', { name: 'Select All' }).click()
  await bar().getByRole('button', { name: 'Move to folder' }).click()
  await dialog('Move 3 photos').getByRole('button', { name: 'For a moment' }).click()
  await toast(page, 'Moved to For a moment').waitFor()
  expect((await listPhotos(fixture.api)).filter(({ folderId }) => folderId === folder.id)).toHaveLength(3)
  await button('Undo').click()
  await toast(page, 'Undone').waitFor()
  expect(await listPhotos(fixture.api)).toEqual(before)

  await button('Select').click()
  await bar().getByRole('button', { name: 'Select All' }).click()
  await bar().getByRole('button', { name: 'Visibility' }).click()
  await page.getByRole('menuitem', { name: 'Make private' }).click()
  await toast(page, '3 photos are private now').waitFor()
  await button('Undo').click()
  await toast(page, 'Undone').waitFor()
  expect(await listPhotos(fixture.api)).toEqual(before)
  await fixture.api.delete(`/api/folders/${folder.id}`)
})

test('a photo that was private because of its place is private again after Undo, not by choice', async () => {
  const { id } = await findPhoto(fixture.api, 'plain')
  const place = (isPublic: boolean) => ({
    data: { action: 'restore', ids: [id], folderId: null, isPublic, privateByChoice: false },
  })
  await readJson(fixture.api.post('/api/photos/bulk', place(false)))
  const before = await findPhoto(fixture.api, 'plain')
  const folder = await readJson<{ id: number }>(
    fixture.api.post('/api/folders', { data: { name: 'For a moment', isPublic: true } }),
  )
  await page.goto(`/?photo=${id}`)
  await dialog('plain').getByRole('button', { name: 'Choose folder' }).click()
  await dialog('Choose folder')
    .getByRole('button', { name: /^For a moment/ })
    .click()
  await toast(page, 'Moved to For a moment').waitFor()
  expect(await findPhoto(fixture.api, 'plain')).toMatchObject({ folderId: folder.id, isPublic: true })
  await button('Undo').click()
  await toast(page, 'Taken out of the folder').waitFor()
  expect(await findPhoto(fixture.api, 'plain')).toEqual(before)

  // One that is private by choice would stay private there.
  const move = { action: 'move', ids: [id], folderId: folder.id }
  await readJson(fixture.api.post('/api/photos/bulk', { data: move }))
  expect(await findPhoto(fixture.api, 'plain')).toMatchObject({ folderId: folder.id, isPublic: true })
  await readJson(fixture.api.post('/api/photos/bulk', place(true)))
  await fixture.api.delete(`/api/folders/${folder.id}`)
})

test('a tab is one step of the history, and /upload is left with its form', async () => {
  await page.goto('/')
  await page.getByRole('tab', { name: /^Folders/ }).click()
  await page.waitForURL('**/folders')
  await page.goBack()
  await page.waitForURL((url) => url.pathname === '/')
  await page.goto('/upload')
  await dialog('Upload photos').waitFor()
  await page.keyboard.press('Escape')
  await page.waitForURL((url) => url.pathname === '/')
})

test('all photos of a search but one are moved to a folder', async () => {
  await readJson(fixture.api.post('/api/folders', { data: { name: 'Above the water', isPublic: true } }))
  await recordLayoutShifts(page)
  await page.goto('/folders')
  await page.getByRole('tab', { name: 'Folders' }).waitFor()
  await page.getByText('Above the water').waitFor()
  expect(await shiftsOf(page)).toBeLessThan(0.02)
  expect.soft(await findAxeViolations(page)).toEqual([])
  await page.goto('/')
  await searchFor('lake', '3 photos')
  await button('Select').click()
  await bar().getByRole('button', { name: 'Select All' }).click()
  await bar().getByText('3 photos').waitFor()
  await cell('lake-2').click()
  await bar().getByText('2 photos').waitFor()
  expect(await cell('lake-2').getAttribute('aria-selected')).toBe('false')
  expect.soft(await findAxeViolations(page)).toEqual([])

  await bar().getByRole('button', { name: 'Move to folder' }).click()
  await dialog('Move 2 photos').waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await dialog('Move 2 photos').getByRole('button', { name: 'Above the water' }).click()
  await toast(page, 'Moved to Above the water').waitFor()
  await toast(page, '2 photos have been moved to the folder').waitFor()
  await bar().waitFor({ state: 'detached' })
  const moved = (await listPhotos(fixture.api)).filter(({ folderId }) => folderId !== null)
  expect(moved.map(({ title }) => title).sort()).toEqual(['lake-1', 'lake-3'])
})

async function overlap(...elements: [Locator, Locator]): Promise<boolean> {
  const [one, other] = await Promise.all(elements.map((element) => element.boundingBox()))
  if (!one || !other) throw new Error('An element is not shown')
  const isBeside = one.x + one.width <= other.x || other.x + other.width <= one.x
  return !isBeside && one.y < other.y + other.height && other.y < one.y + one.height
}

test('a selection is downloaded as one archive, whatever its size, by one link', async () => {
  await searchFor('lake', '3 photos')
  await button('Select').click()
  await bar().getByRole('button', { name: 'Select All' }).click()
  await cell('lake-2').click()
  await bar().getByRole('button', { name: 'Download' }).click()
  await dialog('Download 2 photos')
    .getByText(/^2 photos · /)
    .first()
    .waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  const start = dialog('Download 2 photos').getByRole('button', { name: 'Download' })
  const [started] = await Promise.all([page.waitForEvent('download'), start.click()])
  expect(started.suggestedFilename()).toMatch(/^skyfolio-photos-\d{4}-\d\d-\d\d\.zip$/)
  expect(new URL(started.url()).pathname).toMatch(/^\/api\/photos\/downloads\/[0-9a-f]{32}\/original$/)
  await toast(page, 'Download started').waitFor()
  // When the dialog has left.
  await expect.poll(() => overlap(page.locator('[data-toasts] li'), bar())).toBe(false)
  const files = readZip(await readFile(await started.path()))
  expect([...files.keys()].sort()).toEqual(['lake-1.jpg', 'lake-3.jpg'])
  for (const title of ['lake-1', 'lake-3']) {
    const { url } = (await findPhoto(fixture.api, title)) as unknown as { url: string }
    expect(files.get(`${title}.jpg`)?.equals(await (await fixture.api.get(url)).body()), title).toBe(true)
  }
  await bar().getByRole('button', { name: 'Clear Selection' }).click()
})

test('the gallery is filtered by folder and by having none, and cards name their folder', async () => {
  await page.goto('/')
  await cell('lake-1').getByText('Above the water').waitFor()
  await page.getByRole('combobox', { name: 'Folder' }).selectOption('Without folder')
  await shows('8 photos')
  expect(parameters()).toEqual({ in: 'none' })
  const chosen = await page
    .getByRole('combobox', { name: 'Folder' })
    .getByRole('option', { name: /^Above/ })
    .getAttribute('value')
  await page.getByRole('combobox', { name: 'Folder' }).selectOption(chosen)
  await expect.poll(titles).toEqual(['lake-3', 'lake-1'])
  expect(await cell('lake-1').getByText('Above the water').count()).toBe(0)
  await page.goto('/?in=999999')
  await button('Clear filters').click()
  await shows('10 photos')
})

test('selected photos are deleted after a confirmation, but none that were added later', async () => {
  await searchFor('city', '6 photos')
  await button('Select').click()
  await bar().getByRole('button', { name: 'Select All' }).click()
  for (const spared of ['city-1', 'city-2']) await cell(spared).click()
  await bar().getByRole('button', { name: 'Delete selected' }).click()
  await question('Delete 4 photos')
    .getByText('Are you sure you want to delete these 4 photos? This action cannot be undone.')
    .waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await uploadPhoto(
    fixture.api,
    'city-7.jpg',
    await dronePhotoAt({ latitude: 40.7, longitude: -74, takenAt: '2024:05:06 07:08:09' }, 7),
  )
  await question('Delete 4 photos').getByRole('button', { name: 'Delete' }).click()
  await toast(page, '4 photos have been successfully deleted').waitFor()
  await expect.poll(titles).toEqual(['city-7', 'city-2', 'city-1'])
  const late = await findPhoto(fixture.api, 'city-7')
  expect((await fixture.api.delete(`/api/photos/${late.id}`)).ok()).toBe(true)
  await expect.poll(titles).toEqual(['city-2', 'city-1'])
})

test('a summary names what could not be deleted', async () => {
  const deaf = await fixture.openIsolatedPage('owner')
  // Without live events the page does not learn that one of them was deleted.
  await deaf.route('**/api/events', (route) => route.abort())
  await deaf.goto('/?q=city')
  await deaf.getByRole('button', { name: 'Select', exact: true }).click()
  for (const title of ['city-1', 'city-2']) await cell(title, deaf).click()
  await bar(deaf).getByText('2 photos').waitFor()
  const gone = await findPhoto(fixture.api, 'city-2')
  expect((await fixture.api.delete(`/api/photos/${gone.id}`)).ok()).toBe(true)
  await bar(deaf).getByRole('button', { name: 'Delete selected' }).click()
  await deaf.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  const summary = deaf.getByRole('dialog', { name: '1 photo could not be deleted' })
  await summary.getByText('The photo has been successfully deleted.').waitFor()
  await summary.getByText('Photo not found (1 photo)').waitFor()
  await deaf.context().close()
})

const places = () => page.evaluate(() => (document.activeElement as HTMLElement).dataset.index ?? null)

test('search, navigation, opening and selection work with the keyboard alone', async () => {
  await page.setViewportSize({ width: 700, height: 480 }) // Two columns, so that the page scrolls.
  await page.goto('/')
  await shows('4 photos')
  await page.keyboard.press('?')
  await dialog('Keyboard shortcuts').waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await dialog('Keyboard shortcuts').waitFor({ state: 'detached' })
  // The page listens to its keys again when the dialog has left.
  const isInSearch = () => search().evaluate((field) => field === document.activeElement)
  await expect.poll(async () => (await isInSearch()) || page.keyboard.press('/').then(isInSearch)).toBe(true)
  await expect.poll(() => page.keyboard.press('Tab').then(places)).toBe('0')

  await page.keyboard.press('End')
  await expect.poll(places).toBe('3')
  await page.keyboard.press('ArrowLeft')
  await expect.poll(places).toBe('2')
  const scrolled = await page.evaluate(() => scrollY)
  expect(scrolled).toBeGreaterThan(0)
  await page.keyboard.press('Enter')
  await dialog('lake-2').getByText('3 of 4').waitFor()
  await page.keyboard.press('ArrowRight')
  await dialog('lake-1').getByText('4 of 4').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(places).toBe('3')
  expect(await page.evaluate(() => scrollY)).toBe(scrolled)
  expect(parameters()).toEqual({})

  await page.keyboard.press('Space')
  await bar().getByText('1 photo').waitFor()
  await page.keyboard.press('Shift+ArrowUp')
  await bar().getByText('3 photos').waitFor()
  await page.keyboard.press('Control+a')
  await bar().getByText('4 photos').waitFor()
  await page.keyboard.press('Escape')
  await bar().waitFor({ state: 'detached' })
  await page.keyboard.press('Delete')
  await question('Delete Photo')
    .getByText('Are you sure you want to delete this photo? This action cannot be undone.')
    .waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(places).toBe('1')
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('Back closes an open photo and restores the scroll position', async () => {
  await page.setViewportSize({ width: 700, height: 480 })
  await page.goto('/')
  await cell('plain').click() // The newest photo, so that going back has a history entry.
  await dialog('plain').waitFor()
  await page.goBack()
  await dialog('plain').waitFor({ state: 'detached' })
  await expect.poll(places).toBe('0')
  await page.keyboard.press('End')
  await expect.poll(places).toBe('3')
  const scrolled = await page.evaluate(() => scrollY)
  expect(scrolled).toBeGreaterThan(0)
  await page.keyboard.press('Enter')
  await dialog('lake-1').waitFor()
  await page.goBack()
  await expect.poll(places).toBe('3')
  expect(await page.evaluate(() => scrollY)).toBe(scrolled)
})

test("a card's menu can be opened and closed by keyboard", async () => {
  const trigger = page.getByRole('button', { name: 'Actions for lake-1' })
  await expect
    .poll(async () => {
      await page.keyboard.press('Tab')
      return trigger.evaluate((element) => element === document.activeElement)
    })
    .toBe(true)
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'View Details' }).waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await question('Delete Photo').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => trigger.evaluate((element) => element === document.activeElement)).toBe(true)
  await page.setViewportSize({ width: 1280, height: 800 })
})

const slider = () => page.getByRole('slider', { name: 'Timeline' })

test('in 3,000 photos the timeline jumps by key and by drag, nothing moves, and no task is long', async () => {
  // Ten years of photos that share the files of one.
  await fixture.sql(
    'media',
    `INSERT INTO photos (user_id, title, filename, original_name, filesize, sha256, status, width, height, thumbnail, preview,
       thumbhash, date_taken, created_at)
     SELECT user_id, 'many-' || n, 'many-' || n || '.jpg', original_name, filesize, 'many-' || n, status, width, height, thumbnail,
       preview, thumbhash, to_char(timestamp '2016-01-01' + make_interval(hours => n * 29), 'YYYY-MM-DD"T"HH24:MI:SS'),
       created_at - make_interval(hours => n)
     FROM photos, generate_series(1, 3000) AS n WHERE title = 'lake-1'`,
  )
  const measured = await fixture.openIsolatedPage('owner')
  await recordLayoutShifts(measured)
  await measured.goto('/?sort=taken-newest')
  await measured.getByRole('rowheader').first().waitFor()
  await measured.getByRole('gridcell').first().getByRole('img').waitFor()
  const weight = await weightOf(measured)
  expect(weight.requests).toBeLessThan(85)
  expect(weight.kilobytes).toBeLessThan(420)
  expect(weight.scriptKilobytes).toBeLessThan(280)
  const browser = measured.context().browser()
  if (!browser) throw new Error('The page has no browser')
  const scroll = async () => {
    await measured.evaluate(() => scrollTo(0, 0))
    await measured.mouse.move(640, 400)
    for (let notch = 0; notch < 120; notch += 1) await measured.mouse.wheel(0, 240)
  }
  await scroll() // As in bench:gallery, the browser has compiled the code before it is measured.
  const longest = await longestTask(browser, measured, scroll)
  expect(longest).toBeLessThan(50)
  expect(await shiftsOf(measured)).toBeLessThan(0.02)
  await measured.context().close()

  await page.goto('/?sort=taken-oldest')
  expect(await slider().getAttribute('aria-valuetext')).toMatch(/^January 2016, \d+ photos$/)
  expect.soft(await findAxeViolations(page)).toEqual([])
  await slider().focus()
  await page.keyboard.press('PageDown')
  await expect.poll(() => slider().getAttribute('aria-valuetext')).toMatch(/^January 2017,/)
  await page.getByRole('rowheader', { name: 'January 2017' }).waitFor()
  await page.keyboard.press('ArrowUp')
  await expect.poll(() => slider().getAttribute('aria-valuetext')).toMatch(/^December 2016,/)
  const track = await slider().boundingBox()
  if (!track) throw new Error('The timeline is not shown')
  await page.mouse.move(track.x + 20, track.y + 5)
  await page.mouse.down()
  await page.mouse.move(track.x + 20, track.y + track.height / 2, { steps: 5 })
  await page.mouse.up()
  await expect.poll(() => slider().getAttribute('aria-valuetext')).toMatch(/ 202[01], /)
  await page
    .getByText(/, 202[01] at /)
    .first()
    .waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
})

test('no page threw an error or violated its content security policy', () => {
  expect(fixture.pageErrors).toEqual([])
})
