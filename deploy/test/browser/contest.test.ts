import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../../local/paths.ts'
import { findAxeViolations } from './axe.ts'
import { type Folder, readJson, sharePhotos, uploadLakePhotos } from './gallery-photos.ts'
import { type OwnerFixture, PHONE, startOwnerFixture } from './owner-fixture.ts'

// A club votes by invitation, its podium is revealed in a room, and its result is published and recounted.

interface Contest {
  voters: string
  order: string
  closesAt: string | null
  phase: string
}

interface Voter {
  name: string
  page: Page
}

const NAMES = Array.from({ length: 40 }, (_, index) => `Member ${index + 1}`)
/** Tall enough for all photos: cards out of view are not rendered. */
const TALL = { width: 1280, height: 3600 }
const TALL_PHONE = { ...PHONE, viewport: { width: 390, height: 3600 } }
const PODIUM = ['lake-1', 'lake-2', 'lake-3']
const WORDS = 'The harbor won. Thank you all!'

let fixture: OwnerFixture
let page: Page
let folder: Folder
const voters: Voter[] = []
/** Of the invitations. */
const secrets: string[] = []

beforeAll(async () => {
  fixture = await startOwnerFixture()
  page = fixture.page
  await uploadLakePhotos(fixture.api, 6)
  folder = await sharePhotos(fixture.api, 'Picture of the year')
})

afterAll(() => fixture?.close(secrets))

const button = (name: string | RegExp, on = page) => on.getByRole('button', { name, exact: true })
const toast = (text: string, on = page) => on.locator('[data-toasts]').getByText(text, { exact: true })
const readContest = () => readJson<Contest>(fixture.api.get(`/api/folders/${folder.id}/contest`))
const podium = (on: Page) => on.getByRole('list', { name: 'Podium' }).getByRole('listitem')

/** The titles in the order in which a voter sees the photos, who has not voted. */
const orderOf = (on: Page) =>
  button(/^Rank /, on).evaluateAll((buttons) => buttons.map(({ ariaLabel }) => ariaLabel?.replace('Rank ', '')))

async function vote(on: Page, first: string, second: string, third: string): Promise<void> {
  for (const [title, label] of [
    [first, /1st place/],
    [second, /2nd place/],
    [third, /3rd place/],
  ] as const) {
    const [response] = await Promise.all([
      on.waitForResponse('**/rank'),
      button(`Rank ${title}`, on)
        .click()
        .then(() => on.getByRole('menuitem', { name: label }).click()),
    ])
    expect(response.status()).toBe(200)
  }
}

test('the owner sets who votes, in which order they see the photos, and until when', async () => {
  await page.goto(`/folders/${folder.id}?tab=rankings`)
  await button('Contest settings').click()
  await page.getByLabel(/^Closes/).fill('2099-06-01T12:00')
  await page.getByRole('radio', { name: /^With an invitation/ }).check()
  await page.getByRole('radio', { name: /^Shuffled/ }).check()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await button('Save').click()
  await toast('Contest updated').waitFor()
  expect(await readContest()).toMatchObject({ voters: 'invited', order: 'shuffled', phase: 'open' })
})

test('the owner pastes a list of names, each of which gets an invitation', async () => {
  await page.getByLabel(/^Paste names/).fill(NAMES.join('\n'))
  await page.getByText('40 names', { exact: true }).waitFor()
  await button('Make invitations').click()
  await page.getByText('0 of 40 have voted').waitFor()
  await button('Show all 40 invitations').click()
  expect(await page.getByRole('list', { name: 'Invitations' }).getByRole('listitem').count()).toBe(40)
})

test('each voter is known by name, and sees the photos in an order that stays', async () => {
  const path = `/api/folders/${folder.id}/invitations`
  const invitations = await readJson<{ name: string; url: string }[]>(fixture.api.get(path))
  secrets.push(...invitations.map(({ url }) => url.split('=')[1] as string))
  const orders = new Set<string>()
  for (const [index, { name, url }] of invitations.slice(0, 3).entries()) {
    const visitor = await fixture.openIsolatedPage('visitor', index === 2 ? TALL_PHONE : { viewport: TALL })
    await visitor.goto(url)
    await visitor.getByText(`Voting as ${name}`).waitFor()
    expect(visitor.url()).not.toContain('invitation')
    await expect.poll(async () => (await orderOf(visitor)).length).toBe(6)
    const order = await orderOf(visitor)
    expect.soft(await findAxeViolations(visitor)).toEqual([])
    await visitor.reload()
    await expect.poll(() => orderOf(visitor)).toEqual(order)
    orders.add(order.join())
    voters.push({ name, page: visitor })
  }
  expect(orders.size).toBeGreaterThan(1)
})

