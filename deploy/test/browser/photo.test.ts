import type { Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import {
  createDamagedPng,
  dronePhotoAt,
  type Folder,
  findPhoto,
  listPhotos,
  noisePhoto,
  readJson,
  sharePhotos,
  spherePhoto,
  uploadLakePhotos,
  uploadPhoto,
  waitUntilReady,
} from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'
import { createRaw, createRawWithThumbnail, createTemperatures, RAW_SHOT } from './upload-files.ts'

// Single photos: read, corrected, looked around in, marked for printing, voted on, and the metadata screen.
let fixture: OwnerFixture
let page: Page
let folder: Folder

beforeAll(async () => {
  fixture = await startOwnerFixture()
  page = fixture.page
  const { api } = fixture
  await uploadPhoto(api, 'plain.jpg', await noisePhoto(640))
  await uploadPhoto(api, 'sphere.jpg', await spherePhoto())
  await uploadLakePhotos(api, 3)
  folder = await sharePhotos(api, 'Above the water', ['lake-1', 'lake-3', 'sphere'])
})

afterAll(() => fixture?.close())

const toast = (on: Page, text: string) => on.locator('[data-toasts]').getByText(text, { exact: true })
const undo = () => page.locator('[data-toasts]').getByRole('button', { name: 'Undo' })
const dialog = (name: string | RegExp) => page.getByRole('dialog', { name })
const question = (name: string) => page.getByRole('alertdialog', { name })
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const cell = (title: string) => page.getByRole('gridcell', { name: new RegExp(`^${title}\\b`) })

/** Owner and visitor get them in the same units. */
const CAMERA_FACTS = ['DJI FC300S', '1/400 s · f/2.8 · ISO 100', '3.6 mm', '250 m above sea level']

test('shows place, position, camera and flight data of a drone photo', async () => {
  await page.goto('/')
  await cell('lake-2').click()
  const details = dialog('lake-2')
  for (const text of [
    'Duluth, Minnesota',
    '46.842607, -91.994360',
    'June 23, 2016 at 4:31 PM',
    'lake-2.jpg',
    ...CAMERA_FACTS,
  ])
    await details.getByText(text, { exact: true }).waitFor()
  const drone = await details.getByRole('region', { name: 'Drone' }).textContent()
  expect(drone).toBe('DroneHeight above take-off40 mGimbal pitch−90°HeadingNortheast, 45°')
})

test('keeps a corrected title and place when the photo is processed again', async () => {
  const { id } = await findPhoto(fixture.api, 'lake-2')
  await button('Edit details').click()
  await page.getByRole('textbox', { name: 'Title' }).fill('Sunrise over the lake')
  await page.getByRole('textbox', { name: 'City' }).fill('Canal Park')
  expect.soft(await findAxeViolations(page)).toEqual([])
  await button('Save').click()
  await toast(page, 'Photo updated').waitFor()
  await readJson(fixture.api.post(`/api/photos/${id}/reprocess`))
  await waitUntilReady(fixture.api)
  await page.reload()
  await dialog('Sunrise over the lake').getByText('Canal Park, Minnesota').waitFor()
  await dialog('Sunrise over the lake').getByText('46.842607, -91.994360').waitFor()
})

test('takes coordinates as people write them, from a paste into both fields, and keeps what it cannot read', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await button('Edit details').click()
  const latitude = page.getByRole('textbox', { name: 'Latitude' })
  const longitude = page.getByRole('textbox', { name: 'Longitude' })
  await page.evaluate(() => navigator.clipboard.writeText('46.842600, -92.003600'))
  await longitude.press('ControlOrMeta+a')
  await longitude.press('ControlOrMeta+v')
  await expect.poll(() => latitude.inputValue()).toBe('46.8426')
  expect(await longitude.inputValue()).toBe('-92.0036')
  await longitude.fill('92°00′13″ W')
  await latitude.fill('north of the pier')
  await button('Save').click()
  await page.getByText('The latitude must be a number from -90 to 90.').waitFor()
  expect(await latitude.inputValue()).toBe('north of the pier')
  expect(await longitude.inputValue()).toBe('-92.0036111')
  await latitude.fill('46,8425 N')
  await latitude.press('Enter')
  await toast(page, 'Photo updated').waitFor()
  await dialog('Sunrise over the lake').getByText('46.842500, -92.003611').waitFor()
})

