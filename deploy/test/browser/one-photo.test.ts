import { gzipSync } from 'node:zlib'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { threeDronePhotos } from './drone-photos.ts'
import { recordPageEvents } from './failure-report.ts'
import { collectSecrets, openBrowser, type TestSystem, useSharedSystem } from './test-system.ts'

// One photo, end to end: the owner and a visitor, each in their own browser. The tests are steps of one end-to-end user journey.
let system: TestSystem
let browser: Browser
let owner: Page
let strangers: BrowserContext
let stranger: Page
let votingLink: string
const seen: string[] = []

beforeAll(async () => {
  system = await useSharedSystem()
  browser = await openBrowser()
  const owners = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  strangers = await browser.newContext()
  for (const context of [owners, strangers]) recordPageEvents(context)
  owner = await owners.newPage()
  stranger = await strangers.newPage()
  for (const page of [owner, stranger]) {
    page.setDefaultTimeout(20_000)
    watchForProblems(page)
  }
})

afterAll(async () => {
  const secrets = await collectSecrets(browser)
  await browser?.close()
  await system?.stop(secrets)
})

/** Records uncaught errors and violations of the content security policy. */
function watchForProblems(page: Page): void {
  page.on('pageerror', (error) => seen.push(error.message))
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) seen.push(message.text())
  })
}

const toast = (page: Page, text: string) => page.locator('[data-toasts]').getByText(text)
const photoTitles = ['flight-1', 'flight-2', 'flight-3']

test('a guest who opens the home screen is asked to sign in', async () => {
  await owner.goto(system.url)
  await owner.waitForURL('**/auth')
})

test('registration signs in and shows the application', async () => {
  await owner.getByRole('tab', { name: 'Register' }).click()
  await owner.getByLabel('Username').fill('pilot')
  await owner.getByLabel('First name').fill('Paula')
  await owner.getByLabel('Last name').fill('Tern')
  await owner.getByLabel('Password', { exact: true }).fill('over-the-lake')
  await owner.getByLabel('Confirm password').fill('over-the-lake')
  await owner.getByRole('checkbox', { name: /terms/i }).click()
  await owner.getByRole('button', { name: 'Register' }).click()
  await toast(owner, 'Registration successful').waitFor()
  await toast(owner, 'Welcome, pilot!').waitFor()
  await owner.getByRole('heading', { name: 'Drone Photo Manager' }).waitFor()
  expect(await owner.getByRole('link', { name: 'Photos' }).getAttribute('aria-current')).toBe('page')
  await owner.getByRole('button', { name: 'Account of pilot' }).getByText('PT').waitFor()
})

test('an unknown address shows the 404 page', async () => {
  await owner.goto(`${system.url}/nowhere`)
  await owner.getByText('404 Page Not Found').waitFor()
})

test('/upload is the home screen with the upload dialog open', async () => {
  await owner.goto(`${system.url}/upload`)
  await owner.getByRole('dialog', { name: 'Upload photos' }).waitFor()
  await owner.keyboard.press('Escape')
  await owner.getByRole('heading', { name: 'Drone Photo Manager' }).waitFor()
})

test('a folder is created and three photographs are uploaded into it at once', async () => {
  await owner.goto(`${system.url}/folders`)
  await owner.getByRole('button', { name: 'New folder' }).first().click()
  await owner.getByLabel('Name').fill('Brighton Beach, June flight')
  await owner.getByLabel('Description').fill('The best of the morning over Lake Superior.')
  await owner
    .getByRole('dialog')
    .getByRole('button', { name: /create/i })
    .click()
  await toast(owner, 'Folder created').waitFor()

  await owner.getByRole('button', { name: 'Upload Photos' }).first().click()
  const dialog = owner.getByRole('dialog')
  await dialog.getByLabel('Photos', { exact: true }).setInputFiles(await threeDronePhotos())
  await dialog.getByRole('combobox', { name: 'Folder' }).selectOption({ label: 'Brighton Beach, June flight' })
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
  await owner.getByRole('progressbar').first().waitFor()
  await toast(owner, '3 photos have been uploaded and processed.').waitFor({ timeout: 60_000 })
})

