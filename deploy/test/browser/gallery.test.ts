import type { APIRequestContext } from 'playwright-core'
import { type Browser, type BrowserContext, type Page, request } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AlbumPhoto, answerOf, fillAlbum, photosOf, shot } from './album.ts'
import { axeFindings } from './axe.ts'
import { openBrowser, startSystem, type TestSystem } from './support.ts'

// Photos and places: found, read, corrected, voted on. The tests are steps of one way.
const DAY_MS = 86_400_000
let system: TestSystem
let browser: Browser
let api: APIRequestContext
let owner: BrowserContext
let page: Page
const seen: string[] = []

beforeAll(async () => {
  system = await startSystem()
  browser = await openBrowser()
  api = await request.newContext({ baseURL: system.url, extraHTTPHeaders: { origin: system.url } })
  const account = { username: 'pilot', password: 'over-the-lake', confirmPassword: 'over-the-lake' }
  await answerOf(api.post('/api/register', { data: account }))
  owner = await openContext({ storageState: await api.storageState() })
  page = await openPage(owner)
})

afterAll(async () => {
  await api?.dispose()
  await browser?.close()
  await system?.stop()
})

const openContext = (options: { storageState?: Awaited<ReturnType<APIRequestContext['storageState']>> }) =>
  browser.newContext({
    ...options,
    baseURL: system.url,
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  })

/** A page that may never throw or break its content security policy. */
async function openPage(context: BrowserContext): Promise<Page> {
  const opened = await context.newPage()
  opened.setDefaultTimeout(20_000)
  opened.on('pageerror', (error) => seen.push(error.message))
  opened.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) seen.push(message.text())
  })
  return opened
}

const toast = (on: Page, text: string) => on.locator('[data-notices]').getByText(text, { exact: true })
const dialog = (name: string | RegExp) => page.getByRole('dialog', { name })
const question = (name: string) => page.getByRole('alertdialog', { name })
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const search = () => page.getByRole('searchbox', { name: 'Search photos' })
const bar = (on = page) => on.getByRole('region', { name: 'Selected photos' })
const cell = (title: string, on = page) => on.getByRole('gridcell', { name: new RegExp(`^${title}\\b`) })
const titles = () => page.getByRole('grid', { name: 'Photos' }).getByRole('heading').allTextContents()
const shows = (count: string) => page.getByRole('search').getByText(count, { exact: true }).waitFor()
const parameters = () => Object.fromEntries(new URL(page.url()).searchParams)

async function photo(title: string): Promise<AlbumPhoto> {
  const found = (await photosOf(api)).find((one) => one.title === title)
  if (!found) throw new Error(`There is no photo ${title}`)
  return found
}

async function searchFor(text: string, count: string): Promise<void> {
  await search().fill(text)
  await shows(count)
}

const allReady = () =>
  expect
    .poll(async () => (await photosOf(api)).every(({ status }) => status === 'ready'), { timeout: 60_000 })
    .toBe(true)

test('an empty gallery says what to do, and the screen to sign in and the upload dialog please axe', async () => {
  await page.goto('/upload')
  await dialog('Upload photos').waitFor()
  expect.soft(await axeFindings(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'No photos found' }).waitFor()
  await page.getByText('Upload some photos to get started').waitFor()
  await shows('0 photos')

  const guest = await openPage(await openContext({}))
  await guest.goto('/auth')
  await guest.getByRole('tab', { name: 'Register' }).waitFor()
  expect.soft(await axeFindings(guest)).toEqual([])
  await guest.context().close()
})

