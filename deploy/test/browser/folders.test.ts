import { readFile } from 'node:fs/promises'
import { type APIRequestContext, type Locator, type Page, request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { fillGallery, listPhotos, readJson, waitUntilReady } from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'
import { readZip } from './zip-file.ts'

// An owner creates a folder, shares it, watches the votes and controls the voting. The tests are steps of one end-to-end user journey.
let fixture: OwnerFixture
let page: Page
let folder: { id: number; shareCode: string }
const photos: Record<string, number> = {}

beforeAll(async () => {
  fixture = await startOwnerFixture()
  page = fixture.page
  await fillGallery(fixture.api)
  await waitUntilReady(fixture.api)
  for (const { id, title } of await listPhotos(fixture.api)) photos[title] = id
})

afterAll(() => fixture?.close())

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const toast = (text: string | RegExp) => page.locator('[data-toasts]').getByText(text, { exact: true })
const dialog = () => page.getByRole('dialog')
const alert = () => page.getByRole('alertdialog')
/** The number of photos in the list. */
const shown = (count: string) => page.getByRole('search').getByText(count, { exact: true })
const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim())
const figuresOf = (text: Locator) => text.evaluate((element) => getComputedStyle(element).fontVariantNumeric)

/** Creates a request context with its own cookies. */
const newBrowser = () => request.newContext({ extraHTTPHeaders: { origin: new URL(page.url()).origin } })

/** Loads the page and votes as another person, with new cookies or those of `browser`. */
async function vote(fingerprint: string, title: string, rank: string, browser?: APIRequestContext): Promise<void> {
  const voter = browser ?? (await newBrowser())
  const url = new URL(`/api/photos/${photos[title]}/rank`, page.url()).href
  // Since the link was renewed a vote needs the current one.
  const { shareCode } = await readJson<{ shareCode: string }>(fixture.api.get(`/api/folders/${folder.id}`))
  await readJson(voter.get(new URL(`/api/share/${shareCode}`, page.url()).href))
  await readJson(voter.post(url, { data: { fingerprint, rank, folderId: folder.id, shareCode } }))
  if (!browser) await voter.dispose()
}

/** The titles and points of the photos in the standings that have points, best first. */
const standing = () =>
  page
    .getByRole('table', { name: 'Standings of all photos' })
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows
        .map((row) => [
          row.querySelector('th')?.querySelector('.wrap-anywhere')?.textContent,
          row.lastChild?.textContent,
        ])
        .filter(([, points]) => points !== '0')
        .map((cells) => cells.join(' ')),
    )
const ballots = () => page.getByRole('list', { name: 'Ballots, the newest change first' }).getByRole('listitem')
const ballotOf = (title: string) =>
  page
    .getByRole('list', { name: 'Ballots, the newest change first' })
    .locator('> li')
    .filter({ has: page.getByText(title, { exact: true }) })

