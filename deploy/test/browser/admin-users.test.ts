import { waitFor } from '@skyfolio/testkit'
import type { APIRequestContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectSignedOut } from './account-fixture.ts'
import { findAxeViolations } from './axe.ts'
import { findPhoto, readJson, sharePhotos, uploadLakePhotos } from './gallery-photos.ts'
import { hasFocus, type OwnerFixture, PASSWORD, registerUser, startOwnerFixture } from './owner-fixture.ts'

// An administrator finds users, changes them, disables and deletes an account, takes both back, and reads the figures of
// the installation and the audit log.
/** Beside the administrator and Maria. */
const FLYERS = 120

let fixture: OwnerFixture
let page: Page
/** Another user. */
let maria: APIRequestContext
let mariasPage: Page
let shareCode: string
let privatePhoto: { id: number; filename: string }

beforeAll(async () => {
  // All its users are counted.
  fixture = await startOwnerFixture({ settings: {} })
  await fixture.grantAdmin('pilot')
  await fixture.sql('auth', flyers(FLYERS))
  maria = await registerUser(fixture.url, 'maria')
  mariasPage = await fixture.openPage({ storageState: await maria.storageState() })
  await uploadLakePhotos(maria, 2)
  shareCode = (await sharePhotos(maria, 'Harbour', ['lake-1'])).shareCode
  privatePhoto = await findPhoto(maria, 'lake-2')
  await readJson(maria.patch(`/api/photos/${privatePhoto.id}/privacy`, { data: { isPublic: false } }))
  page = fixture.page
})

afterAll(async () => {
  await maria?.dispose()
  await fixture?.close(['maria@example.test'])
})

/** Users that registered one day after the other before today, as `flyer-001` (yesterday), `flyer-002` and so on. */
function flyers(count: number): string {
  return `INSERT INTO users (username, username_key, password_hash, email, first_name, last_name, created_at)
    SELECT name, name, 'none', name || '@example.test', 'Flyer', 'Number ' || number, now() - number * interval '1 day'
    FROM generate_series(1, ${count}) AS number, LATERAL (SELECT 'flyer-' || lpad(number::text, 3, '0')) AS made (name)`
}

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const toast = (text: string | RegExp) => page.locator('[data-toasts]').getByText(text, { exact: true })
const dialog = (name: string | RegExp) => page.getByRole('dialog', { name, exact: true })
const search = () => page.getByRole('searchbox', { name: 'Search users' })
const amount = (text: string) => page.getByText(text, { exact: true }).waitFor()
const row = (username: string) =>
  page.getByRole('row').filter({ has: page.getByRole('button', { name: `Edit ${username}`, exact: true }) })
const usernames = async () =>
  (await page.getByRole('button', { name: /^Edit / }).allTextContents()).map((text) => text.trim().split(' ').at(-1))

async function expectShared(status: 200 | 404): Promise<void> {
  const isSo = async () => (await fixture.api.get(`/api/share/${shareCode}`)).status() === status
  await waitFor(isSo, { what: `the public folder returns ${status}` })
}

/** Finds a user by the search and opens the edit dialog. */
async function edit(username: string): Promise<void> {
  await page.goto(`/admin?q=${username}`)
  await button(`Edit ${username}`).click()
  await dialog(`Edit ${username}`).getByLabel('Email').waitFor()
}

async function save(): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await toast('User updated').waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

