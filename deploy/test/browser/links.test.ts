import { readFile } from 'node:fs/promises'
import { type APIRequestContext, type Page, request } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { type Folder, fillGallery, readJson, sharePhotos } from './gallery-photos.ts'
import { hasFocus, type OwnerFixture, PHONE, startOwnerFixture } from './owner-fixture.ts'

// An owner gives a client a link with a password and a club another one to vote, and takes one back.

interface FolderLink {
  id: number
  code: string
  name: string
  kind: string
  hasPassword: boolean
  expiresAt: string | null
}

const LINK_PASSWORD = 'two-weeks-at-the-lake'

let fixture: OwnerFixture
let page: Page
let folder: Folder
let visitor: APIRequestContext

beforeAll(async () => {
  fixture = await startOwnerFixture()
  page = fixture.page
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await fillGallery(fixture.api)
  folder = await sharePhotos(fixture.api, 'Above the water')
  visitor = await request.newContext({ baseURL: fixture.url, extraHTTPHeaders: { origin: fixture.url } })
  await page.goto(`/folders/${folder.id}`)
})

afterAll(async () => {
  await visitor?.dispose()
  await fixture?.close([LINK_PASSWORD])
})

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const radio = (name: RegExp) => page.getByRole('radio', { name })
const checkbox = (name: RegExp) => page.getByRole('checkbox', { name })
const toast = (text: string) => page.locator('[data-toasts]').getByText(text, { exact: true })
/** The rows of a link in the table. */
const rows = (name: string, on = page) => on.getByRole('rowgroup').filter({ has: on.getByText(name, { exact: true }) })
const readLinks = () => readJson<FolderLink[]>(fixture.api.get(`/api/folders/${folder.id}/links`))
const copyButton = (what: string) => button(`Copy link: ${what}`)

async function codeOf(name: string): Promise<string> {
  return (await readLinks()).find((link) => link.name === name)?.code ?? ''
}

