import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import {
  dronePhotoAt,
  fillGallery,
  findPhoto,
  lakePhoto,
  listPhotos,
  readJson,
  uploadPhoto,
  waitUntilReady,
} from './gallery-photos.ts'
import { longestTask } from './long-tasks.ts'
import { hasFocus, type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'
import { recordLayoutShifts, shiftsOf, weightOf } from './page-weight.ts'
import { createRawWithThumbnail, RAW_SHOT } from './upload-files.ts'
import { readZip } from './zip-file.ts'

// The gallery: photos are searched, selected, changed together, and browsed by keyboard.
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
const select = (name: string) => page.getByRole('combobox', { name })
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

/** Selects all photos of a search but these. */
async function selectAll(text: string, count: string, ...spared: string[]): Promise<void> {
  await searchFor(text, count)
  await button('Select').click()
  await bar().getByRole('button', { name: 'Select All' }).click()
  for (const title of spared) await cell(title).click()
}

test('says in an empty gallery what to do', async () => {
  await page.goto('/')
  await page.getByRole('heading', { name: 'No photos found' }).waitFor()
  await page.getByRole('region', { name: 'First steps' }).waitFor()
  expect(await button('Upload Photos').count()).toBe(1)
  expect(await page.getByRole('search').count()).toBe(0)
  expect.soft(await findAxeViolations(page)).toEqual([])
})

test('keeps search, location, camera, date and order in the address over a reload and Back', async () => {
  await fillGallery(fixture.api)
  await page.goto('/')
  await searchFor('LAKE', '3 photos')
  await select('Location').selectOption('Duluth, Minnesota')
  await select('Camera').selectOption({ label: 'FC300S (9)' })
  await select('Uploaded').selectOption('Uploaded today')
  await select('Sort').selectOption('Oldest first')
  const all = { q: 'LAKE', location: 'Duluth, Minnesota', camera: 'FC300S', from: 'today', sort: 'oldest' }
  expect(parameters()).toEqual(all)
  await expect.poll(titles).toEqual(['lake-1', 'lake-2', 'lake-3'])

  await page.reload()
  await expect.poll(titles).toEqual(['lake-1', 'lake-2', 'lake-3'])
  expect(parameters()).toEqual(all)
  expect(await search().inputValue()).toBe('LAKE')
  expect(await select('Location').inputValue()).toBe('Duluth, Minnesota')
  expect(await select('Camera').inputValue()).toBe('FC300S')
  expect.soft(await findAxeViolations(page)).toEqual([])

  await page.goBack()
  await expect.poll(titles).toEqual(['lake-3', 'lake-2', 'lake-1'])
  await page.goBack()
  await page.goBack()
  await page.goBack()
  await expect.poll(parameters).toEqual({ q: 'LAKE' })
  await searchFor('over the rainbow', '0 photos')
  await page.getByText('Try adjusting your filters or search terms').waitFor()
  await button('Clear filters').click()
  await shows('10 photos')
  expect(parameters()).toEqual({})
})

test('shows a list, small pictures, and headers of months', async () => {
  await page.getByRole('radio', { name: 'List view' }).click()
  await page.getByText('Date taken', { exact: true }).waitFor()
  const date = cell('lake-1').getByText('June 23, 2016 at 4:31 PM').last()
  expect(await date.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  expect.soft(await findAxeViolations(page)).toEqual([])
  await page.getByRole('radio', { name: 'Small pictures' }).click()
  await select('Sort').selectOption('Date taken, oldest first')
  await page.getByRole('rowheader', { name: 'No date 1 photo' }).waitFor()
  expect(await page.getByRole('rowheader').allTextContents()).toEqual([
    'June 2016 3 photos',
    'May 2024 6 photos',
    'No date 1 photo',
  ])
  expect.soft(await findAxeViolations(page)).toEqual([])
  await select('Sort').selectOption('Newest first')
  await page.getByRole('radio', { name: 'Grid view' }).click()
})

test('filters by a sheet on a phone, where photos begin in the first third', async () => {
  await page.setViewportSize({ width: 390, height: 800 })
  await button('Filters and view').click()
  await dialog('Filters and view').getByRole('combobox', { name: 'Location' }).selectOption('Duluth, Minnesota')
  // Until the list is there, its former photos are pale.
  await button('Show 3 photos').waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await button('Show 3 photos').click()
  await button('Filters and view, 1 in use').waitFor()
  const first = await page.getByRole('grid', { name: 'Photos' }).getByRole('img').first().boundingBox()
  expect(first?.y).toBeLessThan(800 / 3)
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('adds places by Fix Locations to photos that have a position and no place', async () => {
  // The state of photos that were stored before their places were known.
  await fixture.sql('media', "UPDATE photos SET city = NULL, county = NULL, state = NULL WHERE title LIKE 'lake-%'")
  await page.goto('/')
  await cell('lake-1').getByText('46.842607').waitFor()
  await button('Fix Locations').hover()
  await page
    .getByRole('tooltip')
    .getByText(/^Adds city and state to photos/)
    .waitFor()
  await button('Fix Locations').click()
  await toast(page, 'Location Update Complete').waitFor()
  await toast(page, 'Updated 3 photos with location data').waitFor()
  await page
    .locator('[data-toasts]')
    .getByText(/^1 photo stays without a place: no GPS coordinates/)
    .waitFor()
  await cell('lake-1').getByText('Duluth, Minnesota').waitFor()
})

test('undoes a move and a change of visibility of many photos by their toast', async () => {
  const before = await listPhotos(fixture.api)
  const data = { name: 'Above the water', isPublic: true }
  const { id } = await readJson<{ id: number }>(fixture.api.post('/api/folders', { data }))
  await selectAll('lake', '3 photos', 'lake-2')
  expect(await cell('lake-2').getAttribute('aria-selected')).toBe('false')
  expect.soft(await findAxeViolations(page)).toEqual([])
  await bar().getByRole('button', { name: 'Move to folder' }).click()
  await dialog('Move 2 photos').waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await dialog('Move 2 photos').getByRole('button', { name: 'Above the water' }).click()
  await toast(page, 'Moved to Above the water').waitFor()
  const moved = async () => (await listPhotos(fixture.api)).filter(({ folderId }) => folderId === id)
  expect((await moved()).map(({ title }) => title).sort()).toEqual(['lake-1', 'lake-3'])
  await button('Undo').click()
  await toast(page, 'Undone').waitFor()
  expect(await listPhotos(fixture.api)).toEqual(before)

  await selectAll('lake', '3 photos')
  await bar().getByRole('button', { name: 'Visibility' }).click()
  await page.getByRole('menuitem', { name: 'Make private' }).click()
  await toast(page, '3 photos are private now').waitFor()
  await button('Undo').click()
  await toast(page, 'Undone').waitFor()
  expect(await listPhotos(fixture.api)).toEqual(before)
})

test('downloads a selection as one archive by one link', async () => {
  await selectAll('lake', '3 photos', 'lake-2')
  await bar().getByRole('button', { name: 'Download' }).click()
  await dialog('Download 2 photos')
    .getByText(/^2 photos · /)
    .first()
    .waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  const start = dialog('Download 2 photos').getByRole('button', { name: 'Download' })
  const [started] = await Promise.all([page.waitForEvent('download'), start.click()])
  expect(started.suggestedFilename()).toMatch(/^skyfolio-photos-\d{4}-\d\d-\d\d\.zip$/)
  await toast(page, 'Download started').waitFor()
  const files = readZip(await readFile(await started.path()))
  expect([...files.keys()].sort()).toEqual(['lake-1.jpg', 'lake-3.jpg'])
  for (const title of ['lake-1', 'lake-3']) {
    const { url } = await findPhoto(fixture.api, title)
    expect(files.get(`${title}.jpg`)?.equals(await (await fixture.api.get(url)).body()), title).toBe(true)
  }
  await bar().getByRole('button', { name: 'Clear Selection' }).click()
})

test('deletes selected photos after a question, but none that were added later', async () => {
  await selectAll('city', '6 photos', 'city-1', 'city-2')
  await bar().getByRole('button', { name: 'Delete selected' }).click()
  await question('Delete 4 photos')
    .getByText('Are you sure you want to delete these 4 photos? This action cannot be undone.')
    .waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  const late = await uploadPhoto(fixture.api, 'city-7.jpg', await lakePhoto(7))
  await question('Delete 4 photos').getByRole('button', { name: 'Delete' }).click()
  await toast(page, '4 photos have been successfully deleted').waitFor()
  await expect.poll(titles).toEqual(['city-7', 'city-2', 'city-1'])
  expect((await fixture.api.delete(`/api/photos/${late}`)).ok()).toBe(true)
  await expect.poll(titles).toEqual(['city-2', 'city-1'])
  for (const title of ['city-1', 'city-2'])
    await fixture.api.delete(`/api/photos/${(await findPhoto(fixture.api, title)).id}`)
})

test('pairs two selected photos that fit, and downloads, counts and deletes them as one', async () => {
  await uploadPhoto(fixture.api, 'shot-1.jpg', await dronePhotoAt(RAW_SHOT, 0))
  await uploadPhoto(fixture.api, 'shot-2.dng', await createRawWithThumbnail())
  await waitUntilReady(fixture.api)
  await page.goto('/')
  await selectAll('shot', '2 photos')
  await bar().getByRole('button', { name: 'Pair' }).click()
  await toast(page, 'The two files have different names.').waitFor()
  await bar().getByRole('button', { name: 'Clear Selection' }).click()
  await fixture.api.delete(`/api/photos/${(await findPhoto(fixture.api, 'shot-2')).id}`)

  const raw = await uploadPhoto(fixture.api, 'shot-1.dng', await createRawWithThumbnail())
  await waitUntilReady(fixture.api)
  const { id } = await findPhoto(fixture.api, 'shot-1')
  await readJson(fixture.api.patch(`/api/photos/${id}`, { data: { pairedWith: null } }))
  await selectAll('shot', '2 photos')
  await bar().getByRole('button', { name: 'Pair' }).click()
  await toast(page, 'Photos paired').waitFor()
  await shows('1 photo')

  await selectAll('shot', '1 photo')
  await bar().getByRole('button', { name: 'Download' }).click()
  const download = dialog('Download 1 photo')
  await download.getByText(/^1 photo, 2 files · /).waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await download.getByText('Raw files only').click()
  const start = download.getByRole('button', { name: 'Download' })
  const [started] = await Promise.all([page.waitForEvent('download'), start.click()])
  expect([...readZip(await readFile(await started.path())).keys()]).toEqual(['shot-1.dng'])

  await bar().getByRole('button', { name: 'Visibility' }).click()
  await page.getByRole('menuitem', { name: 'Make private' }).click()
  await toast(page, '1 photo is private now').waitFor()
  await selectAll('shot', '1 photo')
  await bar().getByRole('button', { name: 'Delete selected' }).click()
  await question('Delete Photo').getByText('delete this photo with its raw file?').waitFor()
  await question('Delete Photo').getByRole('button', { name: 'Delete' }).click()
  await toast(page, 'The photo has been successfully deleted').waitFor()
  expect(await readJson(fixture.api.get('/api/photos?raw=all', { params: { ids: raw } }))).toEqual([])
})

const places = () => page.evaluate(() => (document.activeElement as HTMLElement).dataset.index ?? null)

test('searches, navigates, opens and selects with the keyboard alone', async () => {
  await page.setViewportSize({ width: 700, height: 480 }) // Two columns, so that the page scrolls.
  await page.goto('/')
  await shows('4 photos')
  await page.keyboard.press('?')
  await dialog('Keyboard shortcuts').waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await dialog('Keyboard shortcuts').waitFor({ state: 'detached' })
  // The page listens to its keys again when the dialog has left.
  const isInSearch = () => hasFocus(search())
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
  await question('Delete Photo').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(places).toBe('1')
})

test('closes an open photo with Back, at the former position', async () => {
  await page.keyboard.press('End')
  await expect.poll(places).toBe('3')
  const scrolled = await page.evaluate(() => scrollY)
  await page.keyboard.press('Enter')
  await dialog('lake-1').waitFor()
  await page.goBack()
  await expect.poll(places).toBe('3')
  expect(await page.evaluate(() => scrollY)).toBe(scrolled)
})

const slider = () => page.getByRole('slider', { name: 'Timeline' })

test('scrolls 3,000 photos without a shift or a long task, and jumps on the timeline by key and by drag', async () => {
  // Ten years of photos that share the files of one.
  await fixture.sql(
    'media',
    `INSERT INTO photos (user_id, title, filename, original_name, filesize, sha256, status, width, height, thumbnail, preview,
       thumbhash, date_taken, created_at)
     SELECT user_id, 'many-' || n, 'many-' || n || '.jpg', original_name, filesize, 'many-' || n, status, width, height, thumbnail,
       preview, thumbhash, to_char(timestamp '2016-01-01' + make_interval(hours => n * 29), 'YYYY-MM-DD"T"HH24:MI:SS'),
       created_at - make_interval(hours => n)
     FROM photos, generate_series(1, 3000) AS n WHERE id = ${(await findPhoto(fixture.api, 'lake-1')).id}`,
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
  const scroll = async () => {
    await measured.evaluate(() => scrollTo(0, 0))
    await measured.mouse.move(640, 400)
    for (let notch = 0; notch < 120; notch += 1) await measured.mouse.wheel(0, 240)
  }
  await scroll() // As in bench:gallery, the browser has compiled the code before it is measured.
  expect(await longestTask(fixture.browser, measured, scroll)).toBeLessThan(50)
  expect(await shiftsOf(measured)).toBeLessThan(0.02)
  await measured.context().close()

  await page.goto('/?sort=taken-oldest')
  expect(await slider().getAttribute('aria-valuetext')).toMatch(/^January 2016, \d+ photos$/)
  expect.soft(await findAxeViolations(page)).toEqual([])
  await slider().focus()
  await page.keyboard.press('PageDown')
  await expect.poll(() => slider().getAttribute('aria-valuetext')).toMatch(/^January 2017,/)
  const track = await slider().boundingBox()
  if (!track) throw new Error('The timeline is not shown')
  await page.mouse.move(track.x + 20, track.y + track.height * 0.75)
  await slider()
    .getByText(/ 2023$/)
    .waitFor()
  await page.mouse.move(track.x + 20, track.y + 2)
  await slider().getByText('January 2016', { exact: true }).waitFor()
  await page.mouse.down()
  await page.mouse.move(track.x + 20, track.y + track.height / 2, { steps: 5 })
  await page.mouse.up()
  await expect.poll(() => slider().getAttribute('aria-valuetext')).toMatch(/ 202[01], /)
})

test('a photo opened by a link keeps its position and neighbours, also once it has left the list', async () => {
  const title = 'many-2000'
  const [photo] = await readJson<{ id: number }[]>(fixture.api.get(`/api/photos?limit=1&q=${title}`))
  const opened = (name: string, position: string) => dialog(name).getByText(position).first().waitFor()
  await page.goto(`/?q=many&photo=${photo?.id}`)
  await opened(title, '2,000 of 3,000')
  await page.keyboard.press('ArrowRight')
  await opened('many-2001', '2,001 of 3,000')
  await page.keyboard.press('ArrowLeft')
  await opened(title, '2,000 of 3,000')

  const rename = async (from: string, to: string) => {
    await dialog(from).getByRole('button', { name: 'Edit details' }).click()
    await page.getByRole('textbox', { name: 'Title' }).fill(to)
    await dialog(from).getByRole('button', { name: 'Save' }).click()
  }
  await rename(title, 'Found')
  // The list has been read again, without it.
  await page.getByRole('search', { includeHidden: true }).getByText('2,999 photos').waitFor({ state: 'attached' })
  await opened('Found', '2,000 of 3,000')
  await page.keyboard.press('ArrowLeft')
  await opened('many-1999', '1,999 of 2,999')
  await page.keyboard.press('ArrowRight')
  await opened('many-2001', '2,000 of 2,999')

  await page.goto(`/?view=map&sort=oldest&photo=${photo?.id}`)
  await opened('Found', '1,001 of 3,004')
  await page.goto(`/?q=Found&photo=${photo?.id}`)
  await rename('Found', 'Lost')
  await opened('Lost', '1 of 1')
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'No photos found' }).waitFor()
})
