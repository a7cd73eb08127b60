import { readFile } from 'node:fs/promises'
import { type APIRequestContext, type Page, request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { type Folder, fillGallery, listPhotos, moveToFolder, readJson } from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'
import { readZip } from './zip-file.ts'

// An owner creates a folder, shares it, watches the votes and controls the voting.
let fixture: OwnerFixture
let page: Page
let folder: Folder
const photos: Record<string, number> = {}

beforeAll(async () => {
  fixture = await startOwnerFixture()
  page = fixture.page
  await fillGallery(fixture.api)
  for (const { id, title } of await listPhotos(fixture.api)) photos[title] = id
})

afterAll(() => fixture?.close())

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const toast = (text: string | RegExp) => page.locator('[data-toasts]').getByText(text, { exact: true })
const item = (name: string | RegExp) => page.getByRole('menuitem', { name })
const dialog = () => page.getByRole('dialog')
const alert = () => page.getByRole('alertdialog')
const publicSwitch = (checked: boolean) => page.getByRole('switch', { name: 'Public', checked })
/** The number of photos in the list. */
const shown = (count: string) => page.getByRole('search').getByText(count, { exact: true })
const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim())
const readFolders = () => readJson<Folder[]>(fixture.api.get('/api/folders'))

describe('a folder', () => {
  test('is created with a valid name, and is not shared while it is private', async () => {
    await page.goto('/folders')
    await button('New folder').click()
    await button('Create folder').click()
    await dialog().getByText('Folder name is required').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await page.getByLabel('Name').fill('Above the water')
    await page.getByLabel(/^Description/).fill('Which three should go on the wall?')
    await button('Create folder').click()
    await toast('Folder created').waitFor()
    await page.getByRole('link', { name: 'Above the water' }).click()
    await page.getByRole('heading', { name: 'This folder is empty' }).waitFor()
    expect(await button('Share').count()).toBe(0)
    expect.soft(await findAxeViolations(page)).toEqual([])
    ;[folder] = (await readFolders()) as [Folder]
  })

  test('becomes public after a dialog that explains the effect, and private again with Undo', async () => {
    const ids = ['lake-1', 'lake-2', 'lake-3', 'city-1'].map((title) => photos[title] ?? 0)
    await moveToFolder(fixture.api, ids, folder)
    await shown('4 photos').waitFor()
    await publicSwitch(false).click()
    await alert()
      .getByText(/Anyone who has the link will see .* All 4 photos in it become public\./)
      .waitFor()
    await page.route('**/toggle-public', (route) => route.abort())
    await alert().getByRole('button', { name: 'Make public' }).click()
    await toast('Failed to update folder').waitFor()
    await page.unroute('**/toggle-public')
    await alert().getByRole('button', { name: 'Retry' }).click()
    await toast('Folder updated').waitFor()
    await publicSwitch(true).click()
    await alert().getByRole('button', { name: 'Make private' }).click()
    await toast('Above the water is private.').waitFor()
    await page.locator('[data-toasts]').getByRole('button', { name: 'Undo' }).click()
    await toast('Above the water is public.').waitFor()
  })

  test('has a voting link and a view-only link, and a new link invalidates both', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await button('Share').click()
    const link = (name: string) => page.getByRole('textbox', { name })
    const links = { voting: link('Voting link'), viewing: link('View-only link') }
    const old = [await links.voting.inputValue(), await links.viewing.inputValue()]
    expect(old.map((link) => new URL(link).pathname)).toEqual([
      `/share/${folder.shareCode}`,
      `/browse/${folder.shareCode}`,
    ])
    await expect.poll(focused).toBe('Copy link')
    await page.keyboard.press('Enter')
    await toast('Link copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(old[0])
    await button('New link').click()
    await alert()
      .getByText(/addresses of the main link stop working at once/)
      .waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await button('Make new links').click()
    await toast('New links made').waitFor()
    expect((await fixture.api.get(`/api/share/${folder.shareCode}`)).status()).toBe(404)
    await expect.poll(() => links.voting.inputValue()).not.toBe(old[0])
    folder.shareCode = (await links.voting.inputValue()).split('/').at(-1) ?? ''
    await expect.poll(async () => (await fixture.api.get(`/api/share/${folder.shareCode}`)).status()).toBe(200)
    await button('Close').click()
    await expect.poll(focused).toBe('Share')
  })
})

