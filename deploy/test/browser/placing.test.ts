import type { Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { findPhoto, readJson, uploadLakePhotos, uploadPhoto, waitUntilReady } from './gallery-photos.ts'
import { hasFocus, type OwnerFixture, PHONE, startOwnerFixture } from './owner-fixture.ts'
import { moveFingers } from './touch.ts'

// Placing: an owner gives photos without a position theirs, on the map and in the form of one photo.
let fixture: OwnerFixture
let page: Page

beforeAll(async () => {
  fixture = await startOwnerFixture()
  page = fixture.page
  await uploadLakePhotos(fixture.api, 1)
  // Two minutes after the one of the lake, and a day.
  const times = ['2016:06:23 16:33:59', '2016:06:23 16:35:00', '2016:06:24 16:31:59', '2016:06:24 16:31:59']
  for (const [index, time] of times.entries())
    await uploadPhoto(fixture.api, `ground-${index + 1}.jpg`, await groundPhoto(time))
  await waitUntilReady(fixture.api)
})

afterAll(() => fixture?.close())

/** A photo of a camera without GPS. */
function groundPhoto(takenAt: string): Promise<Buffer> {
  const colour = { r: takenAt.charCodeAt(18) * 4, g: takenAt.charCodeAt(15) * 4, b: takenAt.charCodeAt(9) * 4 }
  const exif = { IFD2: { DateTimeOriginal: takenAt, DateTimeDigitized: takenAt } }
  return sharp({
    create: {
      width: 600,
      height: 400,
      channels: 3,
      background: colour,
      noise: { type: 'gaussian', mean: 128, sigma: 30 },
    },
  })
    .withExif(exif)
    .jpeg()
    .toBuffer()
}

const button = (name: string | RegExp, on = page) => on.getByRole('button', { name, exact: true })
const map = (on = page) => on.getByRole('application', { name: /^Map of the photos/ })
const marker = (name: string | RegExp, on = page) => map(on).getByRole('button', { name, exact: true }).first()
const strip = (on = page) => on.getByRole('listbox', { name: 'Photos without a position' })
const option = (title: string, on = page) => strip(on).getByRole('option', { name: new RegExp(`^${title}`) })
const field = () => page.getByRole('searchbox', { name: 'Place or coordinates' })
const toast = (text: string, on = page) => on.locator('[data-toasts]').getByText(text, { exact: true })

async function undo(on = page): Promise<void> {
  await button('Undo', on).click()
  await toast('Undone', on).waitFor()
}

async function middleOf(element: Locator): Promise<[x: number, y: number]> {
  const box = await element.boundingBox()
  if (!box) throw new Error('The element is not there')
  return [box.x + box.width / 2, box.y + box.height / 2]
}

async function positionOf(title: string): Promise<[latitude: number, longitude: number] | null> {
  const { id } = await findPhoto(fixture.api, title)
  const [photo] = await readJson<{ latitude: string | null; longitude: string }[]>(
    fixture.api.get(`/api/photos?ids=${id}`),
  )
  return photo?.latitude ? [Number(photo.latitude), Number(photo.longitude)] : null
}

/** As another tab does. */
async function setPosition(title: string, position: object | null): Promise<void> {
  const { id } = await findPhoto(fixture.api, title)
  await readJson(fixture.api.put('/api/photos/positions', { data: { positions: [{ id, position }] } }))
}

async function openPanel(on = page): Promise<void> {
  await on.goto('/?view=map')
  await button(/^\d photos? without a position$/, on).click()
  await option('ground-1', on).waitFor()
}

test('shows the photos without a position beside the map, in both themes', async () => {
  await openPanel()
  expect(await strip().getByRole('option').count()).toBe(4)
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await option('ground-1').click()
    await button(/^Same place as the photo before/).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await button('Clear').click()
  }
})

