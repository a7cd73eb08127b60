import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { type Folder, readJson, sharePhotos, uploadLakePhotos, uploadPhoto, waitUntilReady } from './gallery-photos.ts'
import { hasFocus, type OwnerFixture, PHONE, startOwnerFixture } from './owner-fixture.ts'
import { createRaw } from './upload-files.ts'
import { readZip } from './zip-file.ts'

// Visitors of a link that is protected, hides something, or ends: what they are asked, see, and may download.

const FIRST_PASSWORD = 'above-the-first-lake'
const SECOND_PASSWORD = 'above-the-second-lake'

interface Link {
  id: number
  code: string
}

let fixture: OwnerFixture
let page: Page
let folder: Folder
let main: Link

beforeAll(async () => {
  fixture = await startOwnerFixture()
  await uploadLakePhotos(fixture.api, 3)
  await uploadPhoto(fixture.api, 'raw.dng', await createRaw(3))
  await waitUntilReady(fixture.api)
  folder = await sharePhotos(fixture.api, 'Above the water')
  const links = await readJson<Link[]>(fixture.api.get(`/api/folders/${folder.id}/links`))
  if (!links[0]) throw new Error('The folder has no main link')
  main = links[0]
  page = await fixture.openIsolatedPage('visitor')
})

afterAll(() => fixture?.close([FIRST_PASSWORD, SECOND_PASSWORD]))

const createLink = (data: object) =>
  readJson<Link>(fixture.api.post(`/api/folders/${folder.id}/links`, { data: { name: 'Client', ...data } }))
const changeLink = ({ id }: Link, data: object) =>
  readJson(fixture.api.patch(`/api/folders/${folder.id}/links/${id}`, { data }))

const button = (name: string, on: Pick<Page, 'getByRole'> = page) => on.getByRole('button', { name, exact: true })
const picture = (title: string, on = page) =>
  on.getByRole('listitem').getByRole('button', { name: new RegExp(`^${title}\\b`) })
const isLocked = (on = page) => on.getByRole('heading', { name: 'This folder is protected by a password' })
const passwordField = (on = page) => on.getByLabel('Password', { exact: true })

async function enterPassword(password: string, on = page): Promise<void> {
  await passwordField(on).fill(password)
  await on.keyboard.press('Enter')
}

async function download(click: () => Promise<void>): Promise<Buffer> {
  const [started] = await Promise.all([page.waitForEvent('download'), click()])
  return readFile(await started.path())
}

describe('a protected folder', () => {
  beforeAll(() => changeLink(main, { password: FIRST_PASSWORD }))

  test.each(['share', 'viewer', 'browse'])('at /%s asks for its password and says nothing else', async (screen) => {
    const visitor = await fixture.openIsolatedPage('visitor', screen === 'share' ? PHONE : {})
    await visitor.goto(`/${screen}/${main.code}`)
    await isLocked(visitor).waitFor()
    await expect.poll(() => visitor.title()).toBe('Protected folder · Skyfolio')
    await expect.poll(() => hasFocus(passwordField(visitor))).toBe(true)
    expect.soft(await findAxeViolations(visitor)).toEqual([])
    expect(await visitor.content()).not.toMatch(/Above the water|lake-1/)

    await button('Open the folder', visitor).click()
    await visitor.getByRole('alert').getByText('Enter the password').waitFor()
    await enterPassword('under-the-lake', visitor)
    await expect.poll(() => passwordField(visitor).getAttribute('aria-invalid')).toBe('true')
    const described = await passwordField(visitor).getAttribute('aria-describedby')
    await visitor
      .locator(`[id="${described}"][role=alert]`)
      .getByText(/password/i)
      .waitFor()
    expect.soft(await findAxeViolations(visitor)).toEqual([])

    await visitor.evaluate(() => Object.assign(globalThis, { isSameDocument: true }))
    await enterPassword(FIRST_PASSWORD, visitor)
    await visitor.getByText('4 photos').waitFor()
    expect(await visitor.evaluate(() => 'isSameDocument' in globalThis)).toBe(true)
    await visitor.reload()
    await visitor.getByText('4 photos').waitFor()
    await visitor.context().close()
  })

  test('whose password is changed is locked while it is open, and leaves nothing on the page', async () => {
    await page.goto(`/share/${main.code}`)
    await enterPassword(FIRST_PASSWORD)
    await picture('lake-1').click()
    await page.getByRole('dialog', { name: 'lake-1' }).waitFor()
    await changeLink(main, { password: SECOND_PASSWORD })
    await isLocked().waitFor()
    expect(await page.content()).not.toMatch(/Above the water|lake-1/)
    await enterPassword(SECOND_PASSWORD)
    await page.getByRole('dialog', { name: 'lake-1' }).waitFor()
  })

  test('whose password is changed is locked by the next vote', async () => {
    await page.goto(`/share/${main.code}`)
    await button('Rank lake-1').waitFor()
    await changeLink(main, { password: FIRST_PASSWORD })
    await button('Rank lake-1').click()
    await page.getByRole('menuitem', { name: /1st place/ }).click()
    await isLocked().waitFor({ timeout: 10_000 })
    await changeLink(main, { password: null })
  })
})

