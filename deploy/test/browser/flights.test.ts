import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { fillGallery, readJson } from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'

// Flights: an owner finds one, looks at its track, exports it and makes a folder of it.
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
  await page.getByText(/Heading .*45/).waitFor()
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
