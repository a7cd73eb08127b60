import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import {
  dronePhotoAt,
  fillGallery,
  findPhoto,
  LAKE,
  readJson,
  sharePhotos,
  uploadPhoto,
  waitUntilReady,
} from './gallery-photos.ts'
import { longestTask } from './long-tasks.ts'
import { groundPixels, type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'

// The map: an owner finds, filters and moves photos on it, and shows it to visitors.
let fixture: OwnerFixture
let page: Page

beforeAll(async () => {
  fixture = await startOwnerFixture()
  page = fixture.page
  await fillGallery(fixture.api)
})

afterAll(() => fixture?.close())

const button = (name: string | RegExp, on = page) => on.getByRole('button', { name, exact: true })
const map = (on = page) => on.getByRole('application', { name: /^Map of the photos/ })
/** The marker of a photo by its title, or of several by their number; what follows is their place. */
const marker = (name: string, on = page) => map(on).getByRole('button', { name: new RegExp(`^${name}(,|$)`) })
const list = () => page.getByRole('region', { name: 'On this part of the map' })
const toast = (text: string) => page.locator('[data-toasts]').getByText(text, { exact: true })
const shows = (count: string) => page.getByRole('search').getByText(count, { exact: true }).waitFor()
const parameters = () => new URL(page.url()).searchParams

/** The longitude of a photo. */
async function longitudeOf(title: string): Promise<number> {
  const { id } = await findPhoto(fixture.api, title)
  const [photo] = await readJson<{ longitude: string }[]>(fixture.api.get(`/api/photos?ids=${id}`))
  return Number(photo?.longitude)
}

test('shows all photos as clusters, and the list beside the map says the same', async () => {
  await page.goto('/')
  await page.getByRole('tab', { name: 'Map' }).click()
  await marker('6 photos').waitFor()
  await marker('3 photos').waitFor()
  await list().getByText('9 photos', { exact: true }).waitFor()
  await button('1 photo without a position').waitFor()
  expect(await list().getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringMatching(/^3 photos\nDuluth, Minnesota$/),
    expect.stringMatching(/^6 photos\nNew York/),
  ])
})

test('opens a cluster to its photos, and a photo with a small map, by keyboard', async () => {
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
  await marker('3 photos').focus()
  await page.keyboard.press('Enter')
  await marker('lake-1').focus()
  await page.keyboard.press('ArrowRight')
  await expect.poll(focused).toMatch(/^lake-2, Duluth, Minnesota/)
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('region', { name: 'Map' }).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(focused).toMatch(/^lake-2, Duluth, Minnesota/)
})

test('filters map and grid by the visible area and by the surroundings of a photo', async () => {
  const search = button('Search this area')
  expect(await search.count()).toBe(0)
  await map().focus()
  await page.keyboard.press('ArrowRight')
  await search.waitFor()
  await button('Show all photos').click()
  await search.waitFor({ state: 'detached' })
  await marker('3 photos').click()
  await marker('lake-1').waitFor()
  expect(await search.count()).toBe(0)
  await button('Zoom out of the map').click()
  await search.click()
  await shows('3 photos')
  expect(await search.count()).toBe(0)
  expect(parameters().get('area')?.split(',')).toHaveLength(4)
  await page.getByRole('tab', { name: /Photos/ }).click()
  await page.getByRole('gridcell', { name: /^lake-1/ }).waitFor()
  await button('Remove the filter by area').click()
  await shows('10 photos')
  await page.getByRole('gridcell', { name: /^city-1/ }).click()
  await button('Photos near here').click()
  await shows('6 photos')
  await page.getByRole('combobox', { name: 'Distance' }).selectOption('100 m')
  await expect.poll(() => parameters().get('near')).toMatch(/,100$/)
  await button('Remove the filter by distance').click()
  await shows('10 photos')
})

test('moves selected photos by dragging one of them, and back by Undo', async () => {
  await page.goto('/?view=map&location=Duluth%2C+Minnesota')
  await marker('3 photos').click()
  await marker('lake-1').waitFor()
  await button('Move photos').click()
  const others = [await longitudeOf('lake-2'), await longitudeOf('lake-3')]
  await button('Select').click()
  for (const title of ['lake-2', 'lake-3']) await marker(title).click()
  await dragMarker('lake-2')
  await toast('Positions set').waitFor()
  const moved = [await longitudeOf('lake-2'), await longitudeOf('lake-3')]
  const ways = moved.map((east, index) => east - (others[index] ?? 0))
  expect(ways[0]).not.toBe(0)
  expect(ways[0]).toBeCloseTo(ways[1] ?? 0, 6)
  await button('Undo').click()
  await toast('Undone').waitFor()
  expect(await longitudeOf('lake-3')).toBeCloseTo(others[1] ?? 0, 6)
  await button('Done').click()
})

