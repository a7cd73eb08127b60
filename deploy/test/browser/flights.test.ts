import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { fillGallery, readJson, waitUntilReady } from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'

// Flights: an owner finds one, looks at its track, exports it and makes a folder of it. The tests are steps of one journey.
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

test('without photos the screen of flights says how they come to be', async () => {
  await page.goto('/flights')
  await heading('No flights yet').waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
})

test('photos become flights, newest first, without a reload', async () => {
  await fillGallery(fixture.api)
  await waitUntilReady(fixture.api)
  await page.goto('/')
  await page.getByRole('link', { name: 'Flights' }).click()
  await page.getByRole('article').nth(1).waitFor()
  await expect
    .poll(() => page.getByRole('article').allInnerTexts(), { timeout: 20_000 })
    .toEqual([
      expect.stringMatching(/(?:Manhattan|New York)[\s\S]*6 photos/),
      expect.stringMatching(/Duluth[\s\S]*3 photos/),
    ])
  expect.soft(await findAxeViolations(page)).toEqual([])
})

test('a flight opens from below the map, with its facts, its track and its photos', async () => {
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

test('the positions of a flight, and those of the photos on the map, are exported', async () => {
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

test('a flight becomes a folder in one action, and no folder again by Undo', async () => {
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
  expect(fixture.pageErrors).toEqual([])
})

test('an unknown flight has a page that says so', async () => {
  await page.goto('/flights/999999')
  await heading('Flight not found').waitFor()
})