test('a stranger with the plain link cannot vote', async () => {
  const stranger = await fixture.openIsolatedPage('visitor', { viewport: TALL })
  await stranger.goto(`/share/${folder.shareCode}`)
  await stranger.getByText('You need an invitation link to vote here.').waitFor()
  expect(await stranger.locator('[data-rank]:not([aria-disabled=true])').count()).toBe(0)
  await stranger.context().close()
})

test('votes are on the wall as they come, and the owner sees how many have voted', async () => {
  const wall = await fixture.openTab()
  await wall.goto(`/folders/${folder.id}/present`)
  await wall.getByText('No votes yet').waitFor()
  const [ann, ben, cleo] = voters
  if (!ann || !ben || !cleo) throw new Error('A voter is missing')
  await vote(ann.page, 'lake-1', 'lake-2', 'lake-3')
  await podium(wall).getByText('lake-1').waitFor()
  await vote(ben.page, 'lake-1', 'lake-2', 'lake-3')
  await vote(cleo.page, 'lake-2', 'lake-1', 'lake-3')
  await wall.getByText('3 ballots').waitFor()
  for (const title of PODIUM) await podium(wall).getByText(title).waitFor()
  expect.soft(await findAxeViolations(wall)).toEqual([])
  await page.getByText('3 of 40 have voted').waitFor()

  await wall.keyboard.press('r')
  await expect
    .poll(() =>
      podium(wall)
        .getByText(/^lake-/)
        .count(),
    )
    .toBe(0)
  for (const [index, title] of PODIUM.toReversed().entries()) {
    await wall.keyboard.press('Space')
    await podium(wall).getByText(title).waitFor()
    expect(
      await podium(wall)
        .getByText(/^lake-/)
        .count(),
    ).toBe(index + 1)
  }
  await wall.close()
})

test('voting closes at its time, and a late vote is refused', async () => {
  const late = voters[0]?.page
  if (!late) throw new Error('The voter is missing')
  // The page learns nothing of the end: its vote is on its way then.
  await late.route(`**/api/share/${folder.shareCode}?*`, () => {})
  const closesAt = new Date(Date.now() + 1_000).toISOString()
  await readJson(fixture.api.put(`/api/folders/${folder.id}/contest`, { data: { closesAt } }))
  await expect.poll(async () => (await readContest()).phase, { timeout: 10_000 }).toBe('closed')
  await button('Rank lake-4', late).click()
  await late.getByRole('menuitem', { name: /1st place/ }).click()
  await late.locator('[data-toasts]').getByText('Voting is closed').waitFor()
  await late.unrouteAll({ behavior: 'ignoreErrors' })
  await late.reload()
  await late.getByText('Voting is closed.').waitFor()
})

test('the owner publishes the results, which everybody reads', async () => {
  const visitor = await fixture.openIsolatedPage('visitor')
  await visitor.goto(`/share/${folder.shareCode}/results`)
  await visitor.getByText('The results are not published yet').waitFor()
  await page.getByLabel(/^In your words/).fill(WORDS)
  await button('Save text').click()
  await toast('Text saved').waitFor()
  await page.getByRole('switch', { name: 'Publish results' }).click()
  await toast('Results published').waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])

  await visitor.reload()
  await visitor.getByText(WORDS).waitFor()
  expect(await podium(visitor).allTextContents()).toEqual([
    expect.stringMatching(/1st place: lake-1/),
    expect.stringMatching(/2nd place: lake-2/),
    expect.stringMatching(/3rd place: lake-3/),
  ])
  expect(await visitor.locator('dt', { hasText: 'Ballots' }).locator('+ dd').innerText()).toBe('3')
  expect(await visitor.getByRole('region', { name: 'Log' }).getByRole('row').count()).toBeGreaterThan(1)
  expect.soft(await findAxeViolations(visitor)).toEqual([])
  await visitor.context().close()
})

test('the downloaded ballots are recounted to the same podium', async () => {
  const [started] = await Promise.all([page.waitForEvent('download'), button('Download ballots for a recount').click()])
  const command = ['services/folders/src/commands/recount.ts', await started.path()]
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root })
  expect(stdout.match(/lake-\d/g)?.slice(0, 3)).toEqual(PODIUM)
})