describe('the list of users', () => {
  test('shows the newest users first, loads pages while it is scrolled, and renders only what is near', async () => {
    await page.goto('/admin')
    await amount(`${FLYERS + 2} users`)
    expect((await usernames()).slice(0, 4)).toEqual(['maria', 'pilot', 'flyer-001', 'flyer-002'])
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe(String(FLYERS + 3))
    const last = button(`Edit flyer-${FLYERS}`)
    await expect
      .poll(async () => {
        await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
        return last.count()
      })
      .toBe(1)
    expect(await page.getByRole('button', { name: /^Edit / }).count()).toBeLessThan(60)
  })

  test('keeps search, role and order in the address, which Back takes back', async () => {
    await search().fill('flyer-01')
    await amount('10 users found')
    await page.waitForURL('**/admin?q=flyer-01')
    // Chosen before the pause of the search is over.
    await search().fill('flyer-02')
    await page.getByLabel('Role').selectOption('User')
    await page.waitForURL(
      ({ searchParams }) => searchParams.get('role') === 'user' && searchParams.get('q') === 'flyer-02',
    )
    await search().fill('nobody at all')
    await page.getByRole('heading', { name: 'No users found' }).waitFor()
    await button('Clear filters').click()
    await amount(`${FLYERS + 2} users`)
    await page.getByLabel('Role').selectOption('User')
    await page.getByLabel('Sort').selectOption('Oldest first')
    await page.reload()
    await expect.poll(async () => (await usernames())[0]).toBe(`flyer-${FLYERS}`)
    await page.goBack()
    await expect.poll(async () => (await usernames())[0]).toBe('maria')
  })
})

describe('the edit dialog', () => {
  test('changes every field of a user', async () => {
    await edit('maria')
    const fields = dialog('Edit maria')
    await fields.getByLabel('First name').fill('Maria')
    await fields.getByLabel('Last name').fill('Mitchell')
    await fields.getByLabel('Email').fill('mitchell@example.test')
    await fields.getByText(/confirms the new address/).waitFor()
    await fields.getByLabel('Storage limit').selectOption('Own limit')
    await fields.getByLabel('Limit', { exact: true }).fill('1.5')
    await fields.getByLabel('Administrator').check()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await save()
    for (const text of ['Maria Mitchell', 'of 1.50 GB', 'Not confirmed', 'Admin'])
      await row('maria').getByText(text).first().waitFor()
    await expect.poll(() => hasFocus(button('Edit maria'))).toBe(true)
    await edit('maria')
    await dialog('Edit maria').getByLabel('Administrator').uncheck()
    await save()
  })

  test('does not disable the last administrator', async () => {
    await edit('pilot')
    await dialog('Edit pilot').getByLabel('Disabled').click()
    await dialog('Edit pilot').getByRole('button', { name: 'Save' }).click()
    await dialog('Edit pilot')
      .getByText(/last administrator/i)
      .waitFor()
  })

  test('asks for the password when the server demands it, and then continues by itself', async () => {
    await edit('flyer-007')
    // The answer to a session whose sign-in was long ago; here it is recent.
    const json = { code: 'password_required', message: 'Please enter your password to continue.' }
    await page.route('**/api/admin/users/*', (route) => route.fulfill({ status: 403, json }), { times: 1 })
    await dialog('Edit flyer-007').getByLabel('Last name').fill('Seventh')
    await dialog('Edit flyer-007').getByRole('button', { name: 'Save' }).click()
    const question = dialog('Confirm your password')
    await question.getByLabel('Your password', { exact: true }).fill('wrong-password')
    await page.keyboard.press('Enter')
    await question.getByRole('alert').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await question.getByLabel('Your password', { exact: true }).fill(PASSWORD)
    await question.getByRole('button', { name: 'Confirm' }).click()
    await toast('User updated').waitFor()
    await row('flyer-007').getByText('Flyer Seventh').waitFor()
  })

  test('works by keyboard only', async () => {
    await page.goto('/admin')
    await search().focus()
    await page.keyboard.type('flyer-010')
    await page.keyboard.press('Enter')
    await amount('1 user found')
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
    await expect.poll(() => page.keyboard.press('Tab').then(focused)).toBe('Edit flyer-010')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('firstName')
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('Keys')
    await page.keyboard.press('Enter')
    await row('flyer-010').getByText('Keys Number 10').waitFor()
    await expect.poll(focused).toContain('flyer-010')
  })
})