test('the gallery and the folder show image, place, coordinates and date', async () => {
  await owner.getByRole('tab', { name: /Photos/ }).click()
  for (const title of photoTitles) await owner.getByText(title, { exact: true }).waitFor()
  await expect
    .poll(() => owner.getByRole('gridcell', { name: 'Duluth, Minnesota' }).count(), { timeout: 10_000 })
    .toBe(3)
  await owner
    .getByText(/46\.842\d{3}, -91\.99\d{4}/)
    .first()
    .waitFor()
  await owner
    .getByText(/June 23, 2016|Jun 23, 2016/)
    .first()
    .waitFor()
  await pictureIsShown(owner)

  await owner.getByRole('tab', { name: /Folders/ }).click()
  await owner.getByRole('link', { name: /Brighton Beach, June flight/ }).click()
  await owner.getByRole('heading', { name: 'Brighton Beach, June flight' }).waitFor()
  await owner.getByText('Duluth, Minnesota').nth(2).waitFor()
  await pictureIsShown(owner)
})

async function pictureIsShown(page: Page): Promise<void> {
  await page.waitForFunction(() => [...document.images].some((image) => image.naturalWidth > 100))
}

test('the owner makes the folder public and copies the voting link', async () => {
  expect(await owner.getByRole('button', { name: 'Share' }).count()).toBe(0)
  await owner.getByRole('switch', { name: 'Public', checked: false }).click()
  await owner
    .getByRole('alertdialog')
    .or(owner.getByRole('dialog'))
    .getByRole('button', { name: /make public/i })
    .click()
  await toast(owner, 'Folder updated').waitFor()
  await owner.getByRole('button', { name: 'Share' }).click()
  await owner.getByRole('button', { name: /copy/i }).first().click()
  await toast(owner, 'Link copied').waitFor()
  votingLink = await owner.evaluate(() => navigator.clipboard.readText())
  expect(votingLink).toMatch(new RegExp(`^${system.url}/share/[\\w-]{12,}$`))
  await owner.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
})

const card = (title: string) =>
  stranger.getByRole('listitem').filter({ has: stranger.getByRole('heading', { name: title }) })

/** Chooses an entry of the photo's menu and waits until the server has confirmed it. */
async function rank(title: string, choice: string): Promise<void> {
  await card(title)
    .getByRole('button', { name: /^Rank |change your vote/ })
    .click()
  const [answer] = await Promise.all([
    stranger.waitForResponse((response) => response.url().endsWith('/rank')),
    stranger.getByRole('menu').getByText(choice).click(),
  ])
  expect(answer.status()).toBe(200)
  const said = choice === 'Remove vote' ? 'Vote removed' : 'Your ranking has been saved. Thank you for participating!'
  await toast(stranger, said).waitFor()
}

const rankingOf = async (place: 'First' | 'Second' | 'Third') =>
  stranger.getByRole('region', { name: 'Your Rankings' }).getByRole('listitem').filter({ hasText: place }).textContent()

test('a visitor ranks three photos, replaces a rank and removes a vote', async () => {
  await stranger.goto(votingLink)
  await stranger.getByText('Shared Folder').waitFor()
  await rank('flight-1', '1st')
  await rank('flight-2', '2nd')
  await rank('flight-3', '3rd')
  expect(await rankingOf('First')).toContain('flight-1')
  expect(await rankingOf('Second')).toContain('flight-2')
  expect(await rankingOf('Third')).toContain('flight-3')

  await rank('flight-3', 'Remove vote')
  await rank('flight-3', '1st')
  expect(await rankingOf('First')).toContain('flight-3')
  expect(await rankingOf('Third')).not.toContain('flight')
  await rank('flight-2', 'Remove vote')
  expect(await rankingOf('Second')).not.toContain('flight')
})

