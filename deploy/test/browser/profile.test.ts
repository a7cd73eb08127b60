import { dronePhoto } from '@skyfolio/testkit'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { findPhoto, noisePhoto, readJson, uploadPhoto, waitUntilReady } from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'

// The user edits the profile and sets preferences. The tests are steps of one end-to-end user journey.
const LAKE = { latitude: 46.842607, longitude: -91.99456, takenAt: '2016:06:23 16:31:59' }
let fixture: OwnerFixture
let page: Page

beforeAll(async () => {
  fixture = await startOwnerFixture()
  page = fixture.page
  await uploadPhoto(fixture.api, 'lake.jpg', await dronePhoto(LAKE))
  await waitUntilReady(fixture.api)
})

afterAll(() => fixture?.close())

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const toast = (text: string | RegExp) => page.locator('[data-toasts]').getByText(text, { exact: true })
const field = (name: string) => page.getByLabel(name)
const preference = (name: string) => page.getByRole('switch', { name })
const settings = () => page.getByRole('dialog', { name: 'Settings' })
const choice = (name: string) => settings().getByRole('radio', { name, exact: true })
const uploadDialog = () => page.getByRole('dialog', { name: 'Upload Photos' })
const user = () => readJson<Record<string, unknown>>(fixture.api.get('/api/user'))

async function openSettings(): Promise<void> {
  await button('Account of pilot').click()
  await page.getByRole('menuitem', { name: 'Settings' }).click()
  await settings().getByText('Default view', { exact: true }).waitFor()
}