test('confirms and explains a change of visibility, and takes it back', async () => {
  await dialog('Sunrise over the lake').getByRole('switch', { name: 'Public' }).click()
  await toast(page, 'Photo made private').waitFor()
  await undo().click()
  await toast(page, 'Only you can see this photo until it is in a public folder.').waitFor()
})

describe('a 360° picture', () => {
  const title = 'sphere, Duluth, Minnesota'
  const sphereOn = (on: Page) => on.getByRole('application', { name: title })

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

  test('is looked around in with keys, and has a flat picture', async () => {
    await page.goto('/')
    const loaded = page.waitForResponse((response) => response.url().endsWith('.jpg'))
    await cell('sphere').click()
    const sphere = await sphereShown(page)
    await loaded
    await sphere.focus()
    const first = await settledPicture(sphere)
    const { channels } = await sharp(first).stats()
    expect(Math.max(...channels.map(({ stdev }) => stdev)), 'something is drawn').toBeGreaterThan(10)
    await page.keyboard.press('ArrowRight')
    expect((await settledPicture(sphere)).equals(first)).toBe(false)
    await page.keyboard.press('0')
    expect((await settledPicture(sphere)).equals(first)).toBe(true)
    expect.soft(await findAxeViolations(page)).toEqual([])
    await dialog('sphere').getByRole('button', { name: 'Flat picture' }).click()
    await dialog('sphere').getByRole('img', { name: title }).waitFor()
    expect(await sphere.count()).toBe(0)
    await dialog('sphere').getByRole('button', { name: 'Look around' }).click()
    await sphereShown(page)
  })

  test('is a flat picture that says why it cannot be more', async () => {
    const { id } = await findPhoto(fixture.api, 'sphere')
    const other = await fixture.openIsolatedPage('owner')
    await other.route('**/assets/sphere-canvas-*', (route) => route.abort())
    await other.goto(`/?photo=${id}`)
    const shown = other.getByRole('dialog', { name: 'sphere' })
    await shown.getByText('The 360° picture could not be shown.').waitFor()
    await shown.getByRole('img', { name: title }).waitFor()
    expect.soft(await findAxeViolations(other)).toEqual([])
    await other.unroute('**/assets/sphere-canvas-*')
    await shown.getByRole('button', { name: 'Retry' }).click()
    await sphereShown(other)
    await other.addInitScript(() => {
      HTMLCanvasElement.prototype.getContext = () => null
    })
    await other.reload()
    await shown.getByText('it has no WebGL').waitFor()
    await other.close()
  })

  test('is looked around in by visitors of both links', async () => {
    const visitor = await fixture.openIsolatedPage('visitor')
    const card = visitor.getByRole('button', { name: `${title} 360° picture` })
    await visitor.goto(`/share/${folder.shareCode}`)
    await card.click()
    await sphereShown(visitor)
    expect.soft(await findAxeViolations(visitor)).toEqual([])
    await visitor.goto(`/browse/${folder.shareCode}`)
    await card.click()
    // By key: the card scrolls into view a moment after it has opened, and a click could miss the button.
    await visitor.getByRole('region', { name: 'sphere' }).getByRole('button', { name: 'Look around' }).press('Enter')
    await sphereShown(visitor)
    await visitor.keyboard.press('Escape')
    await visitor.locator('button:focus', { hasText: 'Look around' }).waitFor()
    await visitor.context().close()
  })
})

