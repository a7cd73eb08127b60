import { waitFor } from '@skyfolio/testkit'
import type { APIRequestContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { button, expectSignedOut, heading, IPHONE, logIn, register, signIn, toast } from './account-fixture.ts'
import { findAxeViolations } from './axe.ts'
import { type Folder, readJson, sharePhotos, uploadLakePhotos } from './gallery-photos.ts'
import { hasFocus, type OwnerFixture, PASSWORD, registerUser, startOwnerFixture } from './owner-fixture.ts'

// A user deletes the account, keeps it after all, is deleted and disabled by an administrator, and leaves for good.
const SCHEDULED = 'Your account is scheduled for deletion'
const GUARDED = ['/', '/upload', '/folders', '/folders/1', '/orders', '/orders/1', '/metadata', '/profile', '/admin']

let fixture: OwnerFixture
let laptop: Page
let phone: Page
let visitor: Page
let chief: APIRequestContext
let userId: number
let folder: Folder

beforeAll(async () => {
  fixture = await startOwnerFixture()
  laptop = fixture.page
  await uploadLakePhotos(fixture.api, 1)
  folder = await sharePhotos(fixture.api, 'Above the water')
  phone = await fixture.openPage(IPHONE)
  visitor = await fixture.openPage()
  await signIn(phone, 'pilot', PASSWORD)
  userId = (await readJson<{ id: number }>(fixture.api.get('/api/user'))).id
  chief = await registerUser(fixture.url, 'chief')
  await fixture.grantAdmin('chief')
  await readJson(chief.post('/api/login', { data: { username: 'chief', password: PASSWORD } }))
})

afterAll(async () => {
  await chief?.dispose()
  await fixture?.close(['chief@example.test'])
})

const dialog = () => laptop.getByRole('dialog', { name: 'Delete your account?' })
const password = () => dialog().getByLabel('Password')
const confirm = () => dialog().getByRole('button', { name: 'Delete my account' })

async function requestDeletion(): Promise<void> {
  await laptop.goto('/profile')
  await button(laptop, 'Delete account…').click()
  await password().fill(PASSWORD)
  await confirm().click()
  await heading(laptop, SCHEDULED).waitFor()
}

async function expectFolder(isShown: boolean): Promise<void> {
  await visitor.goto(`/share/${folder.shareCode}`)
  await heading(visitor, isShown ? 'Above the water' : 'Folder Not Found').waitFor()
}

describe('the deletion of the own account', () => {
  test('is asked for by a press during which the devices arrive', async () => {
    const { promise: pressed, resolve: sendDevices } = Promise.withResolvers<void>()
    await laptop.route('**/api/user/sessions', async (route) => {
      await pressed
      await route.continue()
    })
    await laptop.goto('/profile')
    await button(laptop, 'Prepare export').waitFor()
    await button(laptop, 'Delete account…').hover()
    await laptop.mouse.down()
    sendDevices()
    await laptop.getByText('This device').waitFor()
    await laptop.mouse.up()
    await dialog().waitFor()
    await laptop.unroute('**/api/user/sessions')
  })

  test('needs the password, and says at the field that it is wrong', async () => {
    await laptop.goto('/profile')
    await button(laptop, 'Delete account…').click()
    await expect.poll(() => hasFocus(password())).toBe(true)
    expect.soft(await findAxeViolations(laptop)).toEqual([])
    await password().fill('under-the-lake')
    await laptop.keyboard.press('Enter')
    await dialog().getByText('Incorrect password', { exact: true }).waitFor()
    await expect.poll(() => hasFocus(password())).toBe(true)
  })

  test('signs out everywhere and takes the public folder away from visitors at once', async () => {
    await expectFolder(true)
    const otherTab = await fixture.openTab()
    await otherTab.goto('/orders')
    await heading(otherTab, 'Print Orders').waitFor()
    const lastStore = `skyfolio-print-store-${userId}`
    await otherTab.evaluate((key) => localStorage.setItem(key, '{}'), lastStore)
    await requestDeletion()
    expect(await laptop.evaluate((key) => localStorage.getItem(key), lastStore)).toBeNull()
    await laptop.getByText(/^Your account will be deleted on .+\. Log in before then to keep it\.$/).waitFor()
    expect.soft(await findAxeViolations(laptop)).toEqual([])
    await heading(otherTab, 'Your session has ended').waitFor()
    await otherTab.close()
    await expectSignedOut(phone)
    await expectFolder(false)
  })

  test('leaves nothing on every screen but the export and the way back', async () => {
    await signIn(laptop, 'pilot', PASSWORD)
    for (const path of GUARDED) {
      await laptop.goto(path)
      await heading(laptop, SCHEDULED).waitFor()
      await button(laptop, 'Keep my account').waitFor()
      await button(laptop, 'Prepare export').waitFor()
    }
    expect(await laptop.getByRole('heading', { level: 1 }).allTextContents()).toEqual([SCHEDULED])
    expect(await laptop.getByRole('navigation', { name: 'Main' }).count()).toBe(0)
    expect.soft(await findAxeViolations(laptop)).toEqual([])
    await signIn(phone, 'pilot', PASSWORD)
    await heading(phone, SCHEDULED).waitFor()
    expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    await button(phone, 'Menu').click()
    expect(await phone.getByRole('dialog', { name: 'pilot' }).getByRole('link').count()).toBe(0)
  })

  test('is revoked by keyboard, in all tabs, with everything that was in the account', async () => {
    const otherTab = await fixture.openTab()
    await otherTab.goto('/orders')
    await heading(otherTab, SCHEDULED).waitFor()
    await laptop.goto('/folders')
    await button(laptop, 'Keep my account').focus()
    await laptop.keyboard.press('Enter')
    await toast(laptop, 'Your account is kept').waitFor()
    await laptop.getByRole('link', { name: /Above the water/ }).waitFor()
    await heading(otherTab, 'Print Orders').waitFor()
    await otherTab.close()
    await waitFor(async () => (await visitor.request.get(`/api/share/${folder.shareCode}`)).ok(), {
      what: 'the folder is shown again',
    })
    await expectFolder(true)
  })
})

describe('an administrator', () => {
  test('who deletes an account is the only one who can revoke it', async () => {
    expect((await chief.delete(`/api/admin/users/${userId}`)).status()).toBe(202)
    await expectSignedOut(laptop)
    await signIn(laptop, 'pilot', PASSWORD)
    await laptop.getByText(/^An administrator has requested this\. Only an administrator can revoke it/).waitFor()
    expect(await button(laptop, 'Keep my account').count()).toBe(0)
    expect.soft(await findAxeViolations(laptop)).toEqual([])
    expect((await chief.post(`/api/admin/users/${userId}/restore`)).status()).toBe(204)
    await signIn(laptop, 'pilot', PASSWORD)
    await heading(laptop, 'Drone Photo Manager').waitFor()
  })

  test('who disables an account signs it out, and the login says why it fails', async () => {
    await laptop.goto('/orders')
    await heading(laptop, 'Print Orders').waitFor()
    await readJson(chief.patch(`/api/admin/users/${userId}`, { data: { disabled: true } }))
    await heading(laptop, 'Your session has ended').waitFor()
    await logIn(laptop, 'pilot', PASSWORD)
    await laptop
      .getByRole('dialog')
      .getByRole('alert')
      .getByText(/disabled/)
      .waitFor()
    expect.soft(await findAxeViolations(laptop)).toEqual([])
    await readJson(chief.patch(`/api/admin/users/${userId}`, { data: { disabled: false } }))
    await button(laptop, 'Login').click()
    await heading(laptop, 'Print Orders').waitFor()
  })

  test('who loses the rights while the administration is open reads that the session has ended', async () => {
    await readJson(chief.patch(`/api/admin/users/${userId}`, { data: { isAdmin: true } }))
    await laptop.goto('/admin')
    await heading(laptop, 'Administration').waitFor()
    await readJson(chief.patch(`/api/admin/users/${userId}`, { data: { isAdmin: false } }))
    await heading(laptop, 'Your session has ended').waitFor({ timeout: 60_000 })
    expect(await heading(laptop, 'Administration').count()).toBe(0)
  })
})

test('erases the account when the time has passed: a sign-in fails as for a user who never existed, and the name is free', async () => {
  await signIn(laptop, 'pilot', PASSWORD)
  await requestDeletion()
  await fixture.sql('auth', "UPDATE account_deletions SET deletes_at = now() - interval '1 minute'")
  const answer = async (username: string) => {
    const response = await visitor.request.post('/api/login', {
      data: { username, password: PASSWORD },
      headers: { origin: fixture.url },
    })
    return [response.status(), (await response.json()).message]
  }
  const unknown = await answer('nobody')
  await expect.poll(() => answer('pilot'), { timeout: 60_000, interval: 2_000 }).toEqual(unknown)
  await expectFolder(false)
  await register(laptop, 'pilot', PASSWORD)
  expect(await readJson(laptop.request.get('/api/photos'))).toEqual([])
})