describe('a folder', () => {
  test('is created with a valid name; errors are shown at the field', async () => {
    await page.goto('/folders')
    await button('New folder').click()
    await button('Create folder').click()
    await dialog().getByText('Folder name is required').waitFor()
    await page.getByLabel('Name').fill('🛸'.repeat(121))
    await dialog().getByText('Folder name must be at most 120 characters').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await page.getByLabel('Name').fill('Above the water')
    await page.getByLabel(/^Description/).fill('Which three should go on the wall?')
    await button('Create folder').click()
    await toast('Folder created').waitFor()
  })

  test('is not shared while it is private', async () => {
    await button('Actions for Above the water').click()
    await page.getByRole('menuitem', { name: 'Share' }).click()
    await toast('Folder is private').waitFor()
    await toast('Make the folder public first to share it.').waitFor()
    await page.getByRole('link', { name: 'Above the water' }).click()
    await page.getByRole('heading', { name: 'This folder is empty' }).waitFor()
    await button('Upload Photos').waitFor()
    expect(await button('Share').count()).toBe(0)
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('becomes public after a dialog that explains the effect', async () => {
    const folders = await readJson<{ id: number; shareCode: string }[]>(fixture.api.get('/api/folders'))
    folder = folders[0] as typeof folder
    const ids = ['lake-1', 'lake-2', 'lake-3', 'city-1'].map((title) => photos[title])
    await readJson(fixture.api.post('/api/photos/bulk', { data: { ids, action: 'move', folderId: folder.id } }))
    await shown('4 photos').waitFor()
    await page.getByRole('switch', { name: 'Public' }).click()
    await alert()
      .getByText(/Anyone who has the link will see .* All 4 photos in it become public\./)
      .waitFor()
    await page.route('**/toggle-public', (route) => route.abort())
    await alert().getByRole('button', { name: 'Make public' }).click()
    await toast('Failed to update folder').waitFor()
    await page.unroute('**/toggle-public')
    await alert().getByRole('button', { name: 'Retry' }).click()
    await toast('Folder updated').waitFor()
    await button('Share').waitFor()
    await page.getByRole('switch', { name: 'Public', checked: true }).waitFor()
  })

  test('becomes private with Undo, unless a photo of it was private by itself', async () => {
    const publicSwitch = page.getByRole('switch', { name: 'Public' })
    const undo = page.locator('[data-toasts]').getByRole('button', { name: 'Undo' })
    const makePrivate = async () => {
      await publicSwitch.click()
      await alert().getByRole('button', { name: 'Make private' }).click()
      await toast('Above the water is private.').waitFor()
    }
    await makePrivate()
    await undo.click()
    await toast('Above the water is public.').waitFor()
    await readJson(fixture.api.patch(`/api/photos/${photos['city-1']}/privacy`, { data: { isPublic: false } }))
    await makePrivate()
    expect(await undo.count()).toBe(0)
    await readJson(fixture.api.patch(`/api/folders/${folder.id}/toggle-public`, { data: { isPublic: true } }))
    await page.getByRole('switch', { name: 'Public', checked: true }).waitFor()
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
    const shown = async () =>
      (await readJson<{ folder: { showMap: boolean } }>(fixture.api.get(`/api/share/${folder.shareCode}`))).folder
    expect((await shown()).showMap).toBe(false)
    await page.getByRole('switch', { name: 'Show a map to visitors', checked: false }).click()
    await toast('Visitors see a map').waitFor()
    expect((await shown()).showMap).toBe(true)
    await button('New link').click()
    await dialog()
      .getByText(/Both links above stop working at once/)
      .waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await button('Make new links').click()
    await toast('New links made').waitFor()
    await expect.poll(() => links.voting.inputValue()).not.toBe(old[0])
    const gone = await fixture.api.get(`/api/share/${folder.shareCode}`)
    expect(gone.status()).toBe(404)
    folder.shareCode = (await links.voting.inputValue()).split('/').at(-1) ?? ''
    await expect.poll(async () => (await fixture.api.get(`/api/share/${folder.shareCode}`)).status()).toBe(200)
    await expect.poll(focused).toBe('New link')
    await button('Close').click()
    await expect.poll(focused).toBe('Share')
  })
})

describe('the photos of a folder', () => {
  const menuOf = (title: string) => button(`Actions for ${title}`)
  const item = (name: string | RegExp) => page.getByRole('menuitem', { name })
  const folderNow = () => readJson<{ covers: string[] }>(fixture.api.get(`/api/folders/${folder.id}`))

  test('are uploaded into it; the form can make another folder', async () => {
    await button('Upload Photos').click()
    const select = dialog().getByRole('combobox', { name: 'Folder' })
    await expect.poll(() => select.inputValue()).toBe(String(folder.id))
    await select.selectOption({ label: 'New folder…' })
    const name = dialog().getByRole('textbox', { name: 'New folder' })
    await expect.poll(() => name.evaluate((field) => field === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await dialog().getByText('Folder name is required').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => select.inputValue()).toBe(String(folder.id))
    await select.selectOption({ label: 'New folder…' })
    await name.fill('Harbour')
    await page.keyboard.press('Enter')
    await toast('Folder created').waitFor()
    await expect.poll(() => select.locator('option:checked').textContent()).toBe('Harbour')
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
  })

  test('are searched, and the search is in the URL', async () => {
    await page.getByRole('searchbox', { name: 'Search photos' }).fill('lake-2')
    await shown('1 photo').waitFor()
    await expect.poll(() => page.getByRole('article').count()).toBe(1)
    expect(new URL(page.url()).searchParams.get('q')).toBe('lake-2')
    expect.soft(await findAxeViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Clear search' }).click()
    await page.getByRole('article').nth(3).waitFor()
  })

  test('one of them becomes the cover of the folder and of the preview of its link, and another in the form', async () => {
    const newest = (await folderNow()).covers
    expect(newest).toHaveLength(4)
    await menuOf('lake-1').click()
    await item('Use as cover').click()
    await toast('Cover changed').waitFor()
    expect((await folderNow()).covers).toEqual(newest.slice(3))
    await menuOf('lake-1').click()
    await item(/^Folder cover/).waitFor()
    await page.keyboard.press('Escape')
    const preview = async () => /property="og:image" content="([^"]+)"/.exec(await sharedPage())?.[1]
    const sharedPage = async () => (await fixture.api.get(`/share/${folder.shareCode}`)).text()
    const chosen = await preview()
    expect(chosen).toBeDefined()

    await button('Actions for Above the water').click()
    await item('Edit').click()
    await dialog().getByRole('radio', { name: 'Newest photos' }).waitFor()
    expect(
      await dialog()
        .getByRole('radio', { name: /lake-1/ })
        .isChecked(),
    ).toBe(true)
    expect.soft(await findAxeViolations(page)).toEqual([])
    await dialog()
      .getByRole('radio', { name: /lake-2/ })
      .check()
    await button('Save').click()
    await toast('Folder updated').waitFor()
    expect((await folderNow()).covers).toEqual(newest.slice(2, 3))
    await expect.poll(preview).not.toBe(chosen)
  })

  test('are downloaded as an archive, whose originals are those that were uploaded', async () => {
    await button('Actions for Above the water').click()
    await item('Download').click()
    await dialog()
      .getByText(/^4 photos · [\d.]+ [KM]B$/)
      .waitFor()
    await dialog()
      .getByText(/^4 photos · about .* · WebP/)
      .waitFor()
    await expect.poll(() => page.evaluate(() => (document.activeElement as HTMLInputElement).type)).toBe('radio')
    expect.soft(await findAxeViolations(page)).toEqual([])
    const archive = async (name: string) => {
      const [started] = await Promise.all([page.waitForEvent('download'), button('Download').click()])
      expect(started.suggestedFilename()).toBe(name)
      await toast('Download started').waitFor()
      await dialog().waitFor({ state: 'detached' })
      return readZip(await readFile(await started.path()))
    }
    const originals = await archive('Above the water.zip')
    expect([...originals.keys()]).toEqual(['lake-1.jpg', 'lake-2.jpg', 'lake-3.jpg', 'city-1.jpg'])
    for (const photo of await listPhotos(fixture.api)) {
      const { url } = photo as { url?: string }
      const file = originals.get(`${photo.title}.jpg`)
      if (file && url) expect(file.equals(await (await fixture.api.get(url)).body()), photo.title).toBe(true)
    }

    await button('Actions for Above the water').click()
    await item('Download').click()
    await dialog()
      .getByRole('radio', { name: /^Web size/ })
      .check()
    const previews = await archive('Above the water (web size).zip')
    expect([...previews.keys()]).toEqual(['lake-1.webp', 'lake-2.webp', 'lake-3.webp', 'city-1.webp'])
    for (const preview of previews.values()) expect(preview.toString('latin1', 8, 12)).toBe('WEBP')
  })

  test('selected ones are moved into a folder that is made in the dialog', async () => {
    await button('Select').click()
    await page.getByRole('gridcell').filter({ hasText: 'city-1' }).click()
    await page.getByText('1 photo selected').first().waitFor()
    await button('Move to folder').click()
    await dialog().getByRole('button', { name: 'New folder' }).click()
    await dialog().getByRole('textbox', { name: 'New folder' }).fill('City')
    expect.soft(await findAxeViolations(page)).toEqual([])
    await dialog().getByRole('button', { name: 'Create folder' }).click()
    await toast('Moved to City').waitFor()
    await shown('3 photos').waitFor()
    const folders = await readJson<{ name: string; photoCount: number }[]>(fixture.api.get('/api/folders'))
    const made = folders.find(({ name }) => name === 'City')
    await expect
      .poll(async () => {
        const now = await readJson<{ name: string; photoCount: number }[]>(fixture.api.get('/api/folders'))
        return now.find(({ name }) => name === 'City')?.photoCount
      })
      .toBe(1)
    expect(made).toBeDefined()
    const ids = [photos['city-1']]
    await readJson(fixture.api.post('/api/photos/bulk', { data: { ids, action: 'move', folderId: folder.id } }))
    await shown('4 photos').waitFor()
  })
})

describe('the standings', () => {
  test('shows that nobody has voted, and updates with votes by itself', async () => {
    await page.getByRole('tab', { name: 'Rankings' }).click()
    await page.getByRole('heading', { name: 'No votes yet' }).waitFor()
    await page.getByText(/Ties: more firsts, then more seconds, then the earlier upload/).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await vote('visitor-one', 'lake-1', 'first')
    await vote('visitor-one', 'lake-2', 'second')
    await vote('visitor-two', 'lake-2', 'first')
    await expect.poll(standing).toEqual(['lake-2 5', 'lake-1 3'])
    const podium = page.getByRole('list', { name: 'Podium' })
    await podium.getByText('lake-2').waitFor()
    const table = page.getByRole('table', { name: 'Standings of all photos' })
    expect(await figuresOf(table.getByRole('cell', { name: '5', exact: true }))).toBe('tabular-nums')
    expect(await figuresOf(table.getByRole('rowheader', { name: 'lake-2' }))).toBe('normal')
    await expect.poll(() => ballots().count()).toBeGreaterThan(0)
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('changes when a ballot is excluded, and back with Undo or Restore', async () => {
    await vote('visitor-three', 'city-1', 'first')
    const ballot = ballotOf('city-1')
    await ballot.getByRole('button', { name: /^Exclude Voter [0-9A-F]{6}$/ }).click()
    await toast('Ballot excluded').waitFor()
    await expect.poll(standing).toEqual(['lake-2 5', 'lake-1 3'])
    await button('Undo').click()
    await toast('Ballot restored').waitFor()
    await expect.poll(standing).toEqual(['lake-2 5', 'lake-1 3', 'city-1 3'])
    await ballot.getByRole('button', { name: /^Exclude/ }).click()
    await ballot.getByText('Excluded', { exact: true }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await ballot.getByRole('button', { name: /^Restore/ }).click()
    await expect.poll(standing).toEqual(['lake-2 5', 'lake-1 3', 'city-1 3'])
    await page.getByRole('heading', { name: 'What you did' }).waitFor()
    await expect.poll(() => page.getByText(/^(Excluded|Restored) Voter [0-9A-F]{6}$/).count()).toBe(4)
  })

  test('marks ballots that one browser cast under several names, and explains it', async () => {
    const browser = await newBrowser()
    await vote('visitor-four', 'lake-3', 'first', browser)
    await vote('visitor-five', 'lake-3', 'first', browser)
    await page.getByLabel('Flagged only').check()
    const flag = button('Several ballots from one browser').first()
    await flag.focus()
    await page.getByRole('tooltip').filter({ hasText: 'The same browser holds other ballots' }).waitFor()
    await expect.poll(() => ballotOf('lake-3').count()).toBe(2)
    // Its votes came with two tokens; the ballot with one vote has no flag.
    await ballotOf('lake-1').getByText('Changed browser').waitFor()
    expect(await ballotOf('city-1').count()).toBe(0)
    expect.soft(await findAxeViolations(page)).toEqual([])
    const before = await standing()
    await button('Exclude all flagged').click()
    const question = page.getByRole('alertdialog', { name: 'Exclude all flagged ballots?' })
    await question.getByText(/^\d+ flagged ballots will add nothing/).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await question.getByRole('button', { name: 'Exclude all flagged' }).click()
    await toast(/^\d+ ballots excluded$/).waitFor()
    await expect.poll(standing).not.toEqual(before)
    await button('Restore all excluded').click()
    await expect.poll(standing).toEqual(before)
    await page.getByLabel('Flagged only').uncheck()
    await browser.dispose()
  })

  test('is exported for spreadsheets', async () => {
    const [download] = await Promise.all([page.waitForEvent('download'), button('Export CSV').click()])
    expect(download.suggestedFilename()).toBe('Above the water rankings.csv')
    const lines = (await readFile(await download.path(), 'utf8')).split('\r\n')
    expect(lines[0]).toBe('\uFEFF"Place","Photo","Title","Firsts","Seconds","Thirds","Points","Voters"')
    expect(lines[1]).toBe(`1,${photos['lake-3']},"lake-3",2,0,0,6,2`)
    expect(lines[2]).toBe(`2,${photos['lake-2']},"lake-2",1,1,0,5,2`)
  })

  test('does not change while voting is closed', async () => {
    await page.getByRole('switch', { name: 'Voting is open' }).click()
    await toast('Voting closed').waitFor()
    await page.getByText(/Nobody can vote, change a vote or remove one/).waitFor()
    await expect(vote('visitor-six', 'city-1', 'first')).rejects.toThrow('Voting is closed')
    await page.getByRole('switch', { name: 'Voting is closed' }).click()
    await toast('Voting opened').waitFor()
    await vote('visitor-six', 'city-1', 'first')
    await expect.poll(standing).toEqual(['lake-3 6', 'city-1 6', 'lake-2 5', 'lake-1 3'])
  })

  test('is empty after a reset that names the number of votes, and a failed reset can be retried', async () => {
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
    await toast('Votes reset').waitFor()
    await page.getByRole('heading', { name: 'No votes yet' }).waitFor()
    await page.getByText('Reset all votes', { exact: true }).waitFor()
  })

  test('shows why it cannot be read, and retries on demand', async () => {
    await page.route('**/rankings', (route) => route.fulfill({ status: 503, json: { code: 'x', message: 'Busy.' } }))
    await page.reload()
    await page.getByRole('heading', { name: 'Rankings could not be loaded' }).waitFor()
    await page.getByText('Busy.').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await page.unroute('**/rankings')
    await button('Try again').click()
    await page.getByRole('heading', { name: 'No votes yet' }).waitFor()
  })
})

describe('deletion', () => {
  test('of a folder keeps its photos', async () => {
    await button('Actions for Above the water').click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await alert()
      .getByText(/Its photos stay in your gallery/)
      .waitFor()
    await alert().getByRole('button', { name: 'Delete folder' }).click()
    await toast('Folder deleted').waitFor()
    expect(new URL(page.url()).pathname).toBe('/folders')
    expect(await listPhotos(fixture.api)).toHaveLength(10)
    await page.goto(`/folders/${folder.id}`)
    await page.getByRole('heading', { name: 'Folder not found' }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
  })
})

test('no page threw an error or violated its content security policy', () => {
  expect(fixture.pageErrors).toEqual([])
})