describe('a picture that differs from its file', () => {
  const measured = 'The values of this TIFF are stretched so that they can be seen'
  const thumbnail = 'This DNG has only a preview of 160 × 120 pixels.'

  beforeAll(async () => {
    await uploadPhoto(fixture.api, 'thermal.tif', createTemperatures())
    await uploadPhoto(fixture.api, 'raw.dng', await createRawWithThumbnail())
    await waitUntilReady(fixture.api)
  })

  test('says so on its card, in its dialog and before it is printed', async () => {
    await page.goto('/')
    await cell('thermal').getByText(measured).waitFor()
    await cell('raw').getByText(thumbnail).waitFor()
    await cell('thermal').click()
    await dialog('thermal').getByText(measured).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    const { id } = await findPhoto(fixture.api, 'thermal')
    const other = await fixture.openIsolatedPage('owner')
    await other.goto(`/?photo=${id}`)
    await other.getByRole('dialog', { name: 'thermal' }).getByRole('button', { name: 'Print', exact: true }).click()
    const wizard = other.getByRole('dialog', { name: 'Order Prints' })
    await wizard.getByText(measured).waitFor()
    expect.soft(await findAxeViolations(other)).toEqual([])
    await wizard.getByRole('button', { name: 'Validate & Upload' }).click()
    await wizard.getByRole('heading', { name: 'Your prints' }).waitFor()
    await wizard.getByText(measured).waitFor()
    await other.context().close()
  })

  test("is the camera's preview on the card of a raw file, and in its dialog on request", async () => {
    await uploadPhoto(fixture.api, 'shown.dng', await createRaw(200))
    await waitUntilReady(fixture.api)
    await page.goto('/')
    await cell('shown')
      .getByRole('img', { name: /^shown/ })
      .waitFor()
    await cell('shown').getByText('DNG files cannot be displayed').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await cell('shown').click()
    await dialog('shown').getByText('DNG files cannot be displayed').waitFor()
    expect(await dialog('shown').locator('img[src$=".webp"]').count()).toBe(0)
    await dialog('shown').getByRole('button', { name: 'Show camera preview' }).click()
    await dialog('shown')
      .getByRole('img', { name: /^shown/ })
      .waitFor()
  })

  test('is not enlarged if it is the thumbnail of a raw file', async () => {
    const { id } = await findPhoto(fixture.api, 'raw')
    await page.goto(`/?photo=${id}`)
    await dialog('raw').getByText(thumbnail).waitFor()
    await dialog('raw').getByRole('button', { name: 'Show camera preview' }).click()
    const picture = dialog('raw').getByRole('img', { name: /^raw/ })
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(160)
    expect(await picture.evaluate((image) => getComputedStyle(image).objectFit)).toBe('scale-down')
  })
})

