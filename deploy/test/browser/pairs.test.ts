import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { dronePhotoAt, type Folder, listPhotos, readJson, sharePhotos, waitUntilReady } from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'
import { createRaw, RAW_SHOT } from './upload-files.ts'
import { readZip } from './zip-file.ts'

// From the card of a drone, which has a JPEG and a DNG of each shot, to the vote and the download.

const SHOTS = 12
let fixture: OwnerFixture
let page: Page
let card: string
let folder: Folder

beforeAll(async () => {
  card = await mkdtemp(join(tmpdir(), 'skyfolio-card-'))
  for (let shot = 1; shot <= SHOTS; shot += 1) {
    const name = join(card, `DJI_${String(shot).padStart(4, '0')}`)
    await writeFile(`${name}.JPG`, await dronePhotoAt(RAW_SHOT, shot))
    await writeFile(`${name}.DNG`, await createRaw(shot))
  }
  fixture = await startOwnerFixture()
  page = fixture.page
  await page.setViewportSize({ width: 1280, height: 1600 })
})

afterAll(async () => {
  await fixture?.close()
  if (card) await rm(card, { recursive: true, force: true })
})

const dialog = (name: string) => page.getByRole('dialog', { name })
const button = (name: string | RegExp, on: Pick<Page, 'getByRole'> = page) =>
  on.getByRole('button', { name, exact: true })
const toast = (text: string) => page.locator('[data-toasts]').getByText(text)

test('the card is uploaded as twelve photos with both files', async () => {
  await page.goto('/')
  await button('Upload Photos').first().click()
  const upload = dialog('Upload photos')
  await upload.locator('input[name=folder]').setInputFiles(card)
  await upload.getByText(`${SHOTS} photos, ${2 * SHOTS} files ·`).waitFor()
  await button('Upload', upload).click()
  await toast(`${SHOTS} photos have been uploaded and processed.`).waitFor()
  await waitUntilReady(fixture.api)
  const cards = page.getByRole('gridcell').filter({ hasText: 'DJI_00' })
  await expect.poll(() => cards.count()).toBe(SHOTS)
  for (const one of await cards.all()) {
    for (const format of ['JPEG', 'DNG']) await one.getByText(format, { exact: true }).first().waitFor()
  }
  const flights = () => readJson<object[]>(fixture.api.get('/api/flights'))
  await expect.poll(flights).toMatchObject([{ photoCount: SHOTS }])
})

test('a visitor votes for twelve photos, and gets the raw file of one', async () => {
  folder = await sharePhotos(fixture.api, 'Card of a drone')
  const visitor = await fixture.openIsolatedPage('visitor')
  await visitor.setViewportSize({ width: 1280, height: 2200 })
  await visitor.goto(`/share/${folder.shareCode}`)
  await visitor.getByText(`${SHOTS} photos`).waitFor()
  await button('Rank DJI_0003', visitor).click()
  await visitor.getByRole('menuitem', { name: /1st place/ }).click()
  await button('1st place: change your vote for DJI_0003', visitor).waitFor()
  await visitor
    .getByRole('listitem')
    .getByRole('button', { name: /^DJI_0003\b/ })
    .first()
    .click()
  const files = visitor.getByRole('dialog')
  expect.soft(await findAxeViolations(visitor)).toEqual([])
  const [download] = await Promise.all([
    visitor.waitForEvent('download'),
    files.getByRole('link', { name: 'Download DNG' }).click(),
  ])
  expect(await readFile(await download.path())).toEqual(await readFile(join(card, 'DJI_0003.DNG')))
  await visitor.context().close()
})

test('the owner downloads both files of each shot', async () => {
  await page.goto(`/folders/${folder.id}`)
  await button('Actions for Card of a drone').click()
  await page.getByRole('menuitem', { name: 'Download', exact: true }).click()
  const start = page.getByRole('dialog')
  await start.getByRole('radio', { name: /JPEG and raw files/ }).waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  const [download] = await Promise.all([page.waitForEvent('download'), button('Download', start).click()])
  const names = [...readZip(await readFile(await download.path())).keys()].sort()
  const shots = Array.from({ length: SHOTS }, (_, index) => `DJI_${String(index + 1).padStart(4, '0')}`)
  expect(names).toEqual(shots.flatMap((shot) => [`${shot}.DNG`, `${shot}.JPG`]))
})

test('a separated raw file is a photo of its own, until Undo', async () => {
  const count = async () => (await listPhotos(fixture.api)).length
  await page.goto(`/folders/${folder.id}`)
  await page.getByRole('gridcell', { name: /^DJI_0003\b/ }).click()
  await button('Separate').click()
  await expect.poll(count).toBe(SHOTS + 1)
  await button('Undo').click()
  await expect.poll(count).toBe(SHOTS)
  await toast('Photos paired').waitFor()
})
