import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { fillGallery, findPhoto, readJson } from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'

// Flights: an owner finds one, looks at its track, exports it, makes a folder of it, and places photos by the track of another device.
let fixture: OwnerFixture
let page: Page

beforeAll(async () => {
  fixture = await startOwnerFixture()
  page = fixture.page
})

afterAll(() => fixture?.close())

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const heading = (name: string | RegExp) => page.getByRole('heading', { name, exact: true })
const toast = (text: string) => page.locator('[data-toasts]').getByText(text, { exact: true })

test('says how flights come to be, and makes them of photos without a reload, the newest first', async () => {
  await page.goto('/flights')
  await heading('No flights yet').waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await fillGallery(fixture.api)
  await expect
    .poll(() => page.getByRole('article').allInnerTexts())
    .toEqual([expect.stringMatching(/New York.*6 photos/s), expect.stringMatching(/Duluth.*3 photos/s)])
})

test('opens a flight from below the map, with its facts, its track and its photos', async () => {
  await page.goto('/?view=map')
  await heading('Newest flights').waitFor()
  await page.getByRole('link', { name: /^Duluth/ }).click()
  await heading(/^Duluth/).waitFor()
  await page.getByRole('application', { name: 'Track of 3 photos' }).waitFor()
  const strip = page.getByRole('listbox', { name: 'Photos of the flight' })
  expect(await strip.getByRole('option').count()).toBe(3)
  await strip.focus()
  await page.keyboard.press('End')
  await page.getByText('lake-3', { exact: true }).waitFor()
  await page.getByText(/Facing .*45/).waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
})

test('exports the positions of a flight, and those of the photos on the map', async () => {
  await button('Export').click()
  const [flight] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /^GPX/ }).click(),
  ])
  expect(flight.suggestedFilename()).toMatch(/^Duluth.*\.gpx$/)
  expect((await readFile(await flight.path(), 'utf8')).match(/<trkpt /g)).toHaveLength(3)

  await page.goto('/?view=map&q=city')
  await button('Export positions').click()
  const [found] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /^GeoJSON/ }).click(),
  ])
  expect(found.suggestedFilename()).toMatch(/^skyfolio-photos-.*\.geojson$/)
  const { features } = JSON.parse(await readFile(await found.path(), 'utf8'))
  expect(features.filter(({ geometry }: { geometry: { type: string } }) => geometry.type === 'Point')).toHaveLength(6)
})

test('makes a folder of a flight in one action, and takes it back by Undo', async () => {
  await page.goto('/flights')
  await page.getByRole('link', { name: /^Duluth/ }).click()
  await button('Make a folder').click()
  await page.getByRole('dialog', { name: 'Make a folder' }).waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await page.getByRole('textbox', { name: 'Name' }).fill('Morning at the lake')
  await button('Make folder').click()
  await heading('Morning at the lake').waitFor()
  await page.getByRole('gridcell', { name: /^lake-3/ }).waitFor()
  await button('Undo').click()
  await toast('Folder removed').waitFor()
  await heading(/^Duluth/).waitFor()
  expect(await readJson(fixture.api.get('/api/folders'))).toEqual([])
})

/** A track along the shore of Duluth: five minutes before the photos of the lake until five minutes after them. */
const GPX = `<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>
  <trkpt lat="46.84" lon="-92.00"><time>2016-06-23T21:27:00Z</time></trkpt>
  <trkpt lat="46.85" lon="-91.99"><time>2016-06-23T21:37:00Z</time></trkpt></trkseg></trk></gpx>`
const FILE = { name: 'shore.gpx', mimeType: 'application/gpx+xml', buffer: Buffer.from(GPX) }

const dialog = (name: RegExp) => page.getByRole('dialog', { name })
const positionOf = async (title: string) => {
  const { id } = await findPhoto(fixture.api, title)
  const [photo] = await readJson<Record<'latitude' | 'longitude', string | null>[]>(
    fixture.api.get(`/api/photos?ids=${id}`),
  )
  return [photo?.latitude, photo?.longitude].map((degrees) => (degrees ? Number(degrees) : null))
}

/** Drops a file on the page. */
async function drop(name: string, content: string): Promise<void> {
  const data = await page.evaluateHandle(
    ([name, content]) => {
      const data = new DataTransfer()
      data.items.add(new File([content], name))
      return data
    },
    [name, content] as const,
  )
  await page.dispatchEvent('main', 'drop', { dataTransfer: data })
}

test('places a photo of the same day by a track, at the offset that fits, and takes it back by Undo', async () => {
  const { id } = await findPhoto(fixture.api, 'plain')
  await readJson(fixture.api.patch(`/api/photos/${id}`, { data: { dateTaken: '2016-06-23T16:32:00' } }))
  await button('Place with a GPX track…').click()
  await dialog(/with a GPX track/).waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button('Choose a GPX file').click()])
  await chooser.setFiles({ ...FILE, buffer: Buffer.from('<kml/>') })
  await page.getByText('shore.gpx is not a GPX file.').waitFor()
  await drop('shore.gpx', GPX)
  await page.getByRole('application', { name: 'Track with 1 photo' }).waitFor()
  await page.getByText('The photo is on the track.').waitFor()
  expect(await page.getByLabel('Time zone of the camera').inputValue()).toBe('-300')
  const correction = page.getByLabel("Add to the camera's clock")
  await correction.fill('+1:00:00')
  await page.getByText('The photo is not on the track.').waitFor()
  await page.getByText(/55 min after the track/).waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await correction.fill('0:00:59')
  await correction.press('ArrowUp')
  expect(await correction.inputValue()).toBe('+0:01:00')
  await button('Place 1 photo').click()
  await toast('Position set').waitFor()
  expect(await positionOf('plain')).toEqual([46.846, -91.994])
  await button('Undo').click()
  await toast('Undone').waitFor()
  expect(await positionOf('plain')).toEqual([null, null])

  const flight = '**/api/flights/*'
  await page.route(flight, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), photoCount: 2001 } })
  })
  await page.reload()
  await button('Place with a GPX track…').click()
  await page.getByText(/up to 2,000 photos at once/).waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await page.getByRole('link', { name: 'in the gallery' }).click()
  await page.getByRole('gridcell', { name: /^plain/ }).waitFor()
  expect(await page.getByRole('gridcell', { name: /^(plain|lake-)/ }).count()).toBe(4)
  await page.unroute(flight)
})

test('places selected photos by a dropped track, which is no upload, and says which are not on it', async () => {
  await page.goto('/?view=grid&sort=taken-oldest')
  await page.getByRole('gridcell', { name: /^lake-1/ }).waitFor()
  await drop('shore.gpx', GPX)
  await toast('Select photos first').waitFor()
  await button('Select').click()
  await button('Select All').click()
  await drop('shore.gpx', GPX)
  await page.getByText('The photo is on the track.').waitFor()
  await page.getByLabel('All these photos').check()
  await page.getByText('4 of 10 photos are on the track.').waitFor()
  const others = page.getByRole('region', { name: 'Photos that are not placed' })
  await others
    .getByText(/days after the track/)
    .first()
    .waitFor()
  expect(await others.getByRole('listitem').count()).toBe(6)
  await button('Place 4 photos').click()
  await toast('4 photos have a new position').waitFor()
  expect(await positionOf('lake-1')).toEqual([46.8449833, -91.9950167])
  await button('Undo').click()
  await toast('Undone').waitFor()
  expect(await positionOf('lake-1')).toEqual([46.842607, -91.99446])
  expect(await page.getByRole('dialog').count()).toBe(0)
})
