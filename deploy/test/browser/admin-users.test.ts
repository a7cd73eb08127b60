import { waitFor } from '@skyfolio/testkit'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { readJson } from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'

// An administrator finds users, changes them, disables and deletes an account, and takes both back. The tests are steps
// of one end-to-end user journey.
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true }
const PASSWORD = 'over-the-lake'
/** Beside the administrator and Maria. */
const FLYERS = 120

let fixture: OwnerFixture
let page: Page
/** Another user in a browser of her own. */
let maria: Page
let shareCode: string

beforeAll(async () => {
  fixture = await startOwnerFixture({})
  await fixture.grantAdmin()
  await fixture.sql('auth', flyers(FLYERS))
  maria = await fixture.openIsolatedPage('visitor')
  const account = { username: 'maria', email: 'maria@example.test', password: PASSWORD, confirmPassword: PASSWORD }
  await readJson(maria.request.post('/api/register', { data: account, headers: { origin: fixture.url } }))
  const folder = { name: 'Harbour', isPublic: true }
  const created = maria.request.post('/api/folders', { data: folder, headers: { origin: fixture.url } })
  shareCode = (await readJson<{ shareCode: string }>(created)).shareCode
  page = fixture.page
})

afterAll(() => fixture?.close())

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
const shareStatus = async () => (await maria.request.get(`/api/share/${shareCode}`)).status()