describe('the photos of a folder', () => {
  test('include the cover of the folder and of the preview of its link', async () => {
    const preview = async () =>
      /property="og:image" content="([^"]+)"/.exec(
        await (await fixture.api.get(`/share/${folder.shareCode}`)).text(),
      )?.[1]
    const covers = async () => (await readFolders()).find(({ id }) => id === folder.id)?.covers ?? []
    const newest = await covers()
    const before = await preview()
    await button('Actions for lake-1').click()
    await item('Use as cover').click()
    await toast('Cover changed').waitFor()
    expect(await covers()).toEqual(newest.slice(3))
    await expect.poll(preview).not.toBe(before)
  })

  test('are downloaded as an archive in web size', async () => {
    await button('Actions for Above the water').click()
    await item('Download').click()
    await dialog()
      .getByRole('radio', { name: /^Web size/ })
      .check()
    expect.soft(await findAxeViolations(page)).toEqual([])
    const [started] = await Promise.all([page.waitForEvent('download'), button('Download').click()])
    expect(started.suggestedFilename()).toBe('Above the water (web size).zip')
    const previews = readZip(await readFile(await started.path()))
    expect([...previews.keys()]).toEqual(['lake-1.webp', 'lake-2.webp', 'lake-3.webp', 'city-1.webp'])
    for (const preview of previews.values()) expect(preview.toString('latin1', 8, 12)).toBe('WEBP')
  })
})