test('the main link can be copied before the others are there', async () => {
  const { promise: copied, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/links', (route) => copied.then(() => route.continue()))
  await button('Share').click()
  await expect.poll(() => hasFocus(copyButton('voting link'))).toBe(true)
  await page.keyboard.press('Enter')
  await toast('Link copied').waitFor()
  answer()
  await rows('Main link').getByText('Original downloads').waitFor()
  await page.unroute('**/links')
  expect(await hasFocus(copyButton('voting link'))).toBe(true)
})

describe('a link for a client', () => {
  test('is added with a password, an expiry, web-size downloads and without places', async () => {
    await button('Add a link').click()
    await button('Add link').click()
    await page.getByText('Name is required').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await page.getByLabel('Name').fill('Ann & Ben')
    await radio(/^View only Visitors/).check()
    expect(await page.getByLabel(/^Voting until/).count()).toBe(0)
    await page.getByLabel(/^Expires/).fill('2099-06-01T12:00')
    await page.getByLabel(/^Password/).fill(LINK_PASSWORD)
    await button('Show password').click()
    expect(await page.getByLabel(/^Password/).getAttribute('type')).toBe('text')
    await checkbox(/^Places/).uncheck()
    expect(await checkbox(/^Map/).isDisabled()).toBe(true)
    await page.getByText('Original files come without places. Only JPEG and PNG').waitFor()
    await radio(/^Web size/).check()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await button('Add link').click()
    await toast('Link added').waitFor()
    for (const text of [
      'Password',
      /^Expires Jun 1, 2099, 12:00\sPM$/,
      'Places hidden',
      'Camera data',
      'Web-size downloads',
      'Not yet',
    ])
      await rows('Ann & Ben').getByText(text, { exact: true }).waitFor()
    await expect.poll(() => hasFocus(copyButton('view-only link “Ann & Ben”'))).toBe(true)
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('opens with the password only, and shows no place', async () => {
    const code = await codeOf('Ann & Ben')
    const read = () => visitor.get(`/api/folders/share/${code}`)
    expect([(await read()).status(), await (await read()).text()]).toEqual([
      403,
      expect.stringContaining('password_required'),
    ])
    expect((await visitor.post(`/api/share/${code}/unlock`, { data: { password: LINK_PASSWORD } })).status()).toBe(204)
    expect(await readJson(read())).toMatchObject({ name: 'Above the water', showPlaces: false, downloads: 'web' })
  })

  test('shows chats nothing but the name of the application, unlike the main link', async () => {
    await rows('Ann & Ben').getByRole('button', { name: 'Preview' }).click()
    const card = page.getByRole('dialog').getByRole('figure')
    await card.getByText('Skyfolio', { exact: true }).waitFor()
    expect([await card.getByText('Above the water').count(), await card.getByRole('img').count()]).toEqual([0, 0])
    await button('Back').click()
    await rows('Main link').getByRole('button', { name: 'Preview' }).click()
    await card.getByText('Above the water').waitFor()
    await expect
      .poll(() => card.getByRole('img').evaluate((image) => (image as HTMLImageElement).naturalWidth))
      .toBe(1200)
    expect.soft(await findAxeViolations(page)).toEqual([])
    await button('Back').click()
    await expect.poll(() => hasFocus(rows('Main link').getByRole('button', { name: 'Preview' }))).toBe(true)
  })
})

describe('a link for a club', () => {
  test('is added to vote, copied, and counts who opens it', async () => {
    await button('Add a link').click()
    await page.getByLabel('Name').fill('Camera club')
    await page.keyboard.press('Enter')
    await expect.poll(() => hasFocus(copyButton('voting link “Camera club”'))).toBe(true)
    await page.keyboard.press('Enter')
    await toast('Link copied').waitFor()
    const address = `${fixture.url}/share/${await codeOf('Camera club')}`
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address)
    const guest = await fixture.openIsolatedPage('visitor')
    await guest.goto(address)
    await guest.getByRole('region', { name: 'Your Rankings' }).waitFor()
    await guest.context().close()
    await expect
      .poll(async () => (await readLinks()).at(-1))
      .toMatchObject({ name: 'Camera club', openedToday: 1, opened: 1 })
    await button('Close').click()
    await button('Share').click()
    await rows('Camera club').getByText('1 today').waitFor()
  })

  test('has a QR code on the screen and for print, which is its address', async () => {
    const address = `${fixture.url}/share/${await codeOf('Camera club')}`
    await button('QR code of the voting link “Camera club”').click()
    await page.getByRole('img', { name: `QR code of ${address}` }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    const picture = await download('PNG for print')
    expect(picture.name).toBe('Above the water, Camera club.png')
    expect(await readQrCode(picture.file)).toEqual({ address, isLarge: true })
    expect(await readQrCode((await download('SVG')).file)).toMatchObject({ address })
    await button('Back').click()
  })

  test('is changed without losing what was typed', async () => {
    const edit = rows('Camera club').getByRole('button', { name: 'Edit' })
    await edit.click()
    await page.getByLabel('Name').fill('Photo club')
    await page.getByLabel(/^Voting until/).fill('2099-06-01T12:00')
    await page.route('**/links/*', (route) => route.abort())
    await button('Save').click()
    await page.getByRole('alert').getByText('The server could not be reached.').waitFor()
    await page.unroute('**/links/*')
    await page.keyboard.press('Escape')
    await button('Keep editing').click()
    await button('Retry').click()
    await toast('Link updated').waitFor()
    await rows('Photo club')
      .getByText(/^Voting ends .*20\d\d/)
      .waitFor()
  })
})

test('a password is kept, or removed for good', async () => {
  const edit = () => rows('Ann & Ben').getByRole('button', { name: 'Edit' }).click()
  const hasPassword = async () => (await readLinks()).find(({ name }) => name === 'Ann & Ben')?.hasPassword
  await edit()
  await page.getByLabel(/^Expires/).press('Delete')
  await button('Save').click()
  await page.getByText('Enter both date and time').waitFor()
  await button('Clear expiry').click()
  await button('Save').click()
  await toast('Link updated').waitFor()
  expect(await hasPassword()).toBe(true)
  await edit()
  await checkbox(/^Remove the password/).check()
  await button('Save').click()
  await rows('Ann & Ben').getByText('Open', { exact: true }).waitFor()
  expect(await hasPassword()).toBe(false)
})

test('the main link is changed like the others, but keeps its kind and cannot be withdrawn', async () => {
  await rows('Main link').getByRole('button', { name: 'Edit' }).click()
  expect(await radio(/^Voting/).count()).toBe(0)
  await checkbox(/^Map/).check()
  await button('Save').click()
  await rows('Main link').getByText('Places and map').waitFor()
  expect(await readJson(fixture.api.get(`/api/folders/${folder.id}`))).toMatchObject({ showMap: true })
  expect(
    await rows('Main link')
      .getByRole('button', { name: /^Withdraw/ })
      .count(),
  ).toBe(0)
})

test('the links fit on a phone', async () => {
  const phone = await fixture.openIsolatedPage('owner', PHONE)
  await phone.goto(`/folders/${folder.id}`)
  await phone.getByRole('button', { name: 'Share' }).tap()
  await rows('Photo club', phone).getByText('Voting link').waitFor()
  expect.soft(await findAxeViolations(phone)).toEqual([])
  await phone.getByRole('button', { name: 'Add a link' }).tap()
  await phone.getByLabel('Name').waitFor()
  expect.soft(await findAxeViolations(phone)).toEqual([])
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await phone.context().close()
})

test('a link is withdrawn, and the others go on', async () => {
  const [client, club] = [await codeOf('Ann & Ben'), await codeOf('Photo club')]
  await rows('Ann & Ben').getByRole('button', { name: 'Withdraw' }).click()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await button('Withdraw link').click()
  await toast('Link withdrawn').waitFor()
  await rows('Ann & Ben').waitFor({ state: 'detached' })
  const statusOf = async (code: string) => (await visitor.get(`/api/share/${code}`)).status()
  await expect.poll(() => statusOf(client)).toBe(404)
  expect([await statusOf(club), await statusOf(folder.shareCode)]).toEqual([200, 200])
})

async function download(name: string): Promise<{ name: string; file: Buffer }> {
  const [started] = await Promise.all([page.waitForEvent('download'), button(name).click()])
  return { name: started.suggestedFilename(), file: await readFile(await started.path()) }
}

/** What a phone reads, and whether the picture is large enough for print. */
async function readQrCode(file: Buffer): Promise<{ address: string; isLarge: boolean }> {
  const { data, info } = await sharp(file, { density: 600 }).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { address: decodeQR({ ...info, data }), isLarge: info.width >= 1024 && info.width === info.height }
}
