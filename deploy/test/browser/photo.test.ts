import type { Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import {
  createDamagedPng,
  dronePhotoAt,
  fillGallery,
  findPhoto,
  listPhotos,
  panoramaPhoto,
  readJson,
  uploadPhoto,
  waitUntilReady,
} from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'

// Single photos: read, corrected, marked, voted on, and the metadata screen. The tests are steps of one end-to-end user journey.
let fixture: OwnerFixture
let page: Page

beforeAll(async () => {
  fixture = await startOwnerFixture()
  page = fixture.page
  const { api } = fixture
  await fillGallery(api)
  await uploadPhoto(api, 'sphere.jpg', await panoramaPhoto(2, { ProjectionType: 'equirectangular' }))
  await uploadPhoto(api, 'wide.jpg', await panoramaPhoto(4))
  await waitUntilReady(api)
  const folder = await readJson<{ id: number }>(
    api.post('/api/folders', { data: { name: 'Above the water', isPublic: true } }),
  )
  const ids = await Promise.all(['lake-1', 'lake-3', 'sphere'].map(async (title) => (await findPhoto(api, title)).id))
  await readJson(api.post('/api/photos/bulk', { data: { ids, action: 'move', folderId: folder.id } }))
})

afterAll(() => fixture?.close())

const toast = (on: Page, text: string) => on.locator('[data-toasts]').getByText(text, { exact: true })
const dialog = (name: string | RegExp) => page.getByRole('dialog', { name })
const question = (name: string) => page.getByRole('alertdialog', { name })
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const cell = (title: string, on = page) => on.getByRole('gridcell', { name: new RegExp(`^${title}\\b`) })

test('a drone photo shows place, position, camera and flight data', async () => {
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
  expect.soft(await findAxeViolations(page)).toEqual([])
})

test('a corrected title and place survive reprocessing', async () => {
  const { id } = await findPhoto(fixture.api, 'lake-2')
  await button('Edit details').click()
  await page.getByRole('textbox', { name: 'Title' }).fill('Sunrise over the lake')
  await page.getByRole('textbox', { name: 'City' }).fill('Canal Park')
  expect.soft(await findAxeViolations(page)).toEqual([])
  await button('Save').click()
  await toast(page, 'Photo updated').waitFor()
  await dialog('Sunrise over the lake').getByText('Canal Park, Minnesota').waitFor()

  await readJson(fixture.api.post(`/api/photos/${id}/reprocess`))
  await waitUntilReady(fixture.api)
  await page.reload()
  await dialog('Sunrise over the lake').getByText('Canal Park, Minnesota').waitFor()
  await dialog('Sunrise over the lake').getByText('46.842607, -91.994360').waitFor()
})

test('a change of privacy is confirmed and explained', async () => {
  const publicSwitch = dialog('Sunrise over the lake').getByRole('switch', { name: 'Public' })
  await publicSwitch.click()
  await toast(page, 'Photo made private').waitFor()
  await page.locator('[data-toasts]').getByRole('button', { name: 'Undo' }).click()
  await toast(page, 'Photo made public').waitFor()
  await toast(page, 'Nobody else sees this photo as long as it is in no public folder.').waitFor()
})

const sphereOn = (on: Page) => on.getByRole('application', { name: 'sphere, Duluth, Minnesota' })

/** The picture of an element once it does not change any more. */
async function settledPicture(element: Locator): Promise<Buffer> {
  let [before, now] = [await element.screenshot(), await element.screenshot()]
  while (!now.equals(before)) [before, now] = [now, await element.screenshot()]
  return now
}

async function sphereShown(on: Page): Promise<Locator> {
  const sphere = sphereOn(on)
  await expect.poll(() => sphere.getAttribute('aria-busy'), { timeout: 30_000 }).toBe('false')
  return sphere
}

test('a sphere is looked around in with keys, and has a flat picture', async () => {
  await page.goto('/')
  await cell('sphere').getByText('360° picture').waitFor()
  const loaded = page.waitForResponse((response) => response.url().endsWith('.jpg'))
  await cell('sphere').click()
  const sphere = await sphereShown(page)
  await loaded
  await sphere.focus()
  const first = await settledPicture(sphere)
  const { channels } = await sharp(first).stats()
  expect(Math.max(...channels.map(({ stdev }) => stdev)), 'something is drawn').toBeGreaterThan(10)
  await page.keyboard.press('ArrowRight')
  const turned = await settledPicture(sphere)
  expect(turned.equals(first)).toBe(false)
  await page.keyboard.press('0')
  expect((await settledPicture(sphere)).equals(first)).toBe(true)
  await dialog('sphere').getByRole('button', { name: 'Zoom in', exact: true }).click()
  expect((await settledPicture(sphere)).equals(first)).toBe(false)
  expect.soft(await findAxeViolations(page)).toEqual([])
  await dialog('sphere').getByRole('button', { name: 'Flat picture' }).click()
  await dialog('sphere').getByRole('img', { name: 'sphere, Duluth, Minnesota' }).waitFor()
  expect(await sphere.count()).toBe(0)
  await dialog('sphere').getByRole('button', { name: 'Look around' }).click()
  await sphereShown(page)
  await page.keyboard.press('Escape')
})

test('a sphere that cannot be shown is a flat picture that says why', async () => {
  const { id } = await findPhoto(fixture.api, 'sphere')
  const other = await fixture.openIsolatedPage('owner')
  await other.route('**/assets/sphere-canvas-*', (route) => route.abort())
  await other.goto(`/?photo=${id}`)
  const shown = other.getByRole('dialog', { name: 'sphere' })
  await shown.getByText('The 360° picture could not be shown.').waitFor()
  await shown.getByRole('img', { name: 'sphere, Duluth, Minnesota' }).waitFor()
  expect.soft(await findAxeViolations(other)).toEqual([])
  await other.unroute('**/assets/sphere-canvas-*')
  await shown.getByRole('button', { name: 'Retry' }).click()
  await sphereShown(other)
  await other.addInitScript(() => {
    HTMLCanvasElement.prototype.getContext = () => null
  })
  await other.reload()
  await shown.getByText('it has no WebGL').waitFor()
  await shown.getByRole('img', { name: 'sphere, Duluth, Minnesota' }).waitFor()
  await other.close()
})

test('a wide picture begins as high as the viewer, and 0 shows it whole', async () => {
  const { id } = await findPhoto(fixture.api, 'wide')
  await page.goto(`/?photo=${id}`)
  const scale = dialog('wide').getByText(/^\d+%$/)
  await scale.waitFor()
  await page.keyboard.press('0')
  await scale.waitFor({ state: 'detached' })
  // The steps that follow are in the dialog of another photo.
  await page.goto(`/?photo=${(await findPhoto(fixture.api, 'Sunrise over the lake')).id}`)
  await dialog('Sunrise over the lake').waitFor()
})

test("two photos marked for printing at once create one folder 'Printed'", async () => {
  const { id } = await findPhoto(fixture.api, 'plain')
  const other = await fixture.openTab()
  await other.goto(`/?photo=${id}`)
  const pages = [page, other]
  const marks = pages.map((on) => on.getByRole('dialog').getByRole('button', { name: 'Mark for printing' }))
  for (const mark of marks) await mark.waitFor()
  await Promise.all(marks.map((mark) => mark.click()))
  for (const on of pages) {
    await on.getByRole('dialog').getByRole('button', { name: 'Marked for printing', pressed: true }).waitFor()
  }
  const folders = await readJson<{ id: number; name: string }[]>(fixture.api.get('/api/folders'))
  const printed = folders.filter(({ name }) => name === 'Printed')
  expect(printed).toHaveLength(1)
  await expect
    .poll(async () => (await listPhotos(fixture.api)).filter(({ folderId }) => folderId === printed[0]?.id).length)
    .toBe(2)
  await other.close()
  // In a folder the dialog also has the buttons of the owner's ballot.
  await dialog('Sunrise over the lake').getByRole('group', { name: 'Your ranking of this photo' }).waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
})

test('Fix Locations says how many photos got a place', async () => {
  await page.goto('/')
  await button('Fix Locations').click()
  await toast(page, 'Location Update Complete').waitFor()
  await toast(page, 'Updated 0 photos with location data').waitFor()
})

test('a photo that could not be processed shows the error and can be retried', async () => {
  await uploadPhoto(fixture.api, 'damaged.png', await createDamagedPng())
  const card = page.getByRole('article', { name: 'damaged' })
  await card.getByText('Processing failed').waitFor({ timeout: 60_000 })
  expect.soft(await findAxeViolations(page)).toEqual([])
  // The placeholder of a picture that the row's text describes.
  await page.getByRole('radio', { name: 'List view' }).click()
  await page.getByRole('radio', { name: 'List view', checked: true }).waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await page.getByRole('radio', { name: 'Grid view' }).click()
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().endsWith('/reprocess')),
    card.getByRole('button', { name: 'Try again' }).click(),
  ])
  expect((await answer.json()).status).toBe('processing')
  await card.getByText('Processing failed').waitFor({ timeout: 60_000 })
})

