import { dronePhoto, waitFor } from '@skyfolio/testkit'
import { type APIRequestContext, type Browser, type Page, request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  button,
  type Disclosures,
  expectSignedOut,
  heading,
  openDevice,
  PHONE,
  register,
  signIn,
  toast,
} from './account-fixture.ts'
import { findAxeViolations } from './axe.ts'
import { readJson, uploadPhoto, waitUntilReady } from './gallery-photos.ts'
import { collectSecrets, openBrowser, type TestSystem, useSharedSystem } from './test-system.ts'

// A user deletes the account, keeps it after all, and leaves for good. The tests are steps of one end-to-end user journey.
const PASSWORD = 'over-the-lake'
const LAKE = { latitude: 46.842607, longitude: -91.99456, takenAt: '2016:06:23 16:31:59' }
const SCHEDULED = 'Your account is scheduled for deletion'
const GUARDED = ['/', '/upload', '/folders', '/folders/1', '/orders', '/orders/1', '/metadata', '/profile', '/admin']

let system: TestSystem
let browser: Browser
let laptop: Page
let phone: Page
let visitor: Page
let folder: { id: number; shareCode: string }
const disclosures: Disclosures = { texts: [], errors: [] }
/** What the laptop's console says was rejected. */
const consoleErrors: string[] = []

const dialog = () => laptop.getByRole('dialog', { name: 'Delete your account?' })
const password = () => dialog().getByLabel('Password')
const confirm = () => dialog().getByRole('button', { name: 'Delete my account' })
const share = () => `/share/${folder.shareCode}`

beforeAll(async () => {
  system = await useSharedSystem()
  browser = await openBrowser()
  laptop = await openDevice(browser, system.url, disclosures)
  phone = await openDevice(browser, system.url, disclosures, PHONE)
  visitor = await openDevice(browser, system.url, disclosures)
  laptop.on('console', (message) => message.type() === 'error' && consoleErrors.push(message.text()))
  await register(laptop, 'pilot', 'pilot@example.test', PASSWORD)
  await toast(laptop, 'Welcome, pilot!').waitFor()
  await signIn(phone, 'pilot', PASSWORD)
  await fillAccount()
})

afterAll(async () => {
  const secrets = await collectSecrets(browser)
  await browser?.close()
  await system?.stop(secrets)
})

/** A public folder with a photo. */
async function fillAccount(): Promise<void> {
  const api = await signInByApi('pilot')
  await uploadPhoto(api, 'lake.jpg', await dronePhoto(LAKE))
  await waitUntilReady(api)
  folder = await readJson(api.post('/api/folders', { data: { name: 'Above the water', isPublic: true } }))
  const [photo] = await readJson<{ id: number }[]>(api.get('/api/photos'))
  await api.patch(`/api/photos/${photo?.id}/folder`, { data: { folderId: folder.id } })
  await api.dispose()
}

async function signInByApi(username: string): Promise<APIRequestContext> {
  const api = await request.newContext({ baseURL: system.url, extraHTTPHeaders: { origin: system.url } })
  await readJson(api.post('/api/login', { data: { username, password: PASSWORD } }))
  return api
}

async function openDialog(): Promise<void> {
  await laptop.goto('/profile')
  await button(laptop, 'Delete account…').click()
  await password().waitFor()
}

/** The user signs in on the login page that is open. */
async function signInAgain(page: Page): Promise<void> {
  await signIn(page, 'pilot', PASSWORD)
  await heading(page, SCHEDULED).waitFor()
}

async function expectFolder(isShown: boolean): Promise<void> {
  await visitor.goto(share())
  await heading(visitor, isShown ? 'Above the water' : 'Folder Not Found').waitFor()
}

