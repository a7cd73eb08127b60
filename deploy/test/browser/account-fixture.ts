import type { Message } from '@skyfolio/mailbox'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { recordPageEvents } from './failure-report.ts'

/** What a run of the browser said where others could read it: addresses, referrers, console. */
export interface Disclosures {
  texts: string[]
  /** Uncaught errors and violations of the content security policy. */
  errors: string[]
}

/** A device with another name than the computer that runs the tests. */
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  userAgent:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
}

/** Opens a browser context of its own, as another device would. */
export async function openDevice(
  browser: Browser,
  baseURL: string,
  disclosures: Disclosures,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const viewport = { width: 1280, height: 800 }
  const context = await browser.newContext({ baseURL, viewport, reducedMotion: 'reduce', ...options })
  recordPageEvents(context)
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  page.on('pageerror', (error) => disclosures.errors.push(error.message))
  page.on('console', (message) => {
    disclosures.texts.push(message.text())
    if (message.text().includes('Content Security Policy')) disclosures.errors.push(message.text())
  })
  page.on('request', (request) => {
    // The fragment is never sent.
    disclosures.texts.push(request.url().replace(/#.*/, ''), JSON.stringify(request.headers()))
  })
  return page
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

export async function register(page: Page, username: string, email: string, password: string): Promise<void> {
  await page.goto('/auth')
  await page.getByRole('tab', { name: 'Register' }).click()
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password').fill(password)
  await page.getByRole('checkbox', { name: /terms/i }).click()
  await page.getByRole('button', { name: 'Register', exact: true }).click()
}

export async function signIn(page: Page, username: string, password: string): Promise<void> {
  await page.goto('/auth')
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Login', exact: true }).click()
  await page.waitForURL((url) => url.pathname !== '/auth')
}

/** The next request of the page finds its session ended and leads to the login. */
export async function expectSignedOut(page: Page): Promise<void> {
  await page.goto('/profile')
  await page.waitForURL('**/auth')
}

/** The page sees a system that has no mail server. */
export async function pretendWithoutMail(page: Page): Promise<void> {
  await page.route('**/api/config', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), mail: { available: false } } })
  })
}

export async function fillNewPassword(page: Page, password: string, again = password): Promise<void> {
  await page.getByLabel('New password', { exact: true }).fill(password)
  await page.getByLabel('Confirm new password').fill(again)
}

/** The pages that mails and the login lead to. */
export const ACCOUNT_PAGES = [
  '/forgot-password',
  '/reset-password#token=x',
  '/confirm-email#token=x',
  '/revert-email#token=x',
]

/** How wide the contents of a page are. */
export async function widthOf(page: Page, path: string): Promise<number> {
  await page.goto('about:blank')
  await page.goto(path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page.evaluate(() => document.documentElement.scrollWidth)
}

export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, exact: true })
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
export const toast = (page: Page, text: string) => page.locator('[data-toasts]').getByText(text)