test("a visitor reads a photo's place and metadata, and votes", async () => {
  const folders = await readJson<{ id: number; name: string; shareCode: string }[]>(fixture.api.get('/api/folders'))
  const folder = folders.find(({ name }) => name === 'Above the water')
  const visitor = await fixture.openIsolatedPage('visitor')
  await visitor.goto(`/share/${folder?.shareCode}`)
  await visitor.getByRole('heading', { name: 'Above the water' }).waitFor()
  expect.soft(await findAxeViolations(visitor)).toEqual([])
  await visitor.getByRole('button', { name: 'sphere, Duluth, Minnesota 360° picture' }).click()
  await sphereShown(visitor)
  expect.soft(await findAxeViolations(visitor)).toEqual([])
  await visitor.keyboard.press('Escape')
  await visitor.getByRole('button', { name: 'lake-1, Duluth, Minnesota' }).click()
  const viewer = visitor.getByRole('dialog', { name: 'lake-1' })
  await viewer.getByRole('tabpanel').getByText('46.842607, -91.994460').waitFor()
  expect.soft(await findAxeViolations(visitor)).toEqual([])
  await viewer.getByRole('tab', { name: 'Metadata' }).click()
  await viewer.getByRole('region', { name: 'Drone' }).waitFor()
  await viewer.getByRole('tabpanel').getByText('FC300S', { exact: true }).waitFor()
  expect.soft(await findAxeViolations(visitor)).toEqual([])
  await viewer.getByRole('button', { name: 'Rank lake-1' }).click()
  await visitor.getByRole('menuitem', { name: /1st/ }).click()
  await toast(visitor, 'Your ranking has been saved. Thank you for participating!').waitFor()
  // Closing returns to the card of the photo that was shown last.
  await viewer.focus()
  await visitor.keyboard.press('ArrowLeft')
  await viewer.waitFor({ state: 'detached' })
  const shown = await visitor.getByRole('dialog').getByRole('heading', { level: 2 }).textContent()
  await visitor.keyboard.press('Escape')
  await visitor.locator(`[data-open]:focus img[alt^="${shown}"]`).waitFor()

  await page.goto(`/folders/${folder?.id}`)
  await cell('lake-1').waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await page.getByRole('tab', { name: 'Rankings' }).click()
  await page.getByRole('row').filter({ hasText: 'lake-1' }).waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
})