test('the voting page loads less than 125 KB of JavaScript before its pictures, and less than 150 KB in all', async () => {
  const html = await (await fetch(votingLink)).text()
  const isInPage = (url: string) => html.includes(`"${new URL(url).pathname}"`)
  const { scripts, shown } = await stranger.evaluate(() => {
    const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
    const cards = [...document.querySelectorAll<HTMLImageElement>('li[data-index] img')]
    const inWindow = cards.filter((image) => image.getBoundingClientRect().top < innerHeight)
    const sources = inWindow.map(({ currentSrc }) => currentSrc)
    return {
      scripts: entries.filter(({ name }) => name.endsWith('.js')).map(({ name, startTime }) => ({ name, startTime })),
      shown: Math.max(...entries.filter(({ name }) => sources.includes(name)).map(({ responseEnd }) => responseEnd)),
    }
  })
  const later = scripts.filter(({ name }) => !isInPage(name))
  expect(later.every(({ startTime }) => startTime > shown)).toBe(true)
  const kilobytes = async (some: { name: string }[]) =>
    (await Promise.all(some.map(({ name }) => gzipSize(name)))).reduce((sum, size) => sum + size, 0) / 1024
  const first = await kilobytes(scripts.filter(({ name }) => isInPage(name)))
  const all = first + (await kilobytes(later))
  console.log(
    `JavaScript of the voting page: ${first.toFixed(1)} KB before its pictures, ${all.toFixed(1)} KB in all (gzip)`,
  )
  expect(first).toBeGreaterThan(0)
  expect(first).toBeLessThan(125)
  expect(all).toBeLessThan(150)
})

async function gzipSize(url: string): Promise<number> {
  const response = await fetch(url)
  return gzipSync(Buffer.from(await response.arrayBuffer())).length
}

test("the visitor's ranking is still there after a reload", async () => {
  await stranger.reload()
  await card('flight-3')
    .getByRole('button', { name: /1st place/ })
    .waitFor()
  expect(await rankingOf('First')).toContain('flight-3')
  expect(await rankingOf('Second')).not.toContain('flight')
})

test('the owner sees the standings change without reloading', async () => {
  await owner.getByRole('tab', { name: 'Rankings' }).click()
  const row = (title: string) => owner.getByRole('row').filter({ hasText: title })
  await row('flight-3').filter({ hasText: /3$/ }).waitFor()
  await rank('flight-2', '2nd')
  await row('flight-2').filter({ hasText: /2$/ }).waitFor({ timeout: 5000 })
})

test('a private folder disappears for the visitor: page, images, and the open page by itself', async () => {
  const open = await strangers.newPage()
  await open.goto(votingLink)
  await open.getByText('Shared Folder').waitFor()
  const pictures = await open.evaluate(() => [...document.images].map((image) => image.src))
  const bytes = pictures.filter((src) => src.includes('/api/uploads/'))
  expect(bytes.length).toBeGreaterThan(0)

  await owner.getByRole('switch', { name: 'Public', checked: true }).click()
  await owner
    .getByRole('alertdialog')
    .or(owner.getByRole('dialog'))
    .getByRole('button', { name: /make private/i })
    .click()
  await toast(owner, 'Folder updated').waitFor()
  const privateSince = Date.now()

  await expect.poll(() => statuses(bytes), { timeout: 1000 }).toEqual(bytes.map(() => 404))
  await stranger.reload()
  await stranger.getByText('Folder Not Found').waitFor()
  await stranger.getByText("The shared folder you're looking for doesn't exist or may have been removed.").waitFor()
  await open.getByText('Folder Not Found').waitFor({ timeout: 15_000 - (Date.now() - privateSince) })
})

const statuses = (urls: string[]) => Promise.all(urls.map(async (url) => (await strangers.request.get(url)).status()))

test('no page threw an error or violated its content security policy', () => {
  expect(seen).toEqual([])
})