describe('a pair', () => {
  const shown = () => dialog('shot')
  const files = async () => (await listPhotos(fixture.api)).filter(({ title }) => title === 'shot')
  let ids: { jpeg: number; raw: number }

  beforeAll(async () => {
    const jpeg = await uploadPhoto(fixture.api, 'shot.jpg', await dronePhotoAt(RAW_SHOT, 0))
    ids = { jpeg, raw: await uploadPhoto(fixture.api, 'shot.dng', await createRawWithThumbnail(206)) }
    await waitUntilReady(fixture.api)
  })

  const setPaired = (pairedWith: number | null) =>
    readJson(fixture.api.patch(`/api/photos/${ids.jpeg}`, { data: { pairedWith } }))

  test('is one card and one dialog, which has a download of each file', async () => {
    await page.goto('/')
    await cell('shot').getByText('JPEG', { exact: true }).waitFor()
    await cell('shot').getByText('DNG', { exact: true }).waitFor()
    expect(await cell('shot').count()).toBe(1)
    await cell('shot').click()
    await shown().getByText('1,600 × 1,200 pixels').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    for (const format of ['JPEG', 'DNG']) {
      const link = shown().getByRole('link', { name: `Download ${format}` })
      const [started] = await Promise.all([page.waitForEvent('download'), link.click()])
      expect(started.suggestedFilename()).toBe(format === 'JPEG' ? 'shot.jpg' : 'shot.dng')
    }
    await button('Delete').click()
    await question('Delete Photo').getByText('delete this photo with its raw file?').waitFor()
    await page.keyboard.press('Escape')
  })

  test('is separated at once, and is a pair again with Undo', async () => {
    await shown().getByRole('button', { name: 'Separate' }).click()
    await toast(page, 'The raw file is a photo of its own now.').waitFor()
    expect(await files()).toHaveLength(2)
    await undo().click()
    await toast(page, 'The JPEG and its raw file are one photo now.').waitFor()
    expect((await files()).map(({ id }) => id)).toEqual([ids.jpeg])
  })

  test('takes the place of its raw file that was open or selected when it became one', async () => {
    await setPaired(null)
    await page.goto(`/?photo=${ids.raw}`)
    await shown().getByText('DNG files cannot be displayed').waitFor()
    const other = await fixture.openTab()
    await other.goto('/')
    const bar = other.getByRole('region', { name: 'Selected photos' })
    await other.getByRole('button', { name: 'Select', exact: true }).click()
    await other
      .getByRole('gridcell', { name: /^shot\b/ })
      .first()
      .click()
    await other.getByRole('gridcell', { name: /^sphere\b/ }).click()
    await bar.getByText('2 photos').waitFor()
    await setPaired(ids.raw)
    await shown().getByRole('link', { name: 'Download DNG' }).waitFor()
    expect(new URL(page.url()).searchParams.get('photo')).toBe(String(ids.jpeg))
    await bar.getByText('1 photo', { exact: true }).waitFor()
    await other.close()
  })

  test('shows visitors both files, and refuses the vote for a raw file that is one of it by now', async () => {
    await setPaired(null)
    const { shareCode } = await sharePhotos(fixture.api, 'Shots', ['shot'])
    const count = async () =>
      (await readJson<{ photos: object[] }>(fixture.api.get(`/api/share/${shareCode}`))).photos.length
    const visitor = await fixture.openIsolatedPage('visitor')
    await visitor.goto(`/share/${shareCode}?photo=${ids.raw}`)
    const viewer = visitor.getByRole('dialog', { name: 'shot' })
    const rank = viewer.getByRole('button', { name: 'Rank shot' })
    await rank.waitFor()
    // The page does not learn of the pair before it has voted.
    let read = () => {}
    const isRead = new Promise<void>((resolve) => {
      read = resolve
    })
    await visitor.route(/\/api\/share\/[\w-]+\?/, (route) => isRead.then(() => route.continue()))
    await setPaired(ids.raw)
    await expect.poll(count).toBe(1)
    await rank.click()
    await visitor.getByRole('menuitem', { name: /1st/ }).click()
    await toast(visitor, `This is the raw file of photo ${ids.jpeg}. Please rank that photo.`).waitFor()
    read()
    const link = viewer.getByRole('link', { name: 'Download DNG' })
    const [started] = await Promise.all([visitor.waitForEvent('download'), link.click()])
    expect(started.suggestedFilename()).toMatch(/\.dng$/)
    await visitor.context().close()
  })
})

test('shows the error of a photo that could not be processed, and tries again', async () => {
  await page.goto('/')
  await uploadPhoto(fixture.api, 'damaged.png', await createDamagedPng())
  const card = page.getByRole('article', { name: 'damaged' })
  await card.getByText('Processing failed').waitFor({ timeout: 60_000 })
  expect.soft(await findAxeViolations(page)).toEqual([])
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().endsWith('/reprocess')),
    card.getByRole('button', { name: 'Try again' }).click(),
  ])
  expect((await answer.json()).status).toBe('processing')
  await card.getByText('Processing failed').waitFor({ timeout: 60_000 })
})