/** Drags a marker to the right and down. */
async function dragMarker(name: string): Promise<void> {
  const box = await marker(name).boundingBox()
  if (!box) throw new Error(`${name} is not on the map`)
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 40, y + 60, { steps: 5 })
  await page.mouse.up()
}

test('gives a photo without a position one by a pin, by keyboard', async () => {
  await page.goto('/?q=plain')
  await button('Select').click()
  await page.getByRole('gridcell', { name: /^plain/ }).click()
  await page.getByRole('tab', { name: 'Map' }).click()
  await page.getByText('No photos with a position').waitFor()
  await button('Set the position of 1 photo').click()
  await page.keyboard.press('ArrowRight')
  await button('Set position').click()
  await toast('Position set').waitFor()
  await map()
    .getByRole('button', { name: /^plain, .*selected$/ })
    .waitFor()
})

test('lists photos of one place, which no zoom tells apart, below the map', async () => {
  const place = { latitude: -33.8568, longitude: 151.2153, takenAt: '2025:01:02 03:04:05' }
  for (const name of ['opera-1.jpg', 'opera-2.jpg']) {
    await uploadPhoto(fixture.api, name, await dronePhotoAt({ ...place, takenAt: `2025:01:02 03:04:0${name[6]}` }, 0))
  }
  await waitUntilReady(fixture.api)
  await page.goto('/?view=map&q=opera')
  await marker('2 photos').click()
  await page.getByRole('heading', { name: '2 photos at this place' }).waitFor()
  await page.getByRole('gridcell', { name: /^opera-1/ }).waitFor()
  await button('Close the photos of this place').click()
})

test('shows photos at both sides of the date line together, and one world on a wide map', async () => {
  for (const [name, longitude] of [
    ['fiji-1.jpg', 179.9],
    ['fiji-2.jpg', -179.9],
  ] as const) {
    const place = { latitude: -17, longitude, takenAt: '2023:01:02 03:04:05' }
    await uploadPhoto(fixture.api, name, await dronePhotoAt(place, 0))
  }
  await waitUntilReady(fixture.api)
  const wide = await fixture.openIsolatedPage('owner', { viewport: { width: 2560, height: 1000 } })
  await wide.goto('/?view=map&q=fiji')
  await marker('fiji-2', wide).waitFor()
  const [west, east] = [await marker('fiji-1', wide).boundingBox(), await marker('fiji-2', wide).boundingBox()]
  expect(east?.x).toBeGreaterThan((west?.x ?? 0) + 50)

  await wide.goto('/?view=map')
  await marker('6 photos', wide).waitFor()
  for (let zoom = 0; zoom < 3; zoom += 1) await button('Zoom out of the map', wide).click()
  const photos = async () => {
    const labels = await map(wide).getByRole('button').allInnerTexts()
    return labels.reduce((sum, count) => sum + Number(count || 1), 0)
  }
  await expect.poll(photos).toBe(14)
  await wide.close()
})

test('pans without a task of more than 50 ms', async () => {
  await page.goto('/?view=map')
  await marker('6 photos').waitFor()
  const box = await map().boundingBox()
  const [x, y] = [(box?.x ?? 0) + 300, (box?.y ?? 0) + 250]
  const longest = await longestTask(fixture.browser, page, async () => {
    for (const way of [-200, 200, -200, 200]) {
      await page.mouse.move(x, y)
      await page.mouse.down()
      await page.mouse.move(x + way, y + way / 4, { steps: 20 })
      await page.mouse.up()
    }
    await marker('6 photos').waitFor()
  })
  expect(longest).toBeLessThan(50)
})

/** Whether the background has a pixel in one of the map's colors. */
function isDrawn(color: string): Promise<boolean> {
  return page.evaluate((name) => {
    const sample = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D
    sample.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name).trim()
    // As '#rrggbb', however the stylesheet writes it.
    const wanted = sample.fillStyle
    return [...document.querySelectorAll<HTMLCanvasElement>('.leaflet-tile-container canvas')].some((canvas) => {
      const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] }
      for (let at = 0; at < data.length; at += 4) {
        const hex = [data[at], data[at + 1], data[at + 2]].map((part) => (part ?? 0).toString(16).padStart(2, '0'))
        if (`#${hex.join('')}` === wanted) return true
      }
      return false
    })
  }, color)
}

