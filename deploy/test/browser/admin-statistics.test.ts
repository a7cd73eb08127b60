import { waitFor } from '@skyfolio/testkit'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { dronePhotoAt, listPhotos, readJson, uploadPhoto, waitUntilReady } from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'

// An administrator reads the figures of the installation and what administrators did. The tests are steps of one
// end-to-end user journey.
const PLACE = { latitude: 46.842607, longitude: -91.99456, takenAt: '2016:06:23 16:31:59' }
const PASSWORD = 'over-the-lake'
/** The page reads its figures again after this time. */
const REFRESH_MS = 30_000

let fixture: OwnerFixture
let page: Page
let privatePhoto: { id: number; filename: string }

beforeAll(async () => {
  fixture = await startOwnerFixture({})
  const { api } = fixture
  for (const number of [1, 2]) await uploadPhoto(api, `lake-${number}.jpg`, await dronePhotoAt(PLACE, number))
  await waitUntilReady(api)
  page = await fixture.openIsolatedPage('visitor')
  // Its time goes on by itself, and a test can skip some.
  await page.clock.install()
  const account = { username: 'warden', email: 'warden@example.test', password: PASSWORD, confirmPassword: PASSWORD }
  await readJson(page.request.post('/api/register', { data: account, headers: { origin: fixture.url } }))
  await fixture.sql('auth', "UPDATE users SET is_admin = true WHERE username = 'warden'")
  await readJson(
    page.request.post('/api/login', {
      data: { username: 'warden', password: PASSWORD },
      headers: { origin: fixture.url },
    }),
  )
  const [photo] = (await listPhotos(api)) as unknown as [typeof privatePhoto]
  await readJson(api.patch(`/api/photos/${photo.id}/privacy`, { data: { isPublic: false } }))
  privatePhoto = photo
})

afterAll(() => fixture?.close())

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const tab = (name: string) => page.getByRole('tab', { name })
const figure = (label: string) =>
  page.locator('dl > div').filter({ hasText: label }).locator('dd').textContent({ timeout: 5_000 })
const entries = () => page.getByRole('list', { name: 'Audit log' }).getByRole('listitem')
const entry = (...texts: string[]) => texts.reduce((found, hasText) => found.filter({ hasText }), entries())
const searchLog = () => page.getByRole('searchbox', { name: 'Search the audit log' })