describe('the deletion of the own account', () => {
  test('says what it means, and leads to the export first', async () => {
    await laptop.goto('/profile')
    const section = laptop.getByRole('region', { name: 'Delete account' })
    await section.getByText(/^You have 7 days to change your mind/).waitFor()
    await section.getByText(/^An order that the store has is not cancelled/).waitFor()
    expect.soft(await findAxeViolations(laptop)).toEqual([])
    await section.getByRole('link', { name: 'Export your data' }).click()
    const exports = laptop.getByRole('region', { name: 'Export your data' })
    await expect.poll(() => exports.evaluate((element) => element === document.activeElement)).toBe(true)
  })

  test('needs the password, and says at the field that it is wrong', async () => {
    await openDialog()
    expect(await password().evaluate((input) => input === document.activeElement)).toBe(true)
    expect.soft(await findAxeViolations(laptop)).toEqual([])
    await laptop.keyboard.press('Enter')
    await dialog().getByText('Password is required').waitFor()
    await password().fill('under-the-lake')
    await laptop.keyboard.press('Enter')
    await dialog().getByText('Incorrect password', { exact: true }).waitFor()
    expect(await password().evaluate((input) => input === document.activeElement)).toBe(true)
    expect(await confirm().isEnabled()).toBe(true)
  })

  test('says how long to wait after too many attempts, and offers to retry', async () => {
    await laptop.route('**/api/user', (route) =>
      route.request().method() === 'DELETE'
        ? route.fulfill({
            status: 429,
            headers: { 'retry-after': '2' },
            json: { code: 'too_many_requests', message: 'Too many attempts.' },
          })
        : route.fallback(),
    )
    await confirm().click()
    await dialog().getByText('Too many attempts.').waitFor()
    await dialog()
      .getByRole('button', { name: /^Try again in \d s$/ })
      .waitFor()
    await dialog().getByRole('button', { name: 'Retry' }).waitFor()
    await laptop.unroute('**/api/user')
    await dialog().getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => dialog().count()).toBe(0)
    expect(await button(laptop, 'Delete account…').evaluate((element) => element === document.activeElement)).toBe(true)
  })

  test('asks before it discards unsaved changes', async () => {
    await laptop.goto('/profile')
    await laptop.getByLabel('First name').fill('Paula')
    await button(laptop, 'Delete account…').click()
    await password().fill(PASSWORD)
    await confirm().click()
    const question = laptop.getByRole('alertdialog', { name: 'Log out without saving?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await dialog().getByRole('button', { name: 'Cancel' }).click()
    await button(laptop, 'Discard').click()
    expect((await laptop.request.get('/api/user')).status()).toBe(200)
  })

  test('signs out everywhere and says until when the account can be kept', async () => {
    await expectFolder(true)
    const otherTab = await laptop.context().newPage()
    await otherTab.goto('/orders')
    await heading(otherTab, 'Print Orders').waitFor()
    await openDialog()
    await password().fill(PASSWORD)
    await confirm().click()
    await heading(laptop, SCHEDULED).waitFor()
    await laptop.getByText(/^Your account will be deleted on .+\. Sign in before then to keep it\.$/).waitFor()
    expect(await laptop.evaluate(() => document.activeElement?.id)).toBe('main')
    expect.soft(await findAxeViolations(laptop)).toEqual([])
    await laptop.getByRole('banner').getByRole('link', { name: 'Login' }).waitFor()
    await heading(otherTab, 'Your session has ended').waitFor()
    await otherTab.close()
    await expectSignedOut(phone)
  })

  test('takes the public folder away from visitors at once', async () => {
    await expectFolder(false)
  })
})

describe('while the account is being deleted', () => {
  test('a sign-in shows nothing but when, and how to keep it, on every screen', async () => {
    await signInAgain(laptop)
    consoleErrors.length = 0
    await laptop.getByText(/^It will be deleted on .+ \(in 7 days\)/).waitFor()
    for (const path of GUARDED) {
      await laptop.goto(path)
      await heading(laptop, SCHEDULED).waitFor()
      await button(laptop, 'Keep my account').waitFor()
      await button(laptop, 'Prepare export').waitFor()
    }
    expect(await laptop.getByRole('heading', { level: 1 }).allTextContents()).toEqual([SCHEDULED])
    expect.soft(await findAxeViolations(laptop)).toEqual([])
    expect(consoleErrors).toEqual([])
  })

  test('the menus hold only what works', async () => {
    expect(await laptop.getByRole('navigation', { name: 'Main' }).count()).toBe(0)
    await button(laptop, 'Account of pilot').click()
    await laptop.getByRole('menu').waitFor()
    expect(await laptop.getByRole('menuitem').allTextContents()).toEqual(['Logout'])
    await laptop.keyboard.press('Escape')
  })

  test('public pages work as for visitors', async () => {
    await laptop.goto('/terms')
    await heading(laptop, 'Terms of Use').waitFor()
    await laptop.goto(share())
    await heading(laptop, 'Folder Not Found').waitFor()
    await laptop.getByRole('link', { name: 'Skyfolio' }).click()
    await heading(laptop, SCHEDULED).waitFor()
  })

  test('everything fits at 390 px', async () => {
    await signInAgain(phone)
    expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    expect.soft(await findAxeViolations(phone)).toEqual([])
    await button(phone, 'Menu').click()
    const menu = phone.getByRole('dialog', { name: 'pilot' })
    expect(await menu.getByRole('link').count()).toBe(0)
    await menu.getByRole('button', { name: 'Logout' }).click()
    await phone.waitForURL('**/auth')
  })

  test('a tab that was still open learns it from the first request', async () => {
    const tab = await laptop.context().newPage()
    const before = await laptop.request.get('/api/user')
    const user = { ...(await before.json()), deletesAt: null, canRestore: false }
    await tab.route('**/api/user', (route) => route.fulfill({ json: user }), { times: 1 })
    await tab.goto('/orders')
    await heading(tab, SCHEDULED).waitFor()
    await tab.close()
  })

  test('the account is kept by keyboard, in all tabs, with everything that was in it', async () => {
    const otherTab = await laptop.context().newPage()
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
    const picture = visitor.getByRole('main').getByRole('img').first()
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
  })
})

describe('when the time has passed', () => {
  test('the account is gone: a sign-in fails as for a user who never existed', async () => {
    await openDialog()
    await password().fill(PASSWORD)
    await confirm().click()
    await heading(laptop, SCHEDULED).waitFor()
    await system.sql('auth', "UPDATE account_deletions SET deletes_at = now() - interval '1 minute'")
    const answer = async (username: string) => {
      const response = await visitor.request.post('/api/login', {
        data: { username, password: PASSWORD },
        headers: { origin: system.url },
      })
      return [response.status(), (await response.json()).message]
    }
    const unknown = await answer('nobody')
    await expect.poll(() => answer('pilot'), { timeout: 60_000, interval: 2_000 }).toEqual(unknown)
    await laptop.getByRole('main').getByRole('link', { name: 'Login' }).click()
    await laptop.getByLabel('Username').fill('pilot')
    await laptop.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await button(laptop, 'Login').click()
    await toast(laptop, 'Login failed').waitFor()
    await expectFolder(false)
  })

  test('its name is free again', async () => {
    await register(laptop, 'pilot', 'pilot@example.test', PASSWORD)
    await toast(laptop, 'Welcome, pilot!').waitFor()
    expect(await readJson(laptop.request.get('/api/photos'))).toEqual([])
  })
})

test('nothing failed in the background', () => {
  expect(disclosures.errors).toEqual([])
})