test('a visitor of the view-only link looks around in a sphere from its card', async () => {
  const folders = await readJson<{ name: string; shareCode: string }[]>(fixture.api.get('/api/folders'))
  const visitor = await fixture.openIsolatedPage('visitor')
  await visitor.goto(`/browse/${folders.find(({ name }) => name === 'Above the water')?.shareCode}`)
  await visitor.getByRole('button', { name: 'sphere, Duluth, Minnesota 360° picture' }).click()
  const card = visitor.getByRole('region', { name: 'sphere' })
  expect.soft(await findAxeViolations(visitor)).toEqual([])
  await card.getByRole('button', { name: 'Look around' }).click()
  await sphereShown(visitor)
  await visitor.keyboard.press('Escape')
  await card.locator('button:focus', { hasText: 'Look around' }).waitFor()
  await card.getByRole('button', { name: 'Close details' }).click()
  await visitor.getByRole('button', { name: 'lake-1, Duluth, Minnesota' }).click()
  await visitor.getByRole('region', { name: 'lake-1' }).waitFor()
  expect(await visitor.getByRole('button', { name: 'Look around' }).count()).toBe(0)
  await visitor.context().close()
})

test('marking a photo with votes for printing asks first, and Undo brings the votes back', async () => {
  const { id, folderId } = await findPhoto(fixture.api, 'lake-1')
  const folderNow = async () => (await findPhoto(fixture.api, 'lake-1')).folderId
  const voted = async () => {
    const { tallies } = await readJson<{ tallies: { photoId: number }[] }>(
      fixture.api.get(`/api/folders/${folderId}/rankings`),
    )
    return tallies.map(({ photoId }) => photoId)
  }
  await page.getByRole('tab', { name: 'Photos' }).click()
  const mark = async () => {
    await page.getByRole('button', { name: 'Actions for lake-1' }).click()
    await page.getByRole('menuitem', { name: 'Mark for printing' }).click()
    await question('Mark for printing?')
      .getByText(/leaves “Above the water”, its votes no longer count/)
      .waitFor()
  }
  await mark()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await question('Mark for printing?').getByRole('button', { name: 'Cancel' }).click()
  expect(await folderNow()).toBe(folderId)
  await mark()
  await question('Mark for printing?').getByRole('button', { name: 'Mark for printing' }).click()
  await toast(page, 'It left “Above the water”, its votes no longer count.').waitFor()
  expect(await folderNow()).not.toBe(folderId)
  await expect.poll(voted).toEqual([])
  await page.locator('[data-toasts]').getByRole('button', { name: 'Undo' }).click()
  await toast(page, 'Moved to Above the water').waitFor()
  expect(await folderNow()).toBe(folderId)
  await expect.poll(voted).toEqual([id])
})