test('draws streets, houses and shores where the installation has them, and says where it has none', async () => {
  const none = page.getByRole('status').filter({ hasText: 'No streets for this place' })
  const { latitude, longitude } = LAKE
  const around = [longitude - 0.002, latitude - 0.001, longitude + 0.002, latitude + 0.001].join()
  await page.goto(`/?view=map&area=${around}`)
  for (const color of ['--map-water', '--map-green', '--map-building', '--map-road', '--map-major']) {
    await expect.poll(() => isDrawn(color)).toBe(true)
  }
  await page.getByText('© Surveyors · GeoNames').waitFor()
  expect(await none.count()).toBe(0)
  await page.goto('/?view=map&area=-73.99,40.755,-73.98,40.761')
  await none.waitFor()
  expect(await isDrawn('--map-water')).toBe(false)
  await expect
    .poll(async () => {
      await button('Zoom out of the map').click()
      return none.count()
    })
    .toBe(0)
  await expect.poll(() => isDrawn('--map-water')).toBe(true)
})

/** A picture of one pixel. */
const TILE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Answers for the servers of the layers. @returns the hosts that the page has asked, each once */
async function serveLayers(on: Page, answer: 'tile' | 'failure' = 'tile'): Promise<Set<string>> {
  const asked = new Set<string>()
  await on.route(/^https:\/\/(tiles|pictures)\.test\//, (route) => {
    asked.add(new URL(route.request().url()).host)
    if (answer === 'failure') return route.fulfill({ status: 503 })
    return route.fulfill({ contentType: 'image/png', body: TILE })
  })
  return asked
}

const item = (name: string, on = page) => on.getByRole('menuitem', { name: new RegExp(`^${name}`) })
const credit = (text: string, on = page) => on.getByText(text, { exact: true })

/** Chooses a layer in the menu of the map. */
async function chooseLayer(name: string, on = page): Promise<void> {
  await button('Map layers', on).click()
  await item(name, on).click()
}

async function agreeTo(host: string, on = page): Promise<void> {
  const question = on.getByRole('alertdialog')
  await question.getByText(`${host} will see your IP address`).waitFor()
  await button('Load the map', on).click()
}

/** Waits until the account remembers this choice: a page that is left takes its request along. */
async function isSaved(mapLayer: string | null, mapHosts: string[]): Promise<void> {
  const saved = () => readJson<object>(fixture.api.get('/api/user/settings'))
  await expect.poll(saved).toMatchObject({ mapLayer, mapHosts })
}

test('asks once for each host of another map, and the account remembers hosts and layer in all browsers', async () => {
  const policy = (await page.goto('/?view=map'))?.headers()['content-security-policy']
  expect(policy).toContain("img-src 'self' data: blob: https://tiles.test https://pictures.test;")
  const asked = await serveLayers(page)
  await marker('6 photos').waitFor()
  await chooseLayer('Streets')
  await page.getByRole('alertdialog').waitFor()
  expect([...asked]).toEqual([])
  await agreeTo('tiles.test')
  await credit('© Streets').waitFor()
  await chooseLayer('Terrain')
  await credit('© Terrain').waitFor()
  expect([...asked]).toEqual(['tiles.test'])
  await chooseLayer('Satellite')
  await agreeTo('pictures.test')
  await credit('© Pictures').waitFor()
  await chooseLayer('Skyfolio map')
  await credit('© Pictures').waitFor({ state: 'detached' })
  const hosts = ['tiles.test', 'pictures.test']
  await isSaved(null, hosts)

  const other = await fixture.openIsolatedPage('owner')
  const askedByOther = await serveLayers(other)
  await other.goto('/?view=map')
  await marker('6 photos', other).waitFor()
  await button('Map layers', other).click()
  await item('Skyfolio map', other).getByLabel('Chosen').waitFor()
  expect([...askedByOther]).toEqual([])
  await item('Satellite', other).click()
  await credit('© Pictures', other).waitFor()
  await isSaved('Satellite', hosts)
  await other.reload()
  await credit('© Pictures', other).waitFor()
  await chooseLayer('Withdraw consent', other)
  await credit('© Pictures', other).waitFor({ state: 'detached' })
  await isSaved(null, [])
  askedByOther.clear()
  await chooseLayer('Satellite', other)
  await button('Cancel', other).click()
  await other.reload()
  await marker('6 photos', other).waitFor()
  expect([...askedByOther]).toEqual([])
  expect.soft(await findAxeViolations(other)).toEqual([])
})

