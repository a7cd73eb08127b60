import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { register, toast } from './account-fixture.ts'
import { lakePhoto } from './gallery-photos.ts'
import { type BrowserFixture, PASSWORD, startBrowserFixture } from './owner-fixture.ts'

// From the registration to the standings: the owner and a visitor, each in their own browser.
let fixture: BrowserFixture
let owner: Page
let stranger: Page
let votingLink: string

beforeAll(async () => {
  fixture = await startBrowserFixture()
  owner = await fixture.openPage({ permissions: ['clipboard-read', 'clipboard-write'] })
  stranger = await fixture.openPage()
})

afterAll(() => fixture?.close())

test('asks a guest to sign in, registers and opens the application', async () => {
  await owner.goto('/')
  await owner.waitForURL('**/auth')
  await register(owner, 'pilot', PASSWORD)
  await owner.getByRole('heading', { name: 'Drone Photo Manager' }).waitFor()
  expect(await owner.getByRole('link', { name: 'Photos' }).getAttribute('aria-current')).toBe('page')
})

test('creates a folder and uploads three photos into it at once', async () => {
  await owner.goto('/folders')
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
  const files = [1, 2, 3].map(async (number) => {
    return { name: `flight-${number}.jpg`, mimeType: 'image/jpeg', buffer: await lakePhoto(number) }
  })
  await dialog.getByLabel('Photos', { exact: true }).setInputFiles(await Promise.all(files))
  await dialog.getByRole('combobox', { name: 'Folder' }).selectOption({ label: 'Brighton Beach, June flight' })
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
  await owner.getByRole('progressbar').first().waitFor()
  await toast(owner, '3 photos have been uploaded and processed.').waitFor({ timeout: 60_000 })
})

test('shows pictures, places, coordinates and dates in the gallery, and the pictures in the folder', async () => {
  await owner.getByRole('tab', { name: /Photos/ }).click()
  await expect.poll(() => owner.getByRole('gridcell', { name: 'Duluth, Minnesota' }).count()).toBe(3)
  for (const text of [/46\.842\d{3}, -91\.99\d{4}/, /June 23, 2016|Jun 23, 2016/])
    await owner.getByText(text).first().waitFor()
  await pictureIsShown(owner)
  await owner.getByRole('tab', { name: /Folders/ }).click()
  await owner.getByRole('link', { name: /Brighton Beach, June flight/ }).click()
  await owner.getByText('Duluth, Minnesota').nth(2).waitFor()
  await pictureIsShown(owner)
})

async function pictureIsShown(page: Page): Promise<void> {
  await page.waitForFunction(() => [...document.images].some((image) => image.naturalWidth > 100))
}

/** Turns the switch of the folder and confirms it. */
async function makeFolder(visibility: 'public' | 'private'): Promise<void> {
  await owner.getByRole('switch', { name: 'Public' }).click()
  await owner
    .getByRole('alertdialog')
    .getByRole('button', { name: `Make ${visibility}` })
    .click()
  await toast(owner, 'Folder updated').waitFor()
}

test('makes the folder public, and copies the voting link', async () => {
  await makeFolder('public')
  await owner.getByRole('button', { name: 'Share' }).click()
  await owner.getByRole('button', { name: /copy/i }).first().click()
  await toast(owner, 'Link copied').waitFor()
  votingLink = await owner.evaluate(() => navigator.clipboard.readText())
  expect(votingLink).toMatch(new RegExp(`^${fixture.url}/share/[\\w-]{12,}$`))
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
}

const rankings = () => stranger.getByRole('region', { name: 'Your Rankings' }).getByRole('listitem').allTextContents()

test('takes the votes of a visitor, changes one and removes one, and keeps them over a reload', async () => {
  await stranger.goto(votingLink)
  await stranger.getByText('Shared Folder').waitFor()
  await rank('flight-1', '1st')
  await rank('flight-2', '2nd')
  await rank('flight-3', '3rd')
  await rank('flight-3', 'Remove vote')
  await rank('flight-3', '1st')
  await rank('flight-2', 'Remove vote')
  await stranger.reload()
  await card('flight-3')
    .getByRole('button', { name: /1st place/ })
    .waitFor()
  await expect.poll(rankings).toEqual([expect.stringContaining('flight-3'), expect.any(String), expect.any(String)])
  expect((await rankings()).slice(1).join()).not.toContain('flight')
})

test('shows the owner the standings as they change', async () => {
  await owner.getByRole('tab', { name: 'Rankings' }).click()
  const row = (title: string) => owner.getByRole('row').filter({ hasText: title })
  await row('flight-3').filter({ hasText: /3$/ }).waitFor()
  await rank('flight-2', '2nd')
  await row('flight-2').filter({ hasText: /2$/ }).waitFor({ timeout: 5000 })
})

test('hides a private folder from the visitor: its pictures within a second, and the open page by itself', async () => {
  const open = await stranger.context().newPage()
  await open.goto(votingLink)
  await open.getByText('Shared Folder').waitFor()
  const pictures = await open.evaluate(() => [...document.images].map((image) => image.src))
  const urls = pictures.filter((src) => src.includes('/api/uploads/'))
  expect(urls.length).toBeGreaterThan(0)
  await makeFolder('private')
  const privateSince = Date.now()
  const statuses = () => Promise.all(urls.map(async (url) => (await stranger.context().request.get(url)).status()))
  await expect.poll(statuses, { timeout: 1000 }).toEqual(urls.map(() => 404))
  await open.getByText('Folder Not Found').waitFor({ timeout: 15_000 - (Date.now() - privateSince) })
  await stranger.reload()
  await stranger.getByText("The shared folder you're looking for doesn't exist or may have been removed.").waitFor()
})
