import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ACCOUNT_PAGES,
  button,
  type Disclosures,
  expectSignedOut,
  fillNewPassword,
  heading,
  linkOf,
  openDevice,
  openLink,
  PHONE,
  pretendWithoutMail,
  register,
  signIn,
  toast,
  tokenOf,
  widthOf,
} from './account-fixture.ts'
import { findAxeViolations } from './axe.ts'
import { collectSecrets, openBrowser, startSystem, type TestSystem } from './test-system.ts'

// An account and its mails: the address is confirmed, the password is forgotten and changed, devices are signed out, the
// address is changed and changed back. The tests are steps of one end-to-end user journey.
const FIRST_PASSWORD = 'over-the-lake'
const SECOND_PASSWORD = 'under-the-bridge'
const THIRD_PASSWORD = 'behind-the-hills'
const ADDRESS = 'pilot@example.test'
const NEW_ADDRESS = 'paula@example.test'

let system: TestSystem
let browser: Browser
let laptop: Page
let phone: Page
const disclosures: Disclosures = { texts: [], errors: [] }
const links: string[] = []

beforeAll(async () => {
  system = await startSystem()
  browser = await openBrowser()
  laptop = await openDevice(browser, system.url, disclosures)
  phone = await openDevice(browser, system.url, disclosures, PHONE)
})

afterAll(async () => {
  const secrets = await collectSecrets(browser)
  await browser?.close()
  await system?.stop([...secrets, ...links.map(tokenOf), SECOND_PASSWORD, THIRD_PASSWORD, NEW_ADDRESS])
})

const devices = (page: Page) => page.getByRole('region', { name: 'Devices' })

/** The link of the newest mail to an address with this subject. */
async function receiveLink(to: string, subject: RegExp): Promise<string> {
  const link = linkOf(await system.mailbox.waitForMail({ to, subject }))
  links.push(link)
  return link
}

describe('the address that was given at the registration', () => {
  test('gets a link, as the registration says', async () => {
    await register(laptop, 'pilot', ADDRESS, FIRST_PASSWORD)
    await toast(laptop, 'Welcome, pilot!').waitFor()
    await toast(laptop, `We sent a link to ${ADDRESS} to confirm it.`).waitFor()
  })

  test('is confirmed by a click on the page of the link', async () => {
    const link = await receiveLink(ADDRESS, /Confirm/)
    const otherTab = await laptop.context().newPage()
    await otherTab.goto(`${system.url}/profile`)
    await otherTab.getByText('Not confirmed', { exact: true }).waitFor()
    await openLink(laptop, link)
    await heading(laptop, 'Confirm your email address').waitFor()
    expect.soft(await findAxeViolations(laptop)).toEqual([])
    await button(laptop, 'Confirm address').click()
    await heading(laptop, 'Your address is confirmed').waitFor()
    expect(await laptop.evaluate(() => document.activeElement?.textContent)).toBe('Your address is confirmed')
    await otherTab.getByText('Confirmed', { exact: true }).waitFor()
    await otherTab.close()
    await laptop.getByRole('link', { name: 'Go to your profile' }).click()
    await laptop.getByText('Confirmed', { exact: true }).waitFor()
  })

  test('stays confirmed when the link is opened again', async () => {
    await openLink(laptop, links[0] ?? '')
    await button(laptop, 'Confirm address').click()
    await laptop.getByText(`The link was used before: ${ADDRESS} is confirmed.`).waitFor()
    await openLink(phone, links[0] ?? '')
    await button(phone, 'Confirm address').click()
    await heading(phone, 'This link has expired or was already used').waitFor()
    expect.soft(await findAxeViolations(phone)).toEqual([])
  })
})