test('visibility is a switch in the menu of a card, its badge a label', async () => {
  const card = page.getByRole('article', { name: 'lake-1' })
  await card.getByText('Public', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Actions for lake-1' }).click()
  await page.getByRole('menuitemcheckbox', { name: /^Public/, checked: true }).click()
  await toast(page, 'Photo made private').waitFor()
  await card.getByText('Private', { exact: true }).waitFor()
  await page.locator('[data-toasts]').getByRole('button', { name: 'Undo' }).click()
  await card.getByText('Public', { exact: true }).waitFor()
})

test('the metadata screen rejects files that are not photos', async () => {
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

test('the metadata screen reads a photo, shows its metadata by group, and deletes it', async () => {
  const place = { latitude: 51.500729, longitude: -0.124625, takenAt: '2024:05:04 15:04:05' }
  await page.getByLabel('Photo', { exact: true }).setInputFiles({
    name: 'tower.jpg',
    mimeType: 'image/jpeg',
    buffer: await dronePhotoAt(place, 0),
  })
  await button('Extract Metadata').click()
  await toast(page, 'Photo uploaded successfully').waitFor()
  const item = page.getByRole('article').filter({ hasText: 'tower.jpg' })
  await item.getByText('51.500729, -0.124625').waitFor()
  await item.getByText('May 4, 2024 at 3:04 PM').waitFor()
  await item.getByText("Date from camera's EXIF data").waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])

  await item.getByRole('button', { name: 'tower.jpg' }).click()
  const details = dialog('tower.jpg')
  await details.getByRole('searchbox', { name: 'Search metadata' }).fill('gimbal pitch')
  await details.getByText('GimbalPitchDegree').waitFor()
  await expect.poll(() => details.getByRole('region').count()).toBe(1)
  expect.soft(await findAxeViolations(page)).toEqual([])
  await page.keyboard.press('Escape')

  await button('Clear All').click()
  await question('Clear All').getByRole('button', { name: 'Clear All' }).click()
  await toast(page, 'All metadata photos have been cleared').waitFor()
  await page.getByRole('heading', { name: 'No photos uploaded yet' }).waitFor()
  expect(await listPhotos(fixture.api)).toHaveLength(13)
})

test('no page threw an error or violated its content security policy', () => {
  expect(fixture.pageErrors).toEqual([])
})