test("shows a visitor a photo's place and metadata, and takes the vote", async () => {
  const visitor = await fixture.openIsolatedPage('visitor')
  await visitor.goto(`/share/${folder.shareCode}`)
  await visitor.getByRole('button', { name: 'lake-1, Duluth, Minnesota' }).click()
  const viewer = visitor.getByRole('dialog', { name: 'lake-1' })
  await viewer.getByRole('tabpanel').getByText('46.842607, -91.994460').waitFor()
  await viewer.getByRole('tab', { name: 'Metadata' }).click()
  for (const fact of CAMERA_FACTS) await viewer.getByRole('tabpanel').getByText(fact, { exact: true }).waitFor()
  expect.soft(await findAxeViolations(visitor)).toEqual([])
  await viewer.getByRole('button', { name: 'Rank lake-1' }).click()
  await visitor.getByRole('menuitem', { name: /1st/ }).click()
  await toast(visitor, 'Your ranking has been saved. Thank you for participating!').waitFor()
  await visitor.context().close()
})

test('asks before it marks a photo with votes for printing, and Undo brings the votes back', async () => {
  const inFolder = async () => (await findPhoto(fixture.api, 'lake-1')).folderId === folder.id
  const voted = async () => {
    const { tallies } = await readJson<{ tallies: object[] }>(fixture.api.get(`/api/folders/${folder.id}/rankings`))
    return tallies.length
  }
  await page.goto(`/folders/${folder.id}`)
  await page.getByRole('button', { name: 'Actions for lake-1' }).click()
  await page.getByRole('menuitem', { name: 'Mark for printing' }).click()
  await question('Mark for printing?')
    .getByText(/leaves “Above the water”, its votes no longer count/)
    .waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await question('Mark for printing?').getByRole('button', { name: 'Mark for printing' }).click()
  await toast(page, 'It left “Above the water”, its votes no longer count.').waitFor()
  expect(await inFolder()).toBe(false)
  await expect.poll(voted).toBe(0)
  await undo().click()
  await toast(page, 'Moved to Above the water').waitFor()
  expect(await inFolder()).toBe(true)
  await expect.poll(voted).toBe(1)
})

const choose = (name: string, mimeType: string, buffer: Buffer) =>
  page.getByLabel('Photo', { exact: true }).setInputFiles({ name, mimeType, buffer })

test('reads a photo on the metadata screen, shows its metadata by group, and deletes it', async () => {
  const photos = (await listPhotos(fixture.api)).length
  await page.goto('/metadata')
  await choose('letter.txt', 'text/plain', Buffer.from('Dear reader'))
  await toast(page, 'Please select a JPEG, PNG, TIFF, GIF, or BMP image').waitFor()
  const place = { latitude: 51.500729, longitude: -0.124625, takenAt: '2024:05:04 15:04:05' }
  await choose('tower.jpg', 'image/jpeg', await dronePhotoAt(place, 0))
  await button('Extract Metadata').click()
  const item = page.getByRole('article').filter({ hasText: 'tower.jpg' })
  for (const text of ['51.500729, -0.124625', 'May 4, 2024 at 3:04 PM', "Date from camera's EXIF data"])
    await item.getByText(text).waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await item.getByRole('button', { name: 'tower.jpg' }).click()
  const details = dialog('tower.jpg')
  await details.getByRole('searchbox', { name: 'Search metadata' }).fill('gimbal pitch')
  await details.getByText('GimbalPitchDegree').waitFor()
  const groups = details.getByRole('region', { name: /^(?!Notifications)/ })
  await expect.poll(() => groups.count()).toBe(1)
  expect.soft(await findAxeViolations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await button('Clear All').click()
  await question('Clear All').getByRole('button', { name: 'Clear All' }).click()
  await page.getByRole('heading', { name: 'No photos uploaded yet' }).waitFor()
  expect(await listPhotos(fixture.api)).toHaveLength(photos)
})