describe('the profile', () => {
  test('is for signed-in users', async () => {
    const visitor = await fixture.openIsolatedPage('visitor')
    await visitor.goto('/profile')
    await visitor.waitForURL('**/auth')
  })

  test('is reached from the bar and from the avatar menu', async () => {
    await page.goto('/')
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
    await expect.poll(() => links.allTextContents()).toEqual(['Photos', 'Orders', 'Meta Data', 'Profile'])
    await links.filter({ hasText: 'Profile' }).click()
    await page.getByRole('heading', { name: 'Profile', exact: true }).waitFor()
    expect(await page.title()).toBe('Profile · Skyfolio')
    await page.goto('/orders')
    await button('Account of pilot').click()
    await page.getByRole('menuitem', { name: 'Profile' }).click()
    await page.waitForURL('**/profile')
  })

  test('shows the username, which cannot be changed', async () => {
    expect(await field('Username').inputValue()).toBe('pilot')
    expect(await field('Username').isEditable()).toBe(false)
    await page.getByText('Username cannot be changed', { exact: true }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
  })

  test('is saved, and the initials follow', async () => {
    await field('First name').fill('Ann')
    await field('Last name').fill('Lake')
    await field('Last name').press('Enter')
    await toast('Profile updated').waitFor()
    await button('Account of pilot').getByText('AL').waitFor()
    expect(await user()).toMatchObject({ firstName: 'Ann', lastName: 'Lake', email: 'pilot@example.test' })
    expect(await button('Save').isDisabled()).toBe(true)
  })

  test('says at the field what is wrong, and keeps what was typed', async () => {
    await field('Email').fill('pilot@')
    await button('Save').click()
    await page.getByText('Invalid email address', { exact: true }).waitFor()
    expect(await field('Email').evaluate((input) => input === document.activeElement)).toBe(true)
    await field('Email').fill('pilot@example.test')
    await page.route('**/api/user', (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({
            status: 400,
            json: { code: 'bad_request', message: 'No.', fields: { lastName: 'Too odd.' } },
          })
        : route.fallback(),
    )
    await field('Last name').fill('Laker')
    await button('Save').click()
    await toast('Error updating profile').waitFor()
    await toast('No.').waitFor()
    await page.getByText('Too odd.', { exact: true }).waitFor()
    expect(await field('Last name').inputValue()).toBe('Laker')
    expect(await field('Last name').evaluate((input) => input === document.activeElement)).toBe(true)
    await page.unroute('**/api/user')
  })

  test('keeps unsaved changes on other screens and asks before logging out', async () => {
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

  test('tells that the address is not confirmed, and sends the mail again', async () => {
    await page.getByText('Not confirmed', { exact: true }).waitFor()
    await button('Send the mail again').click()
    await toast('Confirmation mail sent').waitFor()
    await field('Email').fill('')
    await page.getByText(/^Without an address you get no mail/).waitFor()
    await field('Email').fill('other@example.test')
    await page.getByText(/^After saving, we send a link to the new address/).waitFor()
    await button('Discard').click()
  })

  test('has a preference that acts on the next upload', async () => {
    await preference('New photos are public').click()
    await button('Save').click()
    await toast('Profile updated').waitFor()
    await page.goto('/upload')
    expect(await uploadDialog().getByLabel('Public').isChecked()).toBe(false)
    // An upload that says nothing about it takes the preference, too.
    const isPublic = async (number: number) => {
      await uploadPhoto(fixture.api, `private-${number}.jpg`, await noisePhoto(300))
      const photo = await findPhoto(fixture.api, `private-${number}`)
      return (photo as unknown as { isPublic: boolean }).isPublic
    }
    let uploads = 0
    await expect
      .poll(() => {
        uploads += 1
        return isPublic(uploads)
      })
      .toBe(false)
    await waitUntilReady(fixture.api)
  })
})

describe('the settings', () => {
  test('are saved at once and act on the gallery', async () => {
    await page.goto('/')
    await openSettings()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await choice('Imperial').click()
    await settings().getByLabel('Default sort').selectOption('Date taken, oldest first')
    await choice('List').click()
    await settings().getByText('Saved', { exact: true }).waitFor()
    await choice('Dark').click()
    expect(await page.evaluate(() => [localStorage.getItem('theme'), document.documentElement.dataset.theme])).toEqual([
      'dark',
      'dark',
    ])
    await button('Done').click()
    expect(await page.getByLabel('Sort').inputValue()).toBe('taken-oldest')
    expect(await page.getByRole('radio', { name: 'List view' }).isChecked()).toBe(true)
  })

  test('give heights in feet', async () => {
    await page.goto(`/?photo=${(await findPhoto(fixture.api, 'lake')).id}`)
    await page.getByRole('region', { name: 'Drone' }).getByText('131 ft', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
  })

  test('survive a reload and are those of every browser, but the theme', async () => {
    await page.reload()
    expect(await page.getByLabel('Sort').inputValue()).toBe('taken-oldest')
    const other = await fixture.openIsolatedPage('owner')
    await other.goto('/')
    await other.getByLabel('Sort').waitFor()
    expect(await other.getByLabel('Sort').inputValue()).toBe('taken-oldest')
    expect(await other.getByRole('radio', { name: 'List view' }).isChecked()).toBe(true)
    expect(await other.evaluate(() => localStorage.getItem('theme'))).toBeNull()
    await other.goto('/?sort=newest')
    await other.getByLabel('Sort').waitFor()
    expect(await other.getByLabel('Sort').inputValue()).toBe('newest')
    await other.context().close()
    await openSettings()
    await choice('Auto').click()
    await button('Done').click()
  })

  test('leave the view of this browser alone until the default changes', async () => {
    await page.getByRole('radio', { name: 'Grid view' }).click()
    await page.reload()
    await page.getByRole('radio', { name: 'Grid view', checked: true }).waitFor()
    await openSettings()
    await choice('Grid').click()
    await choice('List').click()
    await settings().getByText('Saved', { exact: true }).waitFor()
    await button('Done').click()
    await page.getByRole('radio', { name: 'List view', checked: true }).waitFor()
    await page.reload()
    await page.getByRole('radio', { name: 'List view', checked: true }).waitFor()
  })

  test('roll back when they cannot be saved, and can be tried again', async () => {
    await openSettings()
    await page.route('**/api/user/settings', (route) =>
      route.fulfill({ status: 503, json: { code: 'unavailable', message: 'Busy.' } }),
    )
    await choice('Metric').click()
    await toast('Settings not saved').waitFor()
    await choice('Imperial')
      .and(page.getByRole('radio', { checked: true }))
      .waitFor()
    await page.unroute('**/api/user/settings')
    await settings().getByRole('button', { name: 'Retry' }).click()
    await settings().getByText('Saved', { exact: true }).waitFor()
    expect(await choice('Metric').isChecked()).toBe(true)
    await button('Done').click()
  })
})

describe('on small screens', () => {
  test('the bar holds all links and the theme without crowding', async () => {
    await fixture.grantAdmin()
    await page.goto('/profile')
    for (const width of [640, 700, 767, 768, 820, 900, 1024]) {
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
    await page.setViewportSize({ width: 700, height: 700 })
    await button(/^Theme: /).click()
    await page.getByRole('menuitem', { name: 'Light' }).click()
    expect(await page.evaluate(() => localStorage.getItem('theme'))).toBe('light')
    await button('Theme: Light').click()
    await page.getByRole('menuitem', { name: 'System' }).click()
  })

  test('everything fits at 390 px, and the side menu has the settings', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    for (const path of ['/profile', '/profile?tab=statistics']) {
      await page.goto(path)
      await page.getByRole('heading', { name: 'Profile', exact: true }).waitFor()
      await page.getByRole('tabpanel').waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
      expect.soft(await findAxeViolations(page)).toEqual([])
    }
    await button('Menu').click()
    await button('Settings').click()
    await settings().getByText('Default view', { exact: true }).waitFor()
    expect.soft(await findAxeViolations(page)).toEqual([])
    await button('Done').click()
  })
})

test('nothing failed in the background', () => {
  expect(fixture.pageErrors).toEqual([])
})