describe('an account', () => {
  test('is signed out and shares nothing while it is disabled, and then shares again', async () => {
    await expectShared(200)
    await edit('maria')
    await dialog('Edit maria').getByLabel('Disabled').check()
    await save()
    await row('maria').getByText('Disabled', { exact: true }).waitFor()
    await expectShared(404)
    await expectSignedOut(mariasPage)
    await edit('maria')
    await dialog('Edit maria').getByLabel('Disabled').uncheck()
    await save()
    await expectShared(200)
  })

  test('is deleted after a question that says when it is final, and the deletion is revoked', async () => {
    await edit('maria')
    await button('Delete account').click()
    const question = page.getByRole('alertdialog', { name: 'Delete the account of maria?' })
    await question.getByText(/final in 7 days/).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await question.getByRole('button', { name: 'Delete account' }).click()
    await toast('Deletion requested').waitFor()
    await expect.poll(() => hasFocus(button('Revoke deletion'))).toBe(true)
    await page.keyboard.press('Escape')
    await expectShared(404)
    await page.getByRole('tab', { name: 'Deletions 1' }).click()
    const deletion = page.getByRole('article', { name: 'maria' })
    await deletion.getByText('Can be revoked').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await deletion.getByRole('button', { name: 'Revoke deletion' }).click()
    await page.getByRole('heading', { name: 'No deletions' }).waitFor()
    await expectShared(200)
  })
})

describe('the figures', () => {
  const figure = (label: string) => page.locator('dl > div').filter({ hasText: label }).locator('dd').textContent()

  test('of the first day are one sentence', async () => {
    await page.getByRole('tab', { name: 'System Statistics' }).click()
    const sentence = page.getByRole('heading', { name: /^Since [A-Z][a-z]{2} \d+: \d+ users, \d+ photos?, / })
    await sentence.waitFor({ timeout: 60_000 })
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('are shown as charts, whose values are read by keyboard, and as a table', async () => {
    await fixture.sql(
      'auth',
      `INSERT INTO daily_statistics (day, users, photos, bytes, active, measured_at)
       SELECT (now() AT TIME ZONE 'UTC')::date - ago, 100 - ago, 1000 - 10 * ago, (1000 - ago) * 1048576, 2, now()
       FROM generate_series(1, 29) AS ago ON CONFLICT (day) DO NOTHING`,
    )
    await page.reload()
    const users = page.getByRole('slider', { name: 'Users by day' })
    await users.focus()
    await page.keyboard.press('Home')
    expect(await users.getAttribute('aria-valuetext')).toMatch(/^[A-Z][a-z]{2} \d+: 71$/)
    await page.keyboard.press('ArrowRight')
    expect(await users.getAttribute('aria-valuetext')).toMatch(/: 72$/)
    expect.soft(await findAxeViolations(page)).toEqual([])
    await button('Show as table').click()
    const table = page.getByRole('table', { name: 'Last 30 days' })
    await table.getByRole('row').last().getByText('71', { exact: true }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('are those that the worker measures twice a minute', async () => {
    const shown = async () => {
      await page.reload()
      return Promise.all(['Total Users', 'Total Photos'].map(figure))
    }
    await expect.poll(shown, { timeout: 60_000, interval: 2_000 }).toEqual([String(FLYERS + 2), '2'])
  })
})

test('records in the audit log who looked at which private photo, and who changed whom', async () => {
  const entries = page.getByRole('list', { name: 'Audit log' }).getByRole('listitem')
  const entry = (...texts: string[]) => texts.reduce((found, hasText) => found.filter({ hasText }), entries)
  expect((await fixture.api.get(`/api/uploads/${privatePhoto.filename}`)).status()).toBe(200)
  const isRecorded = async () => {
    await page.goto('/admin?tab=audit')
    await page.getByText(/Looking at another user's private photo is recorded/).waitFor()
    return (await entry('pilot', `Photo ${privatePhoto.id} of maria`).count()) === 1
  }
  await waitFor(isRecorded, { what: 'the entry of the photo', timeoutMs: 30_000 })
  await entry('Disabled an account', 'User maria').waitFor()
  await page.getByRole('searchbox', { name: 'Search the audit log' }).fill('photo')
  await expect.poll(() => entry('Disabled an account').count()).toBe(0)
  await entry('Looked at a private photo').waitFor()
})