test('places chosen photos by dragging one of them onto the map, and takes it back by Undo', async () => {
  await option('ground-3').click()
  await option('ground-4').click()
  await page.mouse.move(...(await middleOf(option('ground-3'))))
  await page.mouse.down()
  const [x, y] = await middleOf(map())
  await page.mouse.move(x, y, { steps: 5 })
  await page.mouse.up()
  await toast('2 photos have a new position').waitFor()
  await page.getByRole('heading', { name: '2 photos without a position' }).waitFor()
  const [lake, dropped] = [await positionOf('lake-1'), await positionOf('ground-3')]
  // The map shows the photo of the lake in its middle.
  expect(dropped?.[0]).toBeCloseTo(lake?.[0] ?? 0, 2)
  expect(dropped?.[1]).toBeCloseTo(lake?.[1] ?? 0, 2)
  expect(await positionOf('ground-4')).toEqual(dropped)
  await undo()
  await page.getByRole('heading', { name: '4 photos without a position' }).waitFor()
  expect(await positionOf('ground-4')).toBeNull()
})

test('leaves photos where they are that are dropped beside the map, or whose drag ends by Escape', async () => {
  async function drag(end: () => Promise<void>): Promise<void> {
    await page.mouse.move(...(await middleOf(option('ground-1'))))
    await page.mouse.down()
    await page.mouse.move(...(await middleOf(map())), { steps: 3 })
    await end()
    await page.mouse.up()
  }
  await drag(() => page.keyboard.press('Escape'))
  await drag(() => page.mouse.move(5, 5, { steps: 2 }))
  expect(await positionOf('ground-1')).toBeNull()
  expect(await strip().getByRole('option', { selected: true }).count()).toBe(0)
  // As a screen reader clicks, without a pointer: even at the moment when the drag ends.
  await drag(async () => {
    await page.mouse.move(5, 5, { steps: 2 })
    await option('ground-1').evaluate((tile: HTMLElement) =>
      addEventListener('pointerup', () => tile.click(), { once: true }),
    )
  })
  await page.getByText('1 of 4 chosen').waitFor()
  await button('Clear').click()
})

test('keeps what is chosen while a photo is being placed, and all but that one', async () => {
  async function dropFirst(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    await page.route('**/api/photos/positions', (route) => promise.then(() => route.continue()), { times: 1 })
    const asked = page.waitForRequest('**/api/photos/positions')
    await page.mouse.move(...(await middleOf(option('ground-1'))))
    await page.mouse.down()
    await page.mouse.move(...(await middleOf(map())), { steps: 5 })
    await page.mouse.up()
    await asked
    return resolve
  }
  const store = await dropFirst()
  await option('ground-2').click()
  await option('ground-3').click()
  store()
  await page.getByText('2 of 3 chosen').waitFor()
  await setPosition('ground-1', null)
  await page.getByText('2 of 4 chosen').waitFor()
  await button('Clear').click()

  await button('Choose all').click()
  await option('ground-1').click()
  const storeOther = await dropFirst()
  storeOther()
  await page.getByText('3 of 3 chosen').waitFor()
  await setPosition('ground-1', null)
  await page.getByRole('heading', { name: '4 photos without a position' }).waitFor()
  await button('Clear').click()
})

test('gives each photo the position of the one that was taken before it', async () => {
  await option('ground-1').click()
  await button(/^Same place as the photo before lake-1, 2 minutes earlier/).waitFor()
  await option('ground-2').click({ modifiers: ['Shift'] })
  await option('ground-3').click()
  await button(/^Same place as the photo before Found for 2 of 3 photos/).click()
  await toast('2 photos have a new position').waitFor()
  expect(await positionOf('ground-2')).toEqual(await positionOf('lake-1'))
  // The other one stays chosen.
  await page.getByText('1 of 2 chosen').waitFor()
  await page.getByText('No photo with a position was taken in the ten minutes before.').waitFor()
  await undo()
  await page.getByRole('heading', { name: '4 photos without a position' }).waitFor()
  await button('Clear').click()
})