describe('the statistics', () => {
  test('are a tab of the administration', async () => {
    await page.goto('/admin')
    await tab('System Statistics').click()
    await expect.poll(() => figure('Total Users')).toBe('2')
    expect(new URL(page.url()).search).toBe('?tab=statistics')
  })

  test('are read again by themselves', async () => {
    const json = { totalUsers: 4321, totalPhotos: 1, storageUsedMB: 2, activeUsersToday: 3, history: [] }
    await page.route('**/api/admin/stats', (route) => route.fulfill({ json }))
    await page.clock.fastForward(REFRESH_MS)
    await expect.poll(() => figure('Total Users')).toBe('4,321')
    await page.getByRole('heading', { name: 'No history yet' }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await page.unroute('**/api/admin/stats')
  })

  test('show the last days as charts, whose values are read by keyboard', async () => {
    await fixture.sql(
      'auth',
      `INSERT INTO daily_statistics (day, users, photos, bytes, active, measured_at)
       SELECT (now() AT TIME ZONE 'UTC')::date - ago, 100 - ago, 1000 - 10 * ago, (1000 - ago) * 1048576, 2, now()
       FROM generate_series(1, 29) AS ago ON CONFLICT (day) DO NOTHING`,
    )
    await page.reload()
    const users = page.getByRole('slider', { name: 'Users by day' })
    await users.waitFor()
    for (const name of ['Photos by day', 'Storage by day', 'Active 30d by day'])
      await page.getByRole('slider', { name }).waitFor()
    await users.focus()
    await page.keyboard.press('Home')
    expect(await users.getAttribute('aria-valuetext')).toMatch(/^[A-Z][a-z]{2} \d+: 71$/)
    await page.keyboard.press('ArrowRight')
    expect(await users.getAttribute('aria-valuetext')).toMatch(/: 72$/)
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('show a value under the pointer', async () => {
    const chart = page.getByRole('region', { name: 'Photos' })
    const box = await chart.getByRole('slider').boundingBox()
    if (!box) throw new Error('The chart is not shown.')
    await page.mouse.move(box.x + 1, box.y + box.height / 2)
    await chart.getByText('710', { exact: true }).waitFor()
    await page.mouse.move(0, 0)
    await chart.getByText('710', { exact: true }).waitFor({ state: 'detached' })
  })

  test('are a table, too', async () => {
    await button('Show as table').click()
    const table = page.getByRole('table', { name: 'Last 30 days' })
    await expect.poll(() => table.getByRole('row').count()).toBe(31)
    await table.getByRole('row').last().getByText('71', { exact: true }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await button('Show as charts').click()
    await page.getByRole('slider', { name: 'Users by day' }).waitFor()
  })

  test('as a table with large figures scroll inside of the table on a phone, not with the page', async () => {
    const size = page.viewportSize()
    if (!size) throw new Error('The page has no size.')
    await page.setViewportSize({ width: 390, height: 844 })
    const day = { day: '2026-01-05', users: 100_000, photos: 1_180_000, storageMB: 370_022, active: 12_345 }
    const json = { totalUsers: 1, totalPhotos: 1, storageUsedMB: 2, activeUsersToday: 3, history: [day] }
    await page.route('**/api/admin/stats', (route) => route.fulfill({ json }))
    await page.reload()
    await button('Show as table').click()
    const table = page.getByRole('region', { name: 'Table of the last 30 days' })
    await table.getByText('1,180,000').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)).toBe(true)
    expect.soft(await findAxeViolations(page)).toEqual([])
    await page.unroute('**/api/admin/stats')
    await page.setViewportSize(size)
    await page.reload()
    await page.getByRole('slider', { name: 'Users by day' }).waitFor()
  })

  test('keep the last figures while the server is unavailable, and say so', async () => {
    await page.route('**/api/admin/stats', (route) =>
      route.fulfill({ status: 503, json: { code: 'unavailable', message: 'Please try again shortly.' } }),
    )
    await page.clock.fastForward(REFRESH_MS)
    await page.getByText(/no longer up to date/).waitFor()
    await page.unroute('**/api/admin/stats')
    await button('Try again').click()
    await page.getByText(/no longer up to date/).waitFor({ state: 'detached' })
  })

  test('show the four figures, which the worker measures twice a minute', async () => {
    await expect
      .poll(
        async () => {
          await page.reload()
          return Promise.all(['Total Users', 'Total Photos', 'Active 30d'].map(figure))
        },
        { timeout: 60_000, interval: 2_000 },
      )
      .toEqual(['2', '2', '2'])
    expect(await figure('Storage Used')).toMatch(/ (KB|MB)$/)
  })
})

describe('the audit log', () => {
  test('says that looking at a private photo is recorded', async () => {
    await tab('Audit Log').click()
    await page.getByText(/Looking at another user's private photo is recorded/).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('records who looked at which photo', async () => {
    const response = await page.request.get(`/api/uploads/${privatePhoto.filename}`)
    expect(response.status()).toBe(200)
    await waitFor(
      async () => {
        await page.reload()
        await page.getByText(/Looking at another user's/).waitFor()
        return (await entry('Looked at a private photo').count()) === 1
      },
      { what: 'the entry of the photo', timeoutMs: 30_000 },
    )
    await entry('warden', `Photo ${privatePhoto.id} of pilot`).waitFor()
  })

  test('has what was changed of a user, in words', async () => {
    await page.goto('/admin?q=pilot')
    await button('Edit pilot').click()
    await page.getByLabel('First name').fill('Paula')
    await page.getByLabel('Disabled').check()
    await button('Save').click()
    await page.locator('[data-toasts]').getByText('User updated').waitFor()
    await tab('Audit Log').click()
    await entry('Disabled an account', 'User pilot').waitFor()
    await entry('Changed a user', 'First name').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('is searched', async () => {
    await searchLog().fill('photo')
    await page.waitForURL('**/admin?tab=audit&q=photo')
    await expect.poll(() => entry('Disabled an account').count()).toBe(0)
    await entry('Looked at a private photo').waitFor()
    await searchLog().fill('nothing like that')
    await page.getByRole('heading', { name: 'No entries found' }).waitFor()
    await button('Clear search').click()
    await entry('Disabled an account').waitFor()
  })

  test('is read in pages', async () => {
    await fixture.sql(
      'auth',
      `INSERT INTO audit_log (id, at, action, detail)
       SELECT gen_random_uuid(), now() - number * interval '1 minute', 'environment.changed', 'step ' || number
       FROM generate_series(1, 120) AS number`,
    )
    await page.reload()
    await expect
      .poll(async () => {
        await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
        return entries().count()
      })
      .toBeGreaterThan(120)
    await entry('Operator (command)', 'Step 120').waitFor()
  })
})

test('no page threw an error or violated its content security policy', () => {
  expect(fixture.pageErrors).toEqual([])
})