test('search, location, date and order live in the address: a reload and Back keep them', async () => {
  await fillAlbum(api)
  await allReady()
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

test('a search finds places too, and one that finds nothing can be taken back', async () => {
  await searchFor('minnes', '3 photos')
  await searchFor('over the rainbow', '0 photos')
  await page.getByRole('heading', { name: 'No photos found' }).waitFor()
  await page.getByText('Try adjusting your filters or search terms').waitFor()
  await button('Clear filters').click()
  await shows('10 photos')
  expect(parameters()).toEqual({})
  expect.soft(await axeFindings(page)).toEqual([])
})

test("ten days later the photos are not of this week, but of the month: the browser's days count", async () => {
  const later = await openPage(owner)
  await later.clock.setFixedTime(Date.now() + 10 * DAY_MS)
  await later.goto('/?from=week')
  await later.getByText('Try adjusting your filters or search terms').waitFor()
  await later.getByRole('combobox', { name: 'Date' }).selectOption('Last 30 days')
  await later.getByRole('search').getByText('10 photos').waitFor()
  await later.close()
})

test('all photos of a search but one are moved to a folder', async () => {
  await answerOf(api.post('/api/folders', { data: { name: 'Above the water', isPublic: true } }))
  await page.reload()
  await searchFor('lake', '3 photos')
  await button('Select').click()
  await bar().getByRole('button', { name: 'Select All' }).click()
  await bar().getByText('3 photos').waitFor()
  await cell('lake-2').click()
  await bar().getByText('2 photos').waitFor()
  expect(await cell('lake-2').getAttribute('aria-selected')).toBe('false')
  expect.soft(await axeFindings(page)).toEqual([])

  await bar().getByRole('button', { name: 'Move to folder' }).click()
  await dialog('Move 2 photos').getByRole('button', { name: 'Above the water' }).click()
  await toast(page, '2 photos have been moved to the folder').waitFor()
  await bar().waitFor({ state: 'detached' })
  const moved = (await photosOf(api)).filter(({ folderId }) => folderId !== null)
  expect(moved.map(({ title }) => title).sort()).toEqual(['lake-1', 'lake-3'])
})

test('selected photos are deleted after a question', async () => {
  await searchFor('city', '6 photos')
  await button('Select').click()
  await bar().getByRole('button', { name: 'Select All' }).click()
  for (const spared of ['city-1', 'city-2']) await cell(spared).click()
  await bar().getByRole('button', { name: 'Delete selected' }).click()
  await question('Delete 4 photos')
    .getByText('Are you sure you want to delete these 4 photos? This action cannot be undone.')
    .waitFor()
  await question('Delete 4 photos').getByRole('button', { name: 'Delete' }).click()
  await toast(page, '4 photos have been successfully deleted').waitFor()
  await expect.poll(titles).toEqual(['city-2', 'city-1'])
})

test('what could not be deleted is said in a summary', async () => {
  const deaf = await openPage(await openContext({ storageState: await owner.storageState() }))
  // Without live events the page does not hear that one of them has gone.
  await deaf.route('**/api/events', (route) => route.abort())
  await deaf.goto('/?q=city')
  await deaf.getByRole('button', { name: 'Select', exact: true }).click()
  for (const title of ['city-1', 'city-2']) await cell(title, deaf).click()
  await bar(deaf).getByText('2 photos').waitFor()
  const gone = await photo('city-2')
  expect((await api.delete(`/api/photos/${gone.id}`)).ok()).toBe(true)
  await bar(deaf).getByRole('button', { name: 'Delete selected' }).click()
  await deaf.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  const summary = deaf.getByRole('dialog', { name: '1 photo could not be deleted' })
  await summary.getByText('1 photo has been successfully deleted.').waitFor()
  await summary.getByText('Photo not found (1 photo)').waitFor()
  await deaf.context().close()
})

const places = () => page.evaluate(() => (document.activeElement as HTMLElement).dataset.place ?? null)

test('the keyboard alone searches, goes through photos, opens and selects them', async () => {
  await page.setViewportSize({ width: 1280, height: 480 })
  await page.goto('/')
  await shows('4 photos')
  await page.setViewportSize({ width: 700, height: 480 }) // Two columns, so that there is something to scroll.
  await page.keyboard.press('?')
  await dialog('Keyboard shortcuts').waitFor()
  await page.keyboard.press('Escape')
  await dialog('Keyboard shortcuts').waitFor({ state: 'detached' })
  await page.keyboard.press('/')
  expect(await search().evaluate((field) => field === document.activeElement)).toBe(true)
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

test("a drone's photo shows place, position, camera and flight", async () => {
  await page.goto('/')
  await cell('lake-2').click()
  const details = dialog('lake-2')
  await details.getByText('Duluth, Minnesota').waitFor()
  await details.getByText('46.842607, -91.994360').waitFor()
  await details.getByText('DJI FC300S').waitFor()
  await details.getByText('June 23, 2016 at 4:31 PM').waitFor()
  const drone = await details.getByRole('region', { name: 'Drone' }).textContent()
  expect(drone).toBe('DroneHeight above take-off40 mGimbal pitch−90°Heading45° NE')
  await page.waitForFunction(() => [...document.images].every((image) => image.complete))
  expect.soft(await axeFindings(page)).toEqual([])
})

test('a corrected title and place stay when the photo is processed again', async () => {
  const { id } = await photo('lake-2')
  await button('Edit details').click()
  await page.getByRole('textbox', { name: 'Title' }).fill('Sunrise over the lake')
  await page.getByRole('textbox', { name: 'City' }).fill('Canal Park')
  expect.soft(await axeFindings(page)).toEqual([])
  await button('Save').click()
  await toast(page, 'Photo updated').waitFor()
  await dialog('Sunrise over the lake').getByText('Canal Park, Minnesota').waitFor()

  await answerOf(api.post(`/api/photos/${id}/reprocess`))
  await allReady()
  await page.reload()
  await dialog('Sunrise over the lake').getByText('Canal Park, Minnesota').waitFor()
  await dialog('Sunrise over the lake').getByText('46.842607, -91.994360').waitFor()
})

test('a change of privacy is said, with what it means', async () => {
  await button('Private: make public').click()
  await toast(page, 'Photo made public').waitFor()
  await toast(page, 'Nobody else sees this photo as long as it is in no public folder.').waitFor()
  await button('Public: make private').click()
  await toast(page, 'Photo made private').waitFor()
})

test("two photos marked for printing at once make one folder 'Printed'", async () => {
  const { id } = await photo('plain')
  const other = await openPage(owner)
  await other.goto(`/?photo=${id}`)
  const pages = [page, other]
  const marks = pages.map((on) => on.getByRole('dialog').getByRole('button', { name: 'Mark for printing' }))
  for (const mark of marks) await mark.waitFor()
  await Promise.all(marks.map((mark) => mark.click()))
  for (const on of pages) {
    await on.getByRole('dialog').getByRole('button', { name: 'Marked for printing', pressed: true }).waitFor()
  }
  const folders = await answerOf<{ id: number; name: string }[]>(api.get('/api/folders'))
  const printed = folders.filter(({ name }) => name === 'Printed')
  expect(printed).toHaveLength(1)
  await expect
    .poll(async () => (await photosOf(api)).filter(({ folderId }) => folderId === printed[0]?.id).length)
    .toBe(2)
  await other.close()
  // In a folder the dialog has the buttons of the owner's ballot too.
  await dialog('Sunrise over the lake').getByRole('group', { name: 'Your ranking of this photo' }).waitFor()
  expect.soft(await axeFindings(page)).toEqual([])
})

test('Fix Locations says how many photos got a place', async () => {
  await page.goto('/')
  await button('Fix Locations').click()
  await toast(page, 'Location Update Complete').waitFor()
  await toast(page, 'Updated 0 photos with location data').waitFor()
})

test("a visitor reads a photo's place and metadata, and votes", async () => {
  const folders = await answerOf<{ id: number; name: string; shareCode: string }[]>(api.get('/api/folders'))
  const folder = folders.find(({ name }) => name === 'Above the water')
  const visitor = await openPage(await openContext({}))
  await visitor.goto(`/share/${folder?.shareCode}`)
  await visitor.getByRole('heading', { name: 'Above the water' }).waitFor()
  expect.soft(await axeFindings(visitor)).toEqual([])
  await visitor.getByRole('button', { name: 'lake-1, Duluth, Minnesota' }).click()
  const viewer = visitor.getByRole('dialog', { name: 'lake-1' })
  await viewer.getByRole('tabpanel').getByText('46.842607, -91.994460').waitFor()
  expect.soft(await axeFindings(visitor)).toEqual([])
  await viewer.getByRole('tab', { name: 'Metadata' }).click()
  await viewer.getByRole('region', { name: 'Drone' }).waitFor()
  await viewer.getByRole('tabpanel').getByText('FC300S', { exact: true }).waitFor()
  expect.soft(await axeFindings(visitor)).toEqual([])
  await viewer.getByRole('button', { name: 'Rank lake-1' }).click()
  await visitor.getByRole('menuitem', { name: /1st/ }).click()
  await toast(visitor, 'Your ranking has been saved. Thank you for participating!').waitFor()

  await page.goto(`/folders/${folder?.id}`)
  await cell('lake-1').waitFor()
  expect.soft(await axeFindings(page)).toEqual([])
  await page.getByRole('tab', { name: 'Rankings' }).click()
  await page.getByRole('row').filter({ hasText: 'lake-1' }).waitFor()
  expect.soft(await axeFindings(page)).toEqual([])
})

test('the metadata screen refuses what is no photo', async () => {
  await page.goto('/metadata')
  await page.getByText('Upload a photo above to see its metadata analysis').waitFor()
  await page.getByLabel('Photo', { exact: true }).setInputFiles({
    name: 'letter.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('Dear reader'),
  })
  await toast(page, 'Invalid file type').waitFor()
  await toast(page, 'Please select a JPEG, PNG, TIFF, GIF, or BMP image').waitFor()
})

test('the metadata screen reads a photo, shows all of it by groups, and forgets it', async () => {
  const place = { latitude: 51.500729, longitude: -0.124625, takenAt: '2024:05:04 15:04:05' }
  await page.getByLabel('Photo', { exact: true }).setInputFiles({
    name: 'tower.jpg',
    mimeType: 'image/jpeg',
    buffer: await shot(place, 0),
  })
  await button('Extract Metadata').click()
  await toast(page, 'Photo uploaded successfully').waitFor()
  const item = page.getByRole('article').filter({ hasText: 'tower.jpg' })
  await item.getByText('51.500729, -0.124625').waitFor()
  await item.getByText('May 4, 2024 at 3:04 PM').waitFor()
  await item.getByText("Date from camera's EXIF data").waitFor()
  expect.soft(await axeFindings(page)).toEqual([])

  await item.getByRole('button', { name: 'tower.jpg' }).click()
  const details = dialog('tower.jpg')
  await details.getByRole('searchbox', { name: 'Search metadata' }).fill('gimbal pitch')
  await details.getByText('GimbalPitchDegree').waitFor()
  expect(await details.getByRole('region').count()).toBe(1)
  expect.soft(await axeFindings(page)).toEqual([])
  await page.keyboard.press('Escape')

  await button('Clear All').click()
  await question('Clear All').getByRole('button', { name: 'Clear All' }).click()
  await toast(page, 'All metadata photos have been cleared').waitFor()
  await page.getByRole('heading', { name: 'No photos uploaded yet' }).waitFor()
  expect(await photosOf(api)).toHaveLength(4)
})

test('no page threw an error or broke its content security policy', () => {
  expect(seen).toEqual([])
})