describe('the login form', () => {
  const password = () => phone.getByLabel('Password', { exact: true })
  const show = (pressed: boolean) => phone.getByRole('button', { name: 'Show password', pressed })

  test('has a photograph and its errors beside it', async () => {
    await phone.goto('/auth')
    await button(phone, 'Login').click()
    await phone.getByRole('alert').getByText('Please check the marked fields.').waitFor()
    const description = await password().evaluate(
      (input) => document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent,
    )
    expect(description).toBe('Password is required')
    expect.soft(await findAxeViolations(phone)).toEqual([])
    const photograph = phone.getByRole('img', { name: /Black Canyon/ })
    await photograph.scrollIntoViewIfNeeded()
    await expect.poll(() => photograph.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
    expect(await widthOf(phone, '/auth')).toBe(390)
  })

  test('shows the password, and keeps the caret in it', async () => {
    await password().fill(FIRST_PASSWORD)
    await password().press('ArrowLeft')
    const caret = FIRST_PASSWORD.length - 1
    const state = () =>
      password().evaluate((input: HTMLInputElement) => ({
        type: input.type,
        autocomplete: input.autocomplete,
        caret: input.selectionStart,
        focused: input === document.activeElement,
      }))
    await show(false).click()
    expect(await state()).toEqual({ type: 'text', autocomplete: 'current-password', caret, focused: true })
    await show(true).click()
    expect(await state()).toEqual({ type: 'password', autocomplete: 'current-password', caret, focused: true })
  })
})

describe('a forgotten password', () => {
  const sentText = (page: Page) => page.getByRole('main').textContent()

  test('is asked for with the address from the login form', async () => {
    await phone.goto('/auth')
    await phone.getByLabel('Username').fill(ADDRESS)
    await phone.getByRole('link', { name: 'Forgot password?' }).click()
    await heading(phone, 'Forgot your password?').waitFor()
    expect(await phone.getByLabel('Email').inputValue()).toBe(ADDRESS)
    expect.soft(await findAxeViolations(phone)).toEqual([])
  })

  test('has a retry when the server cannot be reached', async () => {
    await phone.route('**/api/password-reset', (route) => route.abort())
    await button(phone, 'Send link').click()
    await phone.getByRole('alert').getByText('The server could not be reached.').waitFor()
    expect(await phone.evaluate(() => document.activeElement?.textContent)).toBe('Retry')
    await phone.unroute('**/api/password-reset')
  })

  test('says the same for an address that nobody has', async () => {
    await button(phone, 'Retry').click()
    await heading(phone, 'Check your mail').waitFor()
    expect.soft(await findAxeViolations(phone)).toEqual([])
    const known = await sentText(phone)
    await button(phone, 'Use another address').click()
    await phone.getByLabel('Email').fill('nobody@example.test')
    await button(phone, 'Send link').click()
    await heading(phone, 'Check your mail').waitFor()
    expect((await sentText(phone))?.replace('nobody@example.test', ADDRESS)).toBe(known)
  })

  test('can be requested again until the limit, which says how long to wait', async () => {
    await button(phone, 'Send again').click()
    await toast(phone, 'Requested again').waitFor()
    await expect
      .poll(async () => {
        const again = button(phone, 'Send again')
        if ((await again.count()) > 0) await again.click()
        return phone.getByRole('button', { name: /^Try again in \d+ (s|min)$/ }).count()
      })
      .toBe(1)
    expect.soft(await findAxeViolations(phone)).toEqual([])
    expect(await system.mailbox.messages('nobody@example.test')).toEqual([])
  })

  test('is replaced by the link of the mail, which survives a reload of its page', async () => {
    await openLink(phone, await receiveLink(ADDRESS, /Reset/))
    await heading(phone, 'Choose a new password').waitFor()
    expect.soft(await findAxeViolations(phone)).toEqual([])
    await phone.reload()
    await fillNewPassword(phone, SECOND_PASSWORD, 'under-the-fridge')
    await button(phone, 'Set password').click()
    await phone.getByText('Passwords do not match').waitFor()
    await fillNewPassword(phone, 'password1')
    await button(phone, 'Set password').click()
    await phone.getByText('This password is too common. Please choose another one.').waitFor()
    await fillNewPassword(phone, SECOND_PASSWORD)
    await button(phone, 'Set password').click()
    await toast(phone, 'Sign in with your new password.').waitFor()
    await phone.waitForURL('**/auth')
  })

  test('signs out every device, and the old password is rejected', async () => {
    await expectSignedOut(laptop)
    await laptop.getByLabel('Username').fill('pilot')
    await laptop.getByLabel('Password', { exact: true }).fill(FIRST_PASSWORD)
    await button(laptop, 'Login').click()
    await toast(laptop, 'Login failed').waitFor()
    await laptop.getByRole('main').getByRole('alert').waitFor() // Stays when the toast has passed.
    expect.soft(await findAxeViolations(laptop)).toEqual([])
    await signIn(laptop, 'pilot', SECOND_PASSWORD)
    await system.mailbox.waitForMail({ to: ADDRESS, subject: /password was changed/ })
  })

  test('cannot be replaced twice by the same link', async () => {
    await openLink(phone, links.at(-1) ?? '')
    await fillNewPassword(phone, THIRD_PASSWORD)
    await button(phone, 'Set password').click()
    await heading(phone, 'This link has expired or was already used').waitFor()
    await phone.getByRole('link', { name: 'Request a new link' }).click()
    await heading(phone, 'Forgot your password?').waitFor()
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
    expect.soft(await findAxeViolations(phone)).toEqual([])
  })

  test('is a matter of the operator where no mail is sent', async () => {
    await pretendWithoutMail(phone)
    await phone.goto('/forgot-password')
    await phone.getByText('Ask the person who runs it for help').waitFor()
    expect(await phone.getByLabel('Email').count()).toBe(0)
    expect.soft(await findAxeViolations(phone)).toEqual([])
    await phone.unroute('**/api/config')
  })
})

describe('devices', () => {
  test('are listed with what they are and when they were used', async () => {
    await signIn(phone, 'pilot', SECOND_PASSWORD)
    await laptop.goto('/profile')
    const rows = devices(laptop).getByRole('listitem')
    await expect.poll(() => rows.count()).toBe(2)
    expect(await rows.first().textContent()).toMatch(/^Chrome on .*This deviceLast used .*Signed in /)
    expect(await rows.last().textContent()).toMatch(/^Safari on iOS.*Sign out/)
    expect.soft(await findAxeViolations(laptop)).toEqual([])
  })

  test('are signed out one by one, and return to what was typed', async () => {
    await phone.goto('/folders')
    await button(phone, 'New folder').first().click()
    const folder = phone.getByRole('dialog', { name: 'New folder' })
    await folder.getByLabel('Name').fill('Lakes in autumn')
    await devices(laptop).getByRole('button', { name: 'Sign out Safari on iOS' }).click()
    await toast(laptop, 'Safari on iOS has to sign in again.').waitFor()
    await devices(laptop).getByText('No other device is signed in.').waitFor()
    await heading(phone, 'Your session has ended').waitFor()
    expect(await folder.count()).toBe(0)
    expect.soft(await findAxeViolations(phone)).toEqual([])
    await phone.getByLabel('Username').fill('pilot')
    await phone.getByLabel('Password', { exact: true }).fill(SECOND_PASSWORD)
    await button(phone, 'Login').click()
    await expect.poll(() => folder.getByLabel('Name').inputValue()).toBe('Lakes in autumn')
    await folder.getByRole('button', { name: 'Create folder' }).click()
    await toast(phone, 'Folder created').waitFor()
  })

  test('are all signed out but this one', async () => {
    await laptop.reload()
    await button(laptop, 'Sign out everywhere else').click()
    const dialog = laptop.getByRole('alertdialog')
    await dialog.getByText('One other device has to sign in again. This device stays signed in.').waitFor()
    expect.soft(await findAxeViolations(laptop)).toEqual([])
    await button(laptop, 'Sign out everywhere else').click()
    await toast(laptop, 'Only this device is still signed in.').waitFor()
    await expectSignedOut(phone)
    await laptop.reload()
    await devices(laptop).getByText('No other device is signed in.').waitFor()
  })

  test('are signed out when the password is changed', async () => {
    await signIn(phone, 'pilot', SECOND_PASSWORD)
    await laptop.getByLabel('Current password').fill(FIRST_PASSWORD)
    await fillNewPassword(laptop, THIRD_PASSWORD)
    await button(laptop, 'Change password').click()
    await laptop.getByText('Current password is incorrect').waitFor()
    await laptop.getByLabel('Current password').fill(SECOND_PASSWORD)
    await button(laptop, 'Change password').click()
    await toast(laptop, 'All other devices were signed out.').waitFor()
    expect(await laptop.getByLabel('Current password').inputValue()).toBe('')
    await expectSignedOut(phone)
    await laptop.reload()
    await heading(laptop, 'Profile').waitFor()
  })
})

describe('a changed address', () => {
  test('counts once its link was opened and the password entered', async () => {
    await laptop.getByLabel('Email').fill(NEW_ADDRESS)
    await button(laptop, 'Save').click()
    await toast(laptop, 'Profile updated').waitFor()
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
    await laptop.reload()
    await laptop.getByText('Confirmed', { exact: true }).waitFor()
  })

  test('is changed back by the mail to the former one, which signs out every device', async () => {
    await openLink(phone, await receiveLink(ADDRESS, /address was changed/))
    await heading(phone, 'Change your email address back').waitFor()
    expect.soft(await findAxeViolations(phone)).toEqual([])
    await button(phone, 'Change it back').click()
    await heading(phone, 'Your address is restored').waitFor()
    expect.soft(await findAxeViolations(phone)).toEqual([])
    await expectSignedOut(laptop)
    await signIn(laptop, 'pilot', THIRD_PASSWORD)
    await laptop.goto('/profile')
    await laptop.getByText('Confirmed', { exact: true }).waitFor()
    expect(await laptop.getByLabel('Email').inputValue()).toBe(ADDRESS)
  })

  test('is not changed back twice by the same link', async () => {
    await openLink(phone, links.at(-1) ?? '')
    await button(phone, 'Change it back').click()
    await heading(phone, 'This link has expired or was already used').waitFor()
  })
})

test('a phone shows all these pages in its width', async () => {
  for (const path of ACCOUNT_PAGES) expect([path, await widthOf(phone, path)]).toEqual([path, 390])
})

test('no token was in an address that was requested, a referrer or the console', () => {
  expect(links.length).toBeGreaterThanOrEqual(4)
  const seen = disclosures.texts.join('\n')
  for (const link of links) expect(seen.includes(tokenOf(link))).toBe(false)
})

test('no page threw an error or violated its content security policy', () => {
  expect(disclosures.errors).toEqual([])
})