describe('the standings', () => {
  /** Creates a request context with its own cookies. */
  const newBrowser = () => request.newContext({ baseURL: fixture.url, extraHTTPHeaders: { origin: fixture.url } })

  /** Loads the page and votes as another person, with new cookies or those of `browser`. */
  async function vote(fingerprint: string, title: string, rank: string, browser?: APIRequestContext): Promise<void> {
    const voter = browser ?? (await newBrowser())
    const { id: folderId, shareCode } = folder
    await readJson(voter.get(`/api/share/${shareCode}`))
    const data = { fingerprint, rank, folderId, shareCode }
    await readJson(voter.post(`/api/photos/${photos[title]}/rank`, { data }))
    if (!browser) await voter.dispose()
  }

  /** The titles and points of the photos in the standings that have points, best first. */
  const standing = () =>
    page
      .getByRole('table', { name: 'Standings of all photos' })
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows
          .map((row) => `${row.querySelector('th .wrap-anywhere')?.textContent} ${row.lastChild?.textContent}`)
          .filter((text) => !text.endsWith(' 0')),
      )
  const ballotOf = (title: string) =>
    page
      .getByRole('list', { name: 'Ballots, the newest change first' })
      .locator('> li')
      .filter({ has: page.getByText(title, { exact: true }) })

  test('update with votes by themselves', async () => {
    await page.getByRole('tab', { name: 'Rankings' }).click()
    await page.getByRole('heading', { name: 'No votes yet' }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await vote('visitor-one', 'lake-1', 'first')
    await vote('visitor-one', 'lake-2', 'second')
    await vote('visitor-two', 'lake-2', 'first')
    await expect.poll(standing).toEqual(['lake-2 5', 'lake-1 3'])
    await page.getByRole('list', { name: 'Podium' }).getByText('lake-2').waitFor()
    await ballotOf('lake-1').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('change when a ballot is excluded, and back with Undo', async () => {
    await vote('visitor-three', 'city-1', 'first')
    await ballotOf('city-1')
      .getByRole('button', { name: /^Exclude Voter [0-9A-F]{6}$/ })
      .click()
    await toast('Ballot excluded').waitFor()
    await expect.poll(standing).toEqual(['lake-2 5', 'lake-1 3'])
    await ballotOf('city-1').getByText('Excluded', { exact: true }).waitFor()
    // In the head of the folder, beside the standings and above the ballots.
    await page.getByText('4 photos · 2 voters, 1 excluded').waitFor()
    await page.getByRole('link', { name: '2 voters, 1 excluded' }).waitFor()
    await page.getByRole('heading', { name: 'Voters 2, 1 excluded' }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await button('Undo').click()
    await toast('Ballot restored').waitFor()
    await expect.poll(standing).toEqual(['lake-2 5', 'lake-1 3', 'city-1 3'])
    await page.getByRole('heading', { name: 'Voters 3', exact: true }).waitFor()
    await page.getByRole('heading', { name: 'What you did' }).waitFor()
  })

  test('mark ballots that one browser cast under several names, explain it, and exclude them together', async () => {
    const browser = await newBrowser()
    await vote('visitor-four', 'lake-3', 'first', browser)
    await vote('visitor-five', 'lake-3', 'first', browser)
    await browser.dispose()
    await page.getByLabel('Flagged only').check()
    await button('Several ballots from one browser').first().focus()
    await page.getByRole('tooltip').filter({ hasText: 'The same browser holds other ballots' }).waitFor()
    await expect.poll(() => ballotOf('lake-3').count()).toBe(2)
    expect(await ballotOf('city-1').count()).toBe(0)
    const all = ['lake-3 6', 'lake-2 5', 'lake-1 3', 'city-1 3']
    await expect.poll(standing).toEqual(all)
    await button('Exclude all flagged').click()
    await alert()
      .getByText(/^\d+ flagged ballots will add nothing/)
      .waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await alert().getByRole('button', { name: 'Exclude all flagged' }).click()
    await toast(/^\d+ ballots excluded$/).waitFor()
    await expect.poll(standing).not.toEqual(all)
    await page.getByRole('tooltip').waitFor({ state: 'hidden' })
    await button('Restore all excluded').click()
    await expect.poll(standing).toEqual(all)
  })

  test('are exported for spreadsheets', async () => {
    const [download] = await Promise.all([page.waitForEvent('download'), button('Export CSV').click()])
    expect(download.suggestedFilename()).toBe('Above the water rankings.csv')
    const lines = (await readFile(await download.path(), 'utf8')).split('\r\n')
    expect(lines[1]).toBe(`1,${photos['lake-3']},"lake-3",2,0,0,6,2`)
  })

  test('do not change while voting is closed, which the owner confirms', async () => {
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
    await page.getByRole('switch', { name: 'Voting is open' }).click()
    await alert().getByText('Close the voting?').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await button('Cancel').click()
    await page.getByRole('switch', { name: 'Voting is open' }).click()
    await button('Close voting').click()
    await toast('Voting closed').waitFor()
    await page.getByRole('status').getByText('Closed', { exact: true }).waitFor()
    expect(await page.getByText('Live', { exact: true }).count()).toBe(0)
    await expect(vote('visitor-six', 'city-1', 'first')).rejects.toThrow('Voting is closed')
    await page.getByRole('switch', { name: 'Voting is closed' }).click()
    await toast('Voting opened').waitFor()
    await vote('visitor-six', 'city-1', 'first')
    await expect.poll(standing).toEqual(['lake-3 6', 'city-1 6', 'lake-2 5', 'lake-1 3'])
  })

  test('are empty after a reset that names the number of votes, and a failed reset can be retried', async () => {
    await button('Reset votes').click()
    await alert()
      .getByText(/The ballots of 6 voters are deleted, with the 7 votes that count now\./)
      .waitFor()
    await page.route('**/votes', (route) => route.abort())
    await alert().getByRole('button', { name: 'Reset votes' }).click()
    await toast('Failed to reset the votes').waitFor()
    await page.unroute('**/votes')
    expect.soft(await findAxeViolations(page)).toEqual([])
    await alert().getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('heading', { name: 'No votes yet' }).waitFor()
  })
})

test('keeps the photos of a folder that is deleted', async () => {
  await button('Actions for Above the water').click()
  await item('Delete').click()
  await alert()
    .getByText(/Its photos stay in your gallery/)
    .waitFor()
  await alert().getByRole('button', { name: 'Delete folder' }).click()
  await toast('Folder deleted').waitFor()
  expect(new URL(page.url()).pathname).toBe('/folders')
  expect(await listPhotos(fixture.api)).toHaveLength(10)
})