/** The next change gets the answer of a session whose sign-in was long ago; here it is recent. */
async function demandPassword(): Promise<void> {
  const json = { code: 'password_required', message: 'Please enter your password to continue.' }
  let demanded = false
  await page.route('**/api/admin/users/*', (route) => {
    if (demanded || route.request().method() !== 'PATCH') return route.fallback()
    demanded = true
    return route.fulfill({ status: 403, json })
  })
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
  test('is the first tab, shows the newest users first and counts all', async () => {
    await page.goto('/admin')
    await amount(`${FLYERS + 2} users`)
    await expect.poll(() => page.getByRole('tab', { name: 'User Management', selected: true }).count()).toBe(1)
    expect((await usernames()).slice(0, 4)).toEqual(['maria', 'pilot', 'flyer-001', 'flyer-002'])
    await row('pilot').getByText('You', { exact: true }).waitFor()
    await row('pilot').getByText('Admin', { exact: true }).waitFor()
    await row('pilot').getByText('Not confirmed').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('loads further pages while it is scrolled, and renders only what is near', async () => {
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe(String(FLYERS + 3))
    const last = button(`Edit flyer-${FLYERS}`)
    await expect
      .poll(async () => {
        await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
        return last.count()
      })
      .toBe(1)
    expect(await page.getByRole('button', { name: /^Edit / }).count()).toBeLessThan(60)
    expect(await button('Load more').count()).toBe(0)
  })

  test('is searched by username, address and name', async () => {
    await search().fill('flyer-01')
    await amount('10 users found')
    await page.waitForURL('**/admin?q=flyer-01')
    await search().fill('MARIA@example')
    await amount('1 user found')
    await search().fill('number 77')
    await amount('1 user found')
    await row('flyer-077').waitFor()
    await search().fill('nobody at all')
    await page.getByRole('heading', { name: 'No users found' }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await button('Clear filters').click()
    await amount(`${FLYERS + 2} users`)
    expect(new URL(page.url()).search).toBe('')
  })

  test('keeps a filter that is chosen before the pause of the search is over', async () => {
    await page.getByLabel('Role').selectOption('Admin')
    await amount('1 user found')
    await search().fill('flyer-01')
    await page.getByLabel('Role').selectOption('User')
    await amount('10 users found')
    expect(await page.getByLabel('Role').inputValue()).toBe('user')
    await search().fill('')
    await page.getByLabel('Role').selectOption('All')
    await amount(`${FLYERS + 2} users`)
  })

  test('keeps every one of several choices in a row', async () => {
    await page.goto('/admin?role=admin&q=flyer-01')
    await page.getByRole('heading', { name: 'No users found' }).waitFor()
    await search().fill('')
    await page.getByLabel('Role').selectOption('User')
    await page.waitForURL('**/admin?role=user')
    await amount(`${FLYERS + 1} users found`)
    await search().fill('flyer-02')
    // In one task: nothing is rendered between the two choices.
    await page.evaluate(() => {
      for (const [name, value] of Object.entries({ Sort: 'oldest', Role: 'all' })) {
        const select = document.querySelector<HTMLSelectElement>(`select[aria-label="${name}"]`)
        if (!select) throw new Error(`${name} is not shown.`)
        select.value = value
        select.dispatchEvent(new Event('change', { bubbles: true }))
      }
    })
    await page.waitForURL('**/admin?sort=oldest&q=flyer-02')
    await amount('10 users found')
    await page.goto('/admin')
    await amount(`${FLYERS + 2} users`)
  })

  test('is filtered by role and sorted, which Back takes back', async () => {
    await page.getByLabel('Role').selectOption('Admin')
    await amount('1 user found')
    expect(await usernames()).toEqual(['pilot'])
    await page.getByLabel('Role').selectOption('User')
    await amount(`${FLYERS + 1} users found`)
    await page.getByLabel('Sort').selectOption('Oldest first')
    await expect.poll(async () => (await usernames())[0]).toBe(`flyer-${FLYERS}`)
    expect(new URL(page.url()).search).toBe('?role=user&sort=oldest')
    await page.reload()
    await expect.poll(async () => (await usernames())[0]).toBe(`flyer-${FLYERS}`)
    await page.goBack()
    await expect.poll(async () => (await usernames())[0]).toBe('maria')
  })

  test('says when it cannot be loaded, and tries again', async () => {
    const list = ({ pathname }: URL) => pathname === '/api/admin/users'
    await page.route(list, (route) =>
      route.fulfill({ status: 503, json: { code: 'unavailable', message: 'Please try again shortly.' } }),
    )
    await search().fill('flyer-02')
    await page.getByRole('heading', { name: 'The users could not be loaded' }).waitFor()
    await page.unroute(list)
    await button('Try again').click()
    await amount('10 users found')
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
    await row('maria').getByText('Maria Mitchell').waitFor()
    await row('maria').getByText('of 1.50 GB').waitFor()
    await row('maria').getByText('Admin', { exact: true }).waitFor()
    await row('maria').getByText('Not confirmed').waitFor()
    expect(await button('Edit maria').evaluate((element) => element === document.activeElement)).toBe(true)
  })

  test('says at the fields what is wrong', async () => {
    await edit('flyer-005')
    const fields = dialog('Edit flyer-005')
    await fields.getByLabel('Email').fill('nobody')
    await fields.getByLabel('Storage limit').selectOption('Own limit')
    await fields.getByRole('button', { name: 'Save' }).click()
    await fields.getByText('Invalid email address').waitFor()
    await fields.getByText('Enter a number of MB or GB, 0 or more').waitFor()
    await fields.getByLabel('Email').fill('')
    await fields.getByLabel('Storage limit').selectOption("Installation's default")
    await fields.getByLabel('First name').fill('x'.repeat(1_000))
    await fields.getByRole('button', { name: 'Save' }).click()
    await fields.getByRole('alert').waitFor()
    expect(await fields.getByLabel('First name').getAttribute('aria-invalid')).toBe('true')
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('asks before it discards changes', async () => {
    await page.keyboard.press('Escape')
    const question = page.getByRole('alertdialog', { name: 'Discard your changes?' })
    await question.getByRole('button', { name: 'Keep editing' }).click()
    await question.waitFor({ state: 'detached' })
    await dialog('Edit flyer-005').waitFor()
    await dialog('Edit flyer-005').getByRole('button', { name: 'Close' }).click()
    await question.getByRole('button', { name: 'Discard' }).click()
    await dialog('Edit flyer-005').waitFor({ state: 'detached' })
    await row('flyer-005').getByText('Flyer Number 5').waitFor()
  })

  test('keeps one administrator', async () => {
    await edit('maria')
    await dialog('Edit maria').getByLabel('Administrator').uncheck()
    await save()
    for (const box of ['Administrator', 'Disabled'] as const) {
      await edit('pilot')
      await dialog('Edit pilot').getByLabel(box).click()
      await dialog('Edit pilot').getByRole('button', { name: 'Save' }).click()
      await dialog('Edit pilot')
        .getByText(/last administrator/i)
        .waitFor()
      expect.soft(await findAxeViolations(page)).toEqual([])
    }
    await edit('pilot')
    await dialog('Edit pilot').getByRole('button', { name: 'Delete account' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete account' }).click()
    await toast('Failed to delete the account').waitFor()
  })

  test('asks for the password when the server demands it, and then continues by itself', async () => {
    await edit('flyer-007')
    await demandPassword()
    const fields = dialog('Edit flyer-007')
    await fields.getByLabel('Last name').fill('Seventh')
    await fields.getByRole('button', { name: 'Save' }).click()
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

  test('changes nothing when the password is not confirmed, and keeps what was typed', async () => {
    await edit('flyer-008')
    await demandPassword()
    const fields = dialog('Edit flyer-008')
    await fields.getByLabel('Last name').fill('Eighth')
    await fields.getByRole('button', { name: 'Save' }).click()
    await dialog('Confirm your password').getByRole('button', { name: 'Cancel' }).click()
    await dialog('Confirm your password').waitFor({ state: 'detached' })
    expect(await fields.getByLabel('Last name').inputValue()).toBe('Eighth')
    expect(await fields.getByRole('alert').count()).toBe(0)
    await save()
    await row('flyer-008').getByText('Flyer Eighth').waitFor()
  })

  test('sends a password reset to a confirmed address only', async () => {
    await edit('maria')
    await dialog('Edit maria')
      .getByText(/not confirmed, so no password reset/)
      .waitFor()
    expect(await button('Send password reset').getAttribute('aria-disabled')).toBe('true')
    await fixture.sql('auth', "UPDATE users SET email_confirmed = true WHERE username = 'maria'")
    await edit('maria')
    await button('Send password reset').click()
    await toast('Password reset sent').waitFor()
    await fixture.mailbox.waitForMail({ to: 'mitchell@example.test', subject: /password/i })
  })
})

describe('a disabled account', () => {
  test('is signed out, shares nothing and cannot sign in', async () => {
    // Losing the rights has signed her out.
    expect((await signInAsMaria()).status()).toBe(200)
    await maria.goto('/folders')
    await maria.getByRole('heading', { name: 'Harbour' }).waitFor()
    expect(await shareStatus()).toBe(200)
    await edit('maria')
    await dialog('Edit maria')
      .getByText(/Signs the user out everywhere/)
      .waitFor()
    await dialog('Edit maria').getByLabel('Disabled').check()
    await save()
    await row('maria').getByText('Disabled', { exact: true }).waitFor()
    await waitFor(async () => (await shareStatus()) === 404, { what: 'the public folder is withdrawn' })
    await maria.goto('/profile')
    await maria.waitForURL('**/auth')
    const login = await signInAsMaria()
    expect(login.status()).toBe(401)
    expect(await login.json()).toMatchObject({ code: 'account_disabled' })
  })

  test('has everything back when it is enabled', async () => {
    await edit('maria')
    await dialog('Edit maria').getByLabel('Disabled').uncheck()
    await save()
    await waitFor(async () => (await shareStatus()) === 200, { what: 'the public folder is shared again' })
    expect((await signInAsMaria()).status()).toBe(200)
  })
})

const signInAsMaria = () =>
  maria.request.post('/api/login', {
    data: { username: 'maria', password: PASSWORD },
    headers: { origin: fixture.url },
  })

describe('a deletion', () => {
  test('is requested after a question that names the user and says when it is final', async () => {
    await edit('maria')
    await button('Delete account').click()
    const question = page.getByRole('alertdialog', { name: 'Delete the account of maria?' })
    await question.getByText(/final in 7 days/).waitFor()
    await question.getByText(/Nothing can be taken back/).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await question.getByRole('button', { name: 'Delete account' }).click()
    await toast('Deletion requested').waitFor()
    await dialog('Edit maria')
      .getByText(/An administrator requested the deletion/)
      .waitFor()
    expect(await button('Revoke deletion').evaluate((element) => element === document.activeElement)).toBe(true)
    expect.soft(await findAxeViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await row('maria')
      .getByText(/^Deletion on /)
      .waitFor()
    await waitFor(async () => (await shareStatus()) === 404, { what: 'the public folder is withdrawn' })
  })

  test('is listed and can be revoked', async () => {
    await page.getByRole('tab', { name: 'Deletions 1' }).click()
    const deletion = page.getByRole('article', { name: 'maria' })
    await deletion.getByText('Can be revoked').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await deletion.getByRole('button', { name: 'Revoke deletion' }).click()
    await toast('Deletion revoked').waitFor()
    await page.getByRole('heading', { name: 'No deletions' }).waitFor()
    await waitFor(async () => (await shareStatus()) === 200, { what: 'the public folder is shared again' })
    await page.goto('/admin?q=maria')
    await row('maria').waitFor()
    expect(
      await row('maria')
        .getByText(/Deletion/)
        .count(),
    ).toBe(0)
  })

  test('that waits for a service is announced, and leads to the orders that hold it up', async () => {
    await fixture.sql('auth', HELD_UP)
    await page.goto('/admin')
    await page.getByText('1 deletion is not complete yet.').waitFor()
    await page.getByRole('link', { name: 'Show deletions' }).click()
    const deletion = page.getByRole('article', { name: 'User 999999' })
    await deletion.getByText('Not complete').waitFor()
    await deletion.getByText('An order whose outcome is unknown must be resolved first.').waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await deletion.getByRole('link', { name: 'Resolve orders' }).click()
    await page.getByRole('heading', { name: 'Orders with unknown outcome' }).waitFor()
    await fixture.sql('auth', 'DELETE FROM account_deletions WHERE user_id = 999999')
  })
})

/** An erasure that print-orders cannot complete. */
const HELD_UP = `
  INSERT INTO account_deletions (user_id, by_admin, deletes_at, erasing_since, published_at)
  VALUES (999999, true, now(), now(), now());
  INSERT INTO service_erasures (user_id, service, complete, waits_for, revision) VALUES
    (999999, 'folders', true, '', 1),
    (999999, 'print-orders', false, 'An order whose outcome is unknown must be resolved first.', 1)`

test('a user is changed by keyboard only', async () => {
  await page.goto('/admin')
  await search().focus()
  await page.keyboard.type('flyer-010')
  await page.keyboard.press('Enter')
  await amount('1 user found')
  await pressUntilFocused('Tab', 'Edit flyer-010')
  await page.keyboard.press('Enter')
  await dialog('Edit flyer-010').getByLabel('Email').waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('firstName')
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('Keys')
  await page.keyboard.press('Enter')
  await toast('User updated').waitFor()
  await row('flyer-010').getByText('Keys Number 10').waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('flyer-010')
  await page.getByRole('tab', { name: 'User Management' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.getByText('Active 30d').first().waitFor()
})

async function pressUntilFocused(key: string, name: string): Promise<void> {
  for (let presses = 0; presses < 20; presses += 1) {
    await page.keyboard.press(key)
    if ((await page.evaluate(() => document.activeElement?.textContent?.trim())) === name) return
  }
  throw new Error(`${name} has not got the focus.`)
}

test('a phone shows the users as cards in its width', async () => {
  const phone = await fixture.openIsolatedPage('owner', PHONE)
  for (const tab of ['users', 'statistics', 'audit', 'deletions']) {
    await phone.goto(`/admin?tab=${tab}`)
    await phone.getByRole('heading', { name: 'Administration' }).waitFor()
    expect(await phone.evaluate(() => document.documentElement.scrollWidth), tab).toBe(390)
  }
  await phone.goto('/admin?q=maria')
  await phone.getByRole('article', { name: /maria/ }).getByText('mitchell@example.test').waitFor()
  expect.soft(await findAxeViolations(phone)).toEqual([])
  await phone.getByRole('button', { name: 'Edit maria' }).click()
  await phone.getByRole('dialog', { name: 'Edit maria' }).getByLabel('Email').waitFor()
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  expect.soft(await findAxeViolations(phone)).toEqual([])
})

test('an administrator whose rights are taken away sees it on the list', async () => {
  await page.goto('/admin')
  await amount(`${FLYERS + 2} users`)
  const json = { code: 'forbidden', message: 'Only for administrators.' }
  await page.route('**/api/admin/**', (route) => route.fulfill({ status: 403, json }))
  await search().fill('maria')
  await page.getByRole('heading', { name: "You don't have permission to access this page." }).waitFor()
})

test('no page threw an error or violated its content security policy', () => {
  expect(fixture.pageErrors).toEqual([])
})
