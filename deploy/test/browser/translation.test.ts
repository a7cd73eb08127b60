import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dronePhotoAt, type Folder, fillGallery, findPhoto, lakePhoto, sharePhotos } from './gallery-photos.ts'
import { type OwnerFixture, PASSWORD, startOwnerFixture } from './owner-fixture.ts'

// Every page is translated while it is used, as Chrome does it. What changes afterwards must change on the screen, too, and nothing may throw.
let fixture: OwnerFixture
let page: Page
let visitor: Page
let folder: Folder

beforeAll(async () => {
  fixture = await startOwnerFixture()
  await fillGallery(fixture.api)
  folder = await sharePhotos(fixture.api, 'Above the water', ['lake-1', 'lake-2', 'lake-3', 'city-1', 'city-2'])
  page = fixture.page
  visitor = await fixture.openIsolatedPage('visitor')
  for (const one of [page, visitor]) await one.addInitScript(startTranslation)
})

afterAll(() => fixture?.close())

// Translations differ from the texts in case only, and locators by a text in neither.
const button = (name: string, on = page) => on.getByRole('button', { name })
const toast = (text: string, on = page) => on.locator('[data-toasts]').getByText(text)
const dialog = () => page.getByRole('dialog')
const cell = (title: string) => page.getByRole('gridcell', { name: title })
const jpeg = async (name: string, steps: number) => ({
  name,
  mimeType: 'image/jpeg',
  buffer: await lakePhoto(steps),
})

/** The translated texts of an element; those that nobody has translated are not in capitals. */
const shows = (text: string, on = page) => on.getByText(text.toUpperCase(), { exact: true }).first().waitFor()

test('the sign-in names a wrong password each time, and takes the right one', async () => {
  await visitor.goto('/auth')
  await visitor.getByLabel('Username').fill('pilot')
  const password = visitor.getByRole('textbox', { name: 'Password' })
  for (const typed of ['wrong', 'wrong again']) {
    await password.fill(typed)
    await button('Login', visitor).click()
    await shows('Invalid username or password', visitor)
  }
  await password.fill(PASSWORD)
  await button('Login', visitor).click()
  await shows('Drone Photo Manager', visitor)
  await visitor.context().clearCookies()
})

test('a search and a selection count their photos', async () => {
  await page.goto('/')
  for (const [text, count] of [
    ['lake', '3 photos'],
    ['city', '6 photos'],
    ['lake-', '3 photos'],
  ] as const) {
    await page.getByRole('searchbox').fill(text)
    await page.getByRole('search').getByText(count).waitFor()
  }
  await button('Select').click()
  const bar = page.getByRole('region', { name: 'Selected photos' })
  for (const [title, count] of [
    ['lake-1', '1 photo selected'],
    ['lake-2', '2 photos selected'],
    ['lake-1', '1 photo selected'],
  ] as const) {
    await cell(title).click()
    await bar.getByText(count).waitFor()
  }
  await page.keyboard.press('Escape')
})

test("the owner's dialog says which photo it shows, and its form what is wrong", async () => {
  const { id } = await findPhoto(fixture.api, 'lake-2')
  await page.goto(`/?photo=${id}&q=lake&sort=oldest`)
  await dialog().getByText('2 of 3').waitFor()
  await page.keyboard.press('ArrowRight')
  await dialog().getByText('3 of 3').waitFor()
  await button('Edit details').click()
  const latitude = page.getByRole('textbox', { name: 'Latitude' })
  for (const wrong of ['north', '95', 'north']) {
    await latitude.fill(wrong)
    await button('Save').click()
    await dialog().getByText('must be a number from -90 to 90').waitFor()
  }
  await latitude.fill('46.75')
  await button('Save').click()
  await toast('Photo updated').waitFor()
  await dialog().getByText('46.750000').first().waitFor()
})

test('the upload counts the photos that are chosen and sent', async () => {
  await page.goto('/upload')
  const choose = (...files: object[]) =>
    dialog()
      .getByLabel('Photos', { exact: true })
      .setInputFiles(files as never)
  await choose(await jpeg('a.jpg', 7), await jpeg('b.jpg', 8))
  await dialog().getByText('2 photos ·').waitFor()
  await button('Remove b.jpg').click()
  await dialog().getByText('1 photo ·').waitFor()
  await choose(await jpeg('c.jpg', 9))
  await dialog().getByText('2 photos ·').waitFor()
  await dialog()
    .getByRole('button', { name: /^upload$/i })
    .click()
  await toast('2 photos have been uploaded and processed.').waitFor({ timeout: 60_000 })
  await shows('12 photos · 1 folder')
})