test('finds a place or coordinates in one field, and places the chosen photos there by keyboard alone', async () => {
  await strip().focus()
  for (const key of ['Home', 'Shift+ArrowRight']) await page.keyboard.press(key)
  await page.getByText('2 of 4 chosen').waitFor()
  await field().fill('Nowhere at all')
  await page.getByText('Unable to find location. Please check your entry and try again.').waitFor()
  await field().fill('Duluth, Minnesota')
  await page.keyboard.press('Enter')
  await page.getByText(/^Place 2 photos at Duluth/).waitFor()
  // The tip of the pin is in the middle of the map.
  const pin = page.getByRole('button', { name: 'Position of the photos: move it by the arrow keys' })
  await expect.poll(() => hasFocus(pin)).toBe(true)
  const [x, y] = await middleOf(map())
  const box = await pin.boundingBox()
  expect([(box?.x ?? 0) + (box?.width ?? 0) / 2 - x, (box?.y ?? 0) + (box?.height ?? 0) - y].map(Math.round)).toEqual([
    0, 0,
  ])
  for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key)
  await toast('2 photos have a new position').waitFor()
  await expect.poll(() => hasFocus(strip())).toBe(true)
  await undo()

  await strip().focus()
  for (const key of ['Escape', 'Home', ' ']) await page.keyboard.press(key)
  await field().fill('46°47′N 92°06′W')
  for (const key of ['Enter', 'Enter']) {
    await page
      .getByText(/46\.7833333, -92\.1/)
      .first()
      .waitFor()
    await page.keyboard.press(key)
  }
  await toast('1 photo has a new position').waitFor()
  await expect
    .poll(async () => (await Promise.all([1, 2, 3, 4].map((n) => positionOf(`ground-${n}`)))).filter(Boolean))
    .toEqual([[46.7833333, -92.1]])
  await undo()
})

test('keeps the choice when a request fails, and drops photos that another tab has placed', async () => {
  await strip().focus()
  await page.keyboard.press('Control+a')
  await page.route('**/api/photos/positions', (route) => route.abort())
  await field().fill('46.8, -92.1')
  for (const key of ['Enter', 'Enter']) {
    await page
      .getByText(/46\.8, -92\.1/)
      .first()
      .waitFor()
    await page.keyboard.press(key)
  }
  await toast('The position could not be set').waitFor()
  await page.getByText('4 of 4 chosen').waitFor()
  await page.unroute('**/api/photos/positions')
  await button('Clear').click()
  await option('ground-1').click()
  await setPosition('ground-1', { latitude: 46.8, longitude: -92 })
  await page.getByText('0 of 3 chosen').waitFor()
  await setPosition('ground-1', null)
  await page.getByText('0 of 4 chosen').waitFor()
})

test('sets the position of one photo in its form, whose field, map and coordinates agree', async () => {
  await page.goto('/?q=ground-4')
  await page.getByRole('gridcell', { name: /^ground-4/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /^Edit/ }).click()
  const latitude = dialog.getByLabel('Latitude')
  const search = dialog.getByRole('searchbox', { name: 'Find a place' })
  await search.fill('46°47′N 92°06′W')
  await page.keyboard.press('Enter')
  await expect.poll(() => latitude.inputValue()).toBe('46.7833333')
  const pin = dialog.getByRole('button', { name: 'Position of the photo: move it by the arrow keys' })
  await pin.focus()
  await page.keyboard.press('ArrowUp')
  await expect.poll(async () => Number(await latitude.inputValue())).toBeGreaterThan(46.7833333)
  await latitude.fill('46.79')
  await dialog.getByLabel('Longitude').focus()
  const smallMap = dialog.getByRole('application', { name: 'Map with the position of the photo' })
  await expect
    .poll(async () => (await pin.boundingBox())?.y ?? 0)
    .toBeGreaterThan((await smallMap.boundingBox())?.y ?? 0)
  expect.soft(await findAxeViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Save' }).click()
  await toast('Photo updated').waitFor()
  expect(await positionOf('ground-4')).toEqual([46.79, -92.1])
})

test('places the last photos on a phone by a finger, and says that all have a position', async () => {
  const phone = await fixture.openIsolatedPage('owner', PHONE)
  await openPanel(phone)
  await button('Choose all', phone).tap()
  const from = await middleOf(option('ground-1', phone))
  const [x, y] = await middleOf(map(phone))
  await moveFingers(phone, [{ from, to: [x, y] }])
  await toast('3 photos have a new position', phone).waitFor()
  await phone.getByRole('heading', { name: 'No photos without a position' }).waitFor()
  await marker(/photos/, phone).waitFor()
  expect.soft(await findAxeViolations(phone)).toEqual([])
  await undo(phone)
  await option('ground-1', phone).waitFor()
})