const ground = (on = page) => on.getByRole('region', { name: 'Photos on the ground' })

/** Waits until a picture lies at the middle of a photo's marker, which it shows: the camera looked straight down. */
async function liesOnGround(title: string, on = page): Promise<void> {
  const middle = async () => {
    const [box, corner] = [await marker(title, on).boundingBox(), await map(on).boundingBox()]
    if (!box || !corner) throw new Error(`${title} is not on the map`)
    return [box.x + box.width / 2 - corner.x, box.y + box.height / 2 - corner.y] as const
  }
  const alpha = async () => (await groundPixels(on, [await middle()]))[0]?.[3]
  await expect.poll(alpha).toBe(255)
}

test('lays the photos of the gallery on the ground, from near enough', async () => {
  await page.goto('/?view=map&location=Duluth%2C+Minnesota')
  await marker('3 photos').click()
  await marker('lake-1').waitFor()
  await button('Photos on the ground').click()
  await ground().getByText('3 pictures').waitFor()
  await liesOnGround('lake-1')
  expect.soft(await findAxeViolations(page)).toEqual([])
  expect(await button('Shift the flight…').count()).toBe(0)
  const isFar = async () => {
    await button('Zoom out of the map').click()
    return ground().getByText('Zoom in to see the photos on the ground').count()
  }
  await expect.poll(isFar).toBe(1)
  await button('Photos on the ground').click()
  await ground().waitFor({ state: 'detached' })
})

test('shows visitors a map only where the owner allows it', async () => {
  const folder = await sharePhotos(fixture.api, 'Lake', ['lake-1', 'lake-2', 'lake-3'])
  const visitor = await fixture.openIsolatedPage('visitor')
  await visitor.goto(`/viewer/${folder.shareCode}`)
  await visitor.getByRole('heading', { name: 'lake-1' }).waitFor()
  for (const name of ['Show map', 'Photos on the ground']) expect(await button(name, visitor).count()).toBe(0)

  await readJson(fixture.api.put(`/api/folders/${folder.id}`, { data: { showMap: true } }))
  for (const kind of ['viewer', 'share']) {
    await visitor.goto(`/${kind}/${folder.shareCode}`)
    await button('Show map', visitor).click()
    const photosOnMap = visitor.getByRole('region', { name: 'On this part of the map' })
    await photosOnMap.getByRole('button', { name: /^3 photos/ }).focus()
    await visitor.keyboard.press('Enter')
    await marker('lake-1', visitor).waitFor()
    // The opened place has gone from the list: the keyboard is at its beginning.
    await expect.poll(() => visitor.evaluate(() => document.activeElement?.textContent)).toBe('On this part of the map')
    await visitor.keyboard.press('Tab')
    await visitor.keyboard.press('Enter')
    await visitor.getByRole('dialog').getByRole('region', { name: 'Map' }).waitFor()
    await visitor.keyboard.press('Escape')
    expect.soft(await findAxeViolations(visitor)).toEqual([])
  }

  const lists: string[] = []
  visitor.on('request', (request) => {
    if (request.url().endsWith('/cameras')) lists.push(new URL(request.url()).pathname)
  })
  await visitor.reload()
  await button('Show map', visitor).click()
  await marker('3 photos', visitor).click()
  await marker('lake-1', visitor).waitFor()
  expect(lists).toEqual([])
  await button('Photos on the ground', visitor).click()
  await ground(visitor).getByText('3 pictures').waitFor()
  await liesOnGround('lake-1', visitor)
  await button('Zoom in on the map', visitor).click()
  await liesOnGround('lake-1', visitor)
  expect(lists).toEqual([`/api/share/${folder.shareCode}/cameras`])
  expect(await button('Shift the flight…', visitor).count()).toBe(0)
  expect.soft(await findAxeViolations(visitor)).toEqual([])

  // A visitor's browser remembers the layer; a server that fails is said quietly.
  const asked = await serveLayers(visitor, 'failure')
  await visitor.reload()
  await button('Show map', visitor).click()
  await chooseLayer('Streets', visitor)
  expect([...asked]).toEqual([])
  await agreeTo('tiles.test', visitor)
  await visitor.getByRole('alert').getByText('The background could not be loaded').waitFor()
  await visitor.reload()
  await button('Show map', visitor).click()
  await credit('© Streets', visitor).waitFor()
  expect([...asked]).toEqual(['tiles.test'])
})
