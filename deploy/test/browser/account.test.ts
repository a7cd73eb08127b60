import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  button,
  expectSignedOut,
  fillNewPassword,
  heading,
  IPHONE,
  linkOf,
  logIn,
  openLink,
  register,
  signIn,
  toast,
  tokenOf,
} from './account-fixture.ts'
import { findAxeViolations } from './axe.ts'
import { type BrowserFixture, startBrowserFixture } from './owner-fixture.ts'

// A user registers, confirms the address, forgets the password, and manages devices, on a laptop and a phone.
const FIRST_PASSWORD = 'over-the-lake'
const SECOND_PASSWORD = 'under-the-bridge'
const THIRD_PASSWORD = 'behind-the-hills'
const ADDRESS = 'pilot@example.test'
const NEW_ADDRESS = 'paula@example.test'

let fixture: BrowserFixture
let laptop: Page
let phone: Page
const links: string[] = []

beforeAll(async () => {
  fixture = await startBrowserFixture()
  laptop = await fixture.openPage()
  phone = await fixture.openPage(IPHONE)
})

afterAll(() => fixture?.close([...links.map(tokenOf), SECOND_PASSWORD, THIRD_PASSWORD, NEW_ADDRESS]))

const devices = (page: Page) => page.getByRole('region', { name: 'Devices' })

/** The link of the newest mail to an address with this subject. */
async function receiveLink(to: string, subject: RegExp): Promise<string> {
  const link = linkOf(await fixture.mailbox.waitForMail({ to, subject }))
  links.push(link)
  return link
}

describe('a new address', () => {
  test('is confirmed by a click on the page of its link, which other tabs notice', async () => {
    await register(laptop, 'pilot', FIRST_PASSWORD)
    await toast(laptop, `We sent a link to ${ADDRESS} to confirm it.`).waitFor()
    const link = await receiveLink(ADDRESS, /Confirm/)
    const otherTab = await laptop.context().newPage()
    await otherTab.goto('/profile')
    await otherTab.getByText('Not confirmed', { exact: true }).waitFor()
    await openLink(laptop, link)
    await button(laptop, 'Confirm address').click()
    await heading(laptop, 'Your address is confirmed').waitFor()
    await expect
      .poll(() => laptop.evaluate(() => document.activeElement?.textContent))
      .toBe('Your address is confirmed')
    await otherTab.getByText('Confirmed', { exact: true }).waitFor()
    await otherTab.close()
  })

  test('stays confirmed when its link is opened again', async () => {
    await openLink(laptop, links[0] ?? '')
    await button(laptop, 'Confirm address').click()
    await laptop.getByText(`The link was used before: ${ADDRESS} is confirmed.`).waitFor()
  })
})

describe('a forgotten password', () => {
  const sentText = (page: Page) => page.getByRole('main').textContent()

  test('is reset with the address that was typed into the login, after a retry when the server is unavailable', async () => {
    await phone.goto('/auth')
    await phone.getByLabel('Username').fill(ADDRESS)
    await phone.getByRole('link', { name: 'Forgot password?' }).click()
    await heading(phone, 'Forgot your password?').waitFor()
    expect(await phone.getByLabel('Email').inputValue()).toBe(ADDRESS)
    await phone.route('**/api/password-reset', (route) => route.abort())
    await button(phone, 'Send link').click()
    await phone.getByRole('alert').getByText('The server could not be reached.').waitFor()
    await expect.poll(() => phone.evaluate(() => document.activeElement?.textContent)).toBe('Retry')
    await phone.unroute('**/api/password-reset')
    await button(phone, 'Retry').click()
    await heading(phone, 'Check your mail').waitFor()
    expect.soft(await findAxeViolations(phone)).toEqual([])
  })

  test('looks the same for an address that nobody has', async () => {
    const known = await sentText(phone)
    await button(phone, 'Use another address').click()
    await phone.getByLabel('Email').fill('nobody@example.test')
    await button(phone, 'Send link').click()
    await heading(phone, 'Check your mail').waitFor()
    expect((await sentText(phone))?.replace('nobody@example.test', ADDRESS)).toBe(known)
    expect(await fixture.mailbox.messages('nobody@example.test')).toEqual([])
  })

  test('is replaced on the page of the link, which survives a reload and rejects common passwords', async () => {
    await openLink(phone, await receiveLink(ADDRESS, /Reset/))
    await heading(phone, 'Choose a new password').waitFor()
    await phone.reload()
    await fillNewPassword(phone, 'password1')
    await button(phone, 'Set password').click()
    await phone.getByText('This password is too common. Please choose another one.').waitFor()
    await fillNewPassword(phone, SECOND_PASSWORD)
    await button(phone, 'Set password').click()
    await toast(phone, 'Log in with your new password.').waitFor()
    await phone.waitForURL('**/auth')
  })

  test('signs out every device when it is replaced, and is rejected from then on', async () => {
    await expectSignedOut(laptop)
    await logIn(laptop, 'pilot', FIRST_PASSWORD)
    await toast(laptop, 'Login failed').waitFor()
    await laptop.getByRole('main').getByRole('alert').waitFor() // Stays when the toast has passed.
    expect.soft(await findAxeViolations(laptop)).toEqual([])
    await signIn(laptop, 'pilot', SECOND_PASSWORD)
    await fixture.mailbox.waitForMail({ to: ADDRESS, subject: /password was changed/ })
  })

  test('cannot be replaced twice by the same link', async () => {
    await openLink(phone, links.at(-1) ?? '')
    await fillNewPassword(phone, THIRD_PASSWORD)
    await button(phone, 'Set password').click()
    await heading(phone, 'This link has expired or was already used').waitFor()
    expect.soft(await findAxeViolations(phone)).toEqual([])
  })

  test('leaves no token in the tab once its page was left', async () => {
    await openLink(phone, links.at(-1) ?? '')
    await heading(phone, 'Choose a new password').waitFor()
    await phone.getByRole('link', { name: 'Privacy Policy' }).click()
    await heading(phone, 'Privacy Policy').waitFor()
    const kept = await phone.evaluate(() => JSON.stringify([sessionStorage, localStorage, history.state]))
    for (const link of links) expect(kept).not.toContain(tokenOf(link))
    await phone.goBack()
    await heading(phone, 'This link is incomplete').waitFor()
  })
})