test('the metadata screen shows what it has read', async () => {
  await page.goto('/metadata')
  const place = { latitude: 51.500729, longitude: -0.124625, takenAt: '2024:05:04 15:04:05' }
  const files = { name: 'tower.jpg', mimeType: 'image/jpeg', buffer: await dronePhotoAt(place, 0) }
  await page.getByLabel('Photo', { exact: true }).setInputFiles(files)
  await button('Extract Metadata').click()
  await page.getByRole('article').getByText('51.500729').waitFor()
})

const rank = async (title: string, name: string) => {
  await button(`Rank ${title}`, visitor).click()
  await visitor.getByRole('menuitem', { name }).click()
  await button(`${name}: change your vote for ${title}`, visitor).getByText(name).waitFor()
}

test('the card and the viewer of each photo have its own rank', async () => {
  await visitor.goto(`/share/${folder.shareCode}`)
  await shows('5 photos', visitor)
  const ranks: Record<string, string> = { 'lake-3': '1st place', 'city-2': '2nd place' }
  for (const [title, name] of Object.entries(ranks)) await rank(title, name)
  const titles = await visitor.getByRole('listitem').getByRole('heading').allTextContents()
  await visitor
    .getByRole('listitem')
    .getByRole('button', { name: new RegExp(`^${titles[0]}`, 'i') })
    .last() // The first is in the panel of the ranks.
    .click()
  const viewer = visitor.getByRole('dialog')
  for (const [index, title] of titles.entries()) {
    await viewer.getByText(`${index + 1} of 5`).waitFor()
    await viewer.getByRole('heading', { name: title }).waitFor()
    const name = new RegExp(`^(rank|.*change your vote for) ${title}$`, 'i')
    await viewer
      .getByRole('button', { name })
      .getByText(ranks[title.toLowerCase()] ?? 'Rank')
      .waitFor()
    await visitor.keyboard.press('ArrowRight')
  }
  await visitor.keyboard.press('Escape')
})

test('the standings have the votes that arrive, and the folder its new name', async () => {
  await page.goto(`/folders/${folder.id}?tab=rankings`)
  const points = page.getByRole('row', { name: 'lake-1' }).getByRole('cell').last()
  await rank('lake-1', '3rd place')
  await expect.poll(() => points.textContent()).toBe('1')
  await button('3rd place: change your vote for lake-1', visitor).click()
  await visitor.getByRole('menuitem', { name: 'Swap with lake-3' }).click()
  await expect.poll(() => points.textContent()).toBe('3')
  await button('Actions for Above the water').click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await page.getByLabel('Name').fill('On the wall')
  await button('Save').click()
  await toast('Folder updated').waitFor()
  await page.getByRole('heading', { name: 'On the wall' }).waitFor()
})

test('the print wizard shows the price of each quantity', async () => {
  const { id } = await findPhoto(fixture.api, 'lake-1')
  await page.goto(`/?photo=${id}`)
  await dialog()
    .getByRole('button', { name: /^print$/i })
    .click()
  await button('Validate & Upload').click()
  await page.getByRole('heading', { name: 'Choose the print size' }).waitFor()
  await dialog().getByRole('radio', { name: /4x6/i }).check()
  for (const quantity of ['2', '3', '1']) {
    await dialog()
      .getByLabel(/^quantity\s*$/i)
      .fill(quantity)
    await dialog().getByText(`${quantity} x $`).first().waitFor()
  }
})

/**
 * Runs in the page: does what Chrome's translation does, which replaces each text by an element with its translation, also those that appear
 * later. React's own text nodes are no longer in the page then. The translation of a text is the text in capitals.
 */
function startTranslation(): void {
  const isTranslated = (text: Text) =>
    text.parentElement?.namespaceURI === 'http://www.w3.org/1999/xhtml' &&
    !text.parentElement.closest('script, style, textarea, font, [translate=no]') &&
    text.data.trim() !== ''

  function replace(text: Text): void {
    if (!isTranslated(text)) return
    const outer = document.createElement('font')
    outer.appendChild(document.createElement('font')).textContent = text.data.toUpperCase()
    text.replaceWith(outer)
  }

  function translate(node: Node): void {
    if (node instanceof Text) replace(node)
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT)
    const texts: Text[] = []
    while (walker.nextNode()) texts.push(walker.currentNode as Text)
    texts.forEach(replace)
  }

  document.addEventListener('DOMContentLoaded', () => {
    translate(document.body)
    const observer = new MutationObserver((changes) => {
      for (const { type, target, addedNodes } of changes)
        for (const node of type === 'characterData' ? [target] : addedNodes) if (node.isConnected) translate(node)
    })
    observer.observe(document.body, { childList: true, subtree: true, characterData: true })
  })
}
