import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { logIn } from './account-fixture.ts'
import { findAxeViolations } from './axe.ts'
import { findPhoto, readJson, uploadLakePhotos } from './gallery-photos.ts'
import { hasFocus, type OwnerFixture, PASSWORD, registerUser, startOwnerFixture } from './owner-fixture.ts'

// The user edits the profile and sets preferences.
let fixture: OwnerFixture
let page: Page

beforeAll(async () => {
  fixture = await startOwnerFixture()
  page = fixture.page
  await uploadLakePhotos(fixture.api, 1)
})

afterAll(() => fixture?.close())

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const toast = (text: string | RegExp) => page.locator('[data-toasts]').getByText(text, { exact: true })
const field = (name: string) => page.getByLabel(name)
const settings = () => page.getByRole('dialog', { name: 'Settings' })
const choice = (name: string) => settings().getByRole('radio', { name, exact: true })

describe('the profile', () => {
  test('is reached from the bar, and is saved with new initials', async () => {
    await page.goto('/')
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
    await expect.poll(() => links.allTextContents()).toEqual(['Photos', 'Orders', 'Meta Data', 'Profile'])
    await links.filter({ hasText: 'Profile' }).click()
    await page.getByRole('heading', { name: 'Profile', exact: true }).waitFor()
    expect(await page.title()).toBe('Profile · Skyfolio')
    expect(await field('Username').isEditable()).toBe(false)
    await field('First name').fill('Ann')
    await field('Last name').fill('Lake')
    await field('Display name').fill('Ann L.')
    await field('Last name').press('Enter')
    await toast('Profile updated').waitFor()
    await button('Account of pilot').getByText('AL').waitFor()
    const saved = { firstName: 'Ann', lastName: 'Lake', displayName: 'Ann L.', email: 'pilot@example.test' }
    expect(await readJson(fixture.api.get('/api/user'))).toMatchObject(saved)
  })

  test('says at the field what is wrong, and keeps what was typed', async () => {
    await field('Email').fill('pilot@')
    await button('Save').click()
    await page.getByText('Invalid email address', { exact: true }).waitFor()
    await expect.poll(() => hasFocus(field('Email'))).toBe(true)
    await field('Email').fill('pilot@example.test')
    const json = { code: 'bad_request', message: 'No.', fields: { lastName: 'Too odd.' } }
    await page.route('**/api/user', (route) =>
      route.request().method() === 'PUT' ? route.fulfill({ status: 400, json }) : route.fallback(),
    )
    await field('Last name').fill('Laker')
    await button('Save').click()
    await page.getByText('Too odd.', { exact: true }).waitFor()
    await expect.poll(() => hasFocus(field('Last name'))).toBe(true)
    expect.soft(await findAxeViolations(page)).toEqual([])
    await page.unroute('**/api/user')
  })

  test('keeps unsaved changes on other screens, and asks before logging out', async () => {
    await page.getByRole('link', { name: 'Orders' }).click()
    await toast('Profile not saved').waitFor()
    await button('Account of pilot').click()
    await page.getByRole('menuitem', { name: 'Logout' }).click()
    const question = page.getByRole('alertdialog', { name: 'Log out without saving?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('link', { name: 'Profile' }).click()
    expect(await field('Last name').inputValue()).toBe('Laker')
    await button('Discard').click()
    expect(await field('Last name').inputValue()).toBe('Lake')
  })

  test('has a preference that acts on the next upload', async () => {
    await page.getByRole('switch', { name: 'New photos are public' }).click()
    await button('Save').click()
    await toast('Profile updated').waitFor()
    await page.goto('/upload')
    expect(await page.getByRole('dialog', { name: 'Upload Photos' }).getByLabel('Public').isChecked()).toBe(false)
  })
})

describe('the settings', () => {
  async function openSettings(): Promise<void> {
    await button('Account of pilot').click()
    await page.getByRole('menuitem', { name: 'Settings' }).click()
    await settings().getByText('Default view', { exact: true }).waitFor()
  }

  test('are saved at once, and act on the gallery and on heights', async () => {
    await page.goto('/')
    await openSettings()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await choice('Imperial').click()
    await settings().getByLabel('Default sort').selectOption('Date taken, oldest first')
    await choice('List').click()
    await settings().getByText('Saved', { exact: true }).waitFor()
    await choice('Dark').click()
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')
    await choice('Auto').click()
    await button('Done').click()
    expect(await page.getByLabel('Sort').inputValue()).toBe('taken-oldest')
    expect(await page.getByRole('radio', { name: 'List view' }).isChecked()).toBe(true)
    await page.goto(`/?photo=${(await findPhoto(fixture.api, 'lake-1')).id}`)
    await page.getByRole('region', { name: 'Drone' }).getByText('131 ft', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
  })

  test('are those of every browser, except the theme', async () => {
    const other = await fixture.openIsolatedPage('owner')
    await other.goto('/')
    await other.getByRole('radio', { name: 'List view', checked: true }).waitFor()
    expect(await other.getByLabel('Sort').inputValue()).toBe('taken-oldest')
    expect(await other.evaluate(() => localStorage.getItem('theme'))).toBeNull()
    await other.context().close()
  })
})

test('fits all links and the theme into the bar of every width', async () => {
  await fixture.grantAdmin('pilot')
  await page.goto('/profile')
  for (const width of [640, 767, 768, 820, 1024]) {
    await page.setViewportSize({ width, height: 700 })
    await page.getByRole('link', { name: 'Admin' }).waitFor()
    const gap = await page.evaluate(() => {
      const nav = document.querySelector('header nav')
      const rest = nav?.nextElementSibling?.getBoundingClientRect()
      return (rest?.left ?? 0) - (nav?.getBoundingClientRect().right ?? 0)
    })
    expect(gap, `at ${width} px`).toBeGreaterThanOrEqual(16)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
  }
  await page.setViewportSize({ width: 390, height: 844 })
  await button('Menu').click()
  await button('Settings').click()
  await settings().getByText('Default view', { exact: true }).waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
})

describe('another user of an open page', () => {
  const description = () => page.getByRole('dialog', { name: 'Upload Photos' }).getByLabel('Description')

  test('gets nothing of the upload form after a logout', async () => {
    const second = await registerUser(fixture.url, 'second')
    await second.dispose()
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto('/upload')
    await description().fill('Of the first user')
    await page.keyboard.press('Escape')
    await button('Account of pilot').click()
    await page.getByRole('menuitem', { name: 'Logout' }).click()
    await page.waitForURL('**/auth')
    await logIn(page, 'second', PASSWORD)
    await button('Account of second').waitFor()
    await button('Upload Photos').first().click()
    expect(await description().inputValue()).toBe('')
    await page.keyboard.press('Escape')
  })

  test('sees only the own photos after a sign-in in another tab', async () => {
    await page.getByRole('heading', { name: 'No photos found' }).waitFor()
    const data = { username: 'pilot', password: PASSWORD }
    await readJson(page.context().request.post(`${fixture.url}/api/login`, { data, headers: { origin: fixture.url } }))
    const tab = await page.context().newPage()
    await tab.goto('/api-docs')
    // As a link of a mail does.
    await tab.evaluate(() => new BroadcastChannel('account').postMessage('changed'))
    await button('Account of pilot').waitFor()
    await page.getByText('1 photo', { exact: false }).first().waitFor()
    await page.getByRole('heading', { name: 'No photos found' }).waitFor({ state: 'detached' })
  })
})
