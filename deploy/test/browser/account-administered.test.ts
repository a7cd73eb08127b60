import { type APIRequestContext, type Browser, type Page, request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  button,
  type Disclosures,
  expectSignedOut,
  heading,
  openDevice,
  register,
  signIn,
  toast,
} from './account-fixture.ts'
import { findAxeViolations } from './axe.ts'
import { readJson } from './gallery-photos.ts'
import { collectSecrets, openBrowser, type TestSystem, useSharedSystem } from './test-system.ts'

// What a user sees when an administrator deletes, gives back, disables and enables the account, and what the last
// administrator cannot do. The tests are steps of one end-to-end user journey.
const PASSWORD = 'over-the-lake'
const SCHEDULED = 'Your account is scheduled for deletion'

let system: TestSystem
let browser: Browser
let laptop: Page
let admin: Page
let chief: APIRequestContext
const disclosures: Disclosures = { texts: [], errors: [] }

beforeAll(async () => {
  system = await useSharedSystem()
  browser = await openBrowser()
  laptop = await openDevice(browser, system.url, disclosures)
  await register(laptop, 'pilot', 'pilot@example.test', PASSWORD)
  await toast(laptop, 'Welcome, pilot!').waitFor()
  admin = await openDevice(browser, system.url, disclosures)
  await register(admin, 'chief', 'chief@example.test', PASSWORD)
  await toast(admin, 'Welcome, chief!').waitFor()
  await system.grantAdmin('chief')
  await admin.context().clearCookies()
  await signIn(admin, 'chief', PASSWORD)
  chief = await request.newContext({ baseURL: system.url, extraHTTPHeaders: { origin: system.url } })
  await readJson(chief.post('/api/login', { data: { username: 'chief', password: PASSWORD } }))
})

afterAll(async () => {
  const secrets = await collectSecrets(browser)
  await chief?.dispose()
  await browser?.close()
  await system?.stop([...secrets, 'chief@example.test'])
})

/** The account's id, from its own answer. */
async function idOf(page: Page): Promise<number> {
  return (await (await page.request.get('/api/user')).json()).id
}

describe('the user of an account', () => {
  test('that an administrator deletes sees that only an administrator can revoke it', async () => {
    const id = await idOf(laptop)
    expect((await chief.delete(`/api/admin/users/${id}`)).status()).toBe(202)
    await expectSignedOut(laptop)
    await signIn(laptop, 'pilot', PASSWORD)
    await heading(laptop, SCHEDULED).waitFor()
    await laptop.getByText(/^An administrator has requested this\. Only an administrator can revoke it/).waitFor()
    expect(await button(laptop, 'Keep my account').count()).toBe(0)
    await button(laptop, 'Prepare export').waitFor()
    expect.soft(await findAxeViolations(laptop)).toEqual([])
    expect((await chief.post(`/api/admin/users/${id}/restore`)).status()).toBe(204)
    await signIn(laptop, 'pilot', PASSWORD)
    await heading(laptop, 'Drone Photo Manager').waitFor()
  })

  test('that is disabled is signed out, and the login says why it fails', async () => {
    const id = await idOf(laptop)
    await laptop.goto('/orders')
    await heading(laptop, 'Print Orders').waitFor()
    await readJson(chief.patch(`/api/admin/users/${id}`, { data: { disabled: true } }))
    await heading(laptop, 'Your session has ended').waitFor()
    await laptop.getByLabel('Username').fill('pilot')
    await laptop.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await button(laptop, 'Login').click()
    await toast(laptop, 'Login failed').waitFor()
    await laptop
      .getByRole('dialog')
      .getByRole('alert')
      .getByText(/disabled/)
      .waitFor()
    expect.soft(await findAxeViolations(laptop)).toEqual([])
    await readJson(chief.patch(`/api/admin/users/${id}`, { data: { disabled: false } }))
    await button(laptop, 'Login').click()
    await heading(laptop, 'Print Orders').waitFor()
  })
})

test('an administrator whose rights are taken away while the administration is open reads that the session has ended', async () => {
  const id = await idOf(laptop)
  await readJson(chief.patch(`/api/admin/users/${id}`, { data: { isAdmin: true } }))
  await laptop.goto('/admin?tab=audit')
  await heading(laptop, 'Administration').waitFor()
  await laptop.setViewportSize({ width: 390, height: 844 })
  const open = laptop.getByRole('tab', { name: 'Audit Log' })
  await expect
    .poll(async () => ((await open.boundingBox())?.x ?? 999) + ((await open.boundingBox())?.width ?? 0))
    .toBeLessThanOrEqual(390)
  await readJson(chief.patch(`/api/admin/users/${id}`, { data: { isAdmin: false } }))
  await heading(laptop, 'Your session has ended').waitFor({ timeout: 60_000 })
  expect(await heading(laptop, 'Administration').count()).toBe(0)
})

test('the last administrator cannot delete the own account, and reads why', async () => {
  await admin.goto('/profile')
  await button(admin, 'Delete account…').click()
  const dialog = admin.getByRole('dialog', { name: 'Delete your account?' })
  await dialog.getByLabel('Password').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Delete my account' }).click()
  await dialog
    .getByRole('alert')
    .getByText(/last administrator/)
    .waitFor()
  expect.soft(await findAxeViolations(admin)).toEqual([])
})

test('nothing failed in the background', () => {
  expect(disclosures.errors).toEqual([])
})
