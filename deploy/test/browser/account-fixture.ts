import type { Message } from '@skyfolio/mailbox'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { PHONE } from './owner-fixture.ts'

/** A device with another name than the computer that runs the tests. */
export const IPHONE: BrowserContextOptions = {
  ...PHONE,
  userAgent:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
}

/** The link of a mail that carries a token. */
export function linkOf({ subject, text }: Message): string {
  const link = /https?:\/\/\S+#token=[\w-]+/.exec(text)?.[0]
  if (!link) throw new Error(`No link with a token in the mail "${subject}":\n${text}`)
  return link
}

export function tokenOf(link: string): string {
  return new URL(link).hash.slice('#token='.length)
}

/** Opens a link of a mail in a tab that showed another page, and waits until the token has left the address bar. */
export async function openLink(page: Page, link: string): Promise<void> {
  await page.goto('about:blank')
  await page.goto(link)
  await page.waitForURL(link.replace(/#.*/, ''))
}

export async function register(page: Page, username: string, password: string): Promise<void> {
  await page.goto('/auth')
  await page.getByRole('tab', { name: 'Register' }).click()
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Email').fill(`${username}@example.test`)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password').fill(password)
  await page.getByRole('checkbox', { name: /terms/i }).click()
  await button(page, 'Register').click()
  await toast(page, `Welcome, ${username}!`).waitFor()
}

/** Fills the form of the login, on its page or in the dialog of an ended session, and sends it. */
export async function logIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await button(page, 'Login').click()
}

export async function signIn(page: Page, username: string, password: string): Promise<void> {
  await page.goto('/auth')
  await logIn(page, username, password)
  await page.waitForURL((url) => url.pathname !== '/auth')
}

/** The next request of the page finds its session ended and leads to the login. */
export async function expectSignedOut(page: Page): Promise<void> {
  await page.goto('/profile')
  await page.waitForURL('**/auth')
}

export async function fillNewPassword(page: Page, password: string, again = password): Promise<void> {
  await page.getByLabel('New password', { exact: true }).fill(password)
  await page.getByLabel('Confirm new password').fill(again)
}

export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, exact: true })
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
export const toast = (page: Page, text: string) => page.locator('[data-toasts]').getByText(text)