describe('a device', () => {
  test('is listed with what it is and when it was used', async () => {
    await signIn(phone, 'pilot', SECOND_PASSWORD)
    await laptop.goto('/profile')
    const rows = devices(laptop).getByRole('listitem')
    await expect.poll(() => rows.count()).toBe(2)
    expect(await rows.first().textContent()).toMatch(/^Chrome on .*This deviceLast used .*Logged in /)
    expect(await rows.last().textContent()).toMatch(/^Safari on iOS.*Log out/)
    expect.soft(await findAxeViolations(laptop)).toEqual([])
  })

  test('returns to what was typed after it was signed out by another one', async () => {
    await phone.goto('/folders')
    await button(phone, 'New folder').first().click()
    const folder = phone.getByRole('dialog', { name: 'New folder' })
    await folder.getByLabel('Name').fill('Lakes in autumn')
    await devices(laptop).getByRole('button', { name: 'Log out Safari on iOS' }).click()
    await toast(laptop, 'Safari on iOS has to log in again.').waitFor()
    await heading(phone, 'Your session has ended').waitFor()
    expect(await folder.count()).toBe(0)
    expect.soft(await findAxeViolations(phone)).toEqual([])
    await logIn(phone, 'pilot', SECOND_PASSWORD)
    await expect.poll(() => folder.getByLabel('Name').inputValue()).toBe('Lakes in autumn')
    await folder.getByRole('button', { name: 'Create folder' }).click()
    await toast(phone, 'Folder created').waitFor()
  })

  test('is signed out when the password is changed on another one', async () => {
    await laptop.getByLabel('Current password').fill(FIRST_PASSWORD)
    await fillNewPassword(laptop, THIRD_PASSWORD)
    await button(laptop, 'Change password').click()
    await laptop.getByText('Current password is incorrect').waitFor()
    await laptop.getByLabel('Current password').fill(SECOND_PASSWORD)
    await button(laptop, 'Change password').click()
    await toast(laptop, 'All other devices were logged out.').waitFor()
    await expectSignedOut(phone)
  })
})

describe('a changed address', () => {
  test('counts once its link was opened and the password entered', async () => {
    await laptop.getByLabel('Email').fill(NEW_ADDRESS)
    await button(laptop, 'Save').click()
    await laptop.getByText('Not confirmed', { exact: true }).waitFor()
    await openLink(phone, await receiveLink(NEW_ADDRESS, /Confirm/))
    await button(phone, 'Confirm address').click()
    await phone.getByLabel('Password').fill(FIRST_PASSWORD)
    expect.soft(await findAxeViolations(phone)).toEqual([])
    await button(phone, 'Confirm address').click()
    await phone.getByText('Incorrect password').waitFor()
    await phone.getByLabel('Password').fill(THIRD_PASSWORD)
    await button(phone, 'Confirm address').click()
    await heading(phone, 'Your address is confirmed').waitFor()
  })

  test('is changed back once by the mail to the former one, which signs out every device', async () => {
    const link = await receiveLink(ADDRESS, /address was changed/)
    await openLink(phone, link)
    await button(phone, 'Change it back').click()
    await heading(phone, 'Your address is restored').waitFor()
    await expectSignedOut(laptop)
    await signIn(laptop, 'pilot', THIRD_PASSWORD)
    await laptop.goto('/profile')
    await laptop.getByText('Confirmed', { exact: true }).waitFor()
    expect(await laptop.getByLabel('Email').inputValue()).toBe(ADDRESS)
    await openLink(phone, link)
    await button(phone, 'Change it back').click()
    await heading(phone, 'This link has expired or was already used').waitFor()
  })
})

test('keeps tokens out of addresses that were requested, referrers and the console', () => {
  expect(links.length).toBeGreaterThanOrEqual(4)
  const seen = fixture.disclosures.join('\n')
  for (const link of links) expect(seen.includes(tokenOf(link))).toBe(false)
})