describe('a link', () => {
  test('answers on its own screen alone', async () => {
    const { code } = await createLink({ kind: 'view' })
    await page.goto(`/viewer/${code}`)
    await page.getByText('4 photos').waitFor()
    await page.goto(`/browse/${code}`)
    await page.getByRole('heading', { name: 'Folder not found' }).waitFor()
    await page.goto(`/share/${code}`)
    await page.getByRole('heading', { name: 'Folder Not Found' }).waitFor()
  })

  test('says when its voting ends, and closes it then', async () => {
    const votingUntil = new Date(Date.now() + 8_000).toISOString()
    const { code } = await createLink({ kind: 'vote', votingUntil })
    await page.goto(`/share/${code}`)
    await page.getByText(/Voting ends .*\d:\d\d/).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await page.getByText('Voting is closed.').waitFor({ timeout: 30_000 })
    expect(await page.locator('[data-rank]:not([aria-disabled=true])').count()).toBe(0)
  })

  test('without downloads offers none', async () => {
    const { code } = await createLink({ kind: 'view', downloads: 'none' })
    await page.goto(`/viewer/${code}`)
    await picture('lake-1').click()
    await page.getByRole('dialog', { name: 'lake-1' }).waitFor()
    expect(await page.getByText('Download').count()).toBe(0)
  })
})

describe('a link that hides places and camera', () => {
  let code: string

  beforeAll(async () => {
    code = (await createLink({ kind: 'vote', showPlaces: false, showCamera: false, showMap: true })).code
  })

  test('shows nothing of them', async () => {
    await page.goto(`/share/${code}`)
    await picture('lake-1').click()
    const viewer = page.getByRole('dialog', { name: 'lake-1' })
    await viewer.getByText('Dimensions').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    expect(await page.content()).not.toMatch(/Duluth|GPS|Metadata|Show map|DJI|46\.84/)
  })

  test('gives one photo without them, and as WebP', async () => {
    const viewer = page.getByRole('dialog', { name: 'lake-1' })
    const original = await download(() => viewer.getByRole('link', { name: 'Download', exact: true }).click())
    expect(await sharp(original).metadata()).toMatchObject({ format: 'jpeg' })
    expect(original.includes('DJI')).toBe(false)
    const web = await download(() => viewer.getByRole('link', { name: 'Download Web size' }).click())
    expect(await sharp(web).metadata()).toMatchObject({ format: 'webp' })
    await page.keyboard.press('Escape')
  })

  test('gives all photos that can be cleaned as one archive, or all in web size', async () => {
    await button('Download all').click()
    const dialog = page.getByRole('dialog', { name: 'Download all photos' })
    await dialog.getByText('The files come without places and camera data.').waitFor()
    await dialog.getByText(/^1 photo left out/).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    const originals = readZip(await download(() => button('Download', dialog).click()))
    expect([...originals.keys()].sort()).toEqual(['lake-1.jpg', 'lake-2.jpg', 'lake-3.jpg'])
    for (const file of originals.values()) expect(file.includes('DJI')).toBe(false)
    await expect.poll(() => hasFocus(button('Download all'))).toBe(true)

    await button('Download all').click()
    await dialog.getByRole('radio', { name: /Web size/ }).check()
    const previews = readZip(await download(() => button('Download', dialog).click()))
    expect([...previews.keys()].sort()).toEqual(['lake-1.webp', 'lake-2.webp', 'lake-3.webp', 'raw.webp'])
  })
})
