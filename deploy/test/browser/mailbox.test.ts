import { type Mailbox, startMailbox } from '@skyfolio/mailbox'
import { createTransport, type Transporter } from 'nodemailer'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { openBrowser } from './test-system.ts'

let mailbox: Mailbox
let mailer: Transporter
let browser: Browser
let page: Page

beforeAll(async () => {
  mailbox = await startMailbox()
  mailer = createTransport(mailbox.smtpUrl)
  browser = await openBrowser()
  page = await browser.newPage()
})
afterAll(async () => {
  await browser?.close()
  await mailbox?.stop()
})

/** Its HTML tries what a mail must not do. */
async function send(subject: string): Promise<void> {
  const html = `<body><script>document.title = 'run'</script><img src="${mailbox.url}/picture">
    <form action="${mailbox.url}/forms/delete" method="post"><button>Delete</button></form></body>`
  await mailer.sendMail({ from: 'a@example.test', to: 'ann@example.test', subject, text: 'The text', html })
}

test('shows a new mail by itself, and keeps the place of the keyboard', async () => {
  await send('First')
  await page.goto(mailbox.url)
  await page.locator('#list a').focus()
  await send('Second')
  await expect.poll(() => page.locator('#list b').allInnerTexts()).toEqual(['Second', 'First'])
  await page.keyboard.press('Enter')
  await page.waitForURL('**/messages/*')
  expect(await page.locator('h2').innerText()).toBe('First')
})

test('runs, loads and sends nothing of the HTML of a mail', async () => {
  const loaded: string[] = []
  page.on('requestfinished', (request) => void loaded.push(new URL(request.url()).pathname))
  await page.reload({ waitUntil: 'networkidle' })
  const frame = page.frameLocator('iframe')
  await frame.getByRole('button', { name: 'Delete' }).click()
  expect(await frame.locator('body').evaluate(() => document.title)).toBe('')
  expect(loaded.filter((path) => /picture|forms/.test(path))).toEqual([])
})

test('fits phones and desktops, has no problem that axe finds, and deletes all mails with one button', async () => {
  for (const path of [page.url(), mailbox.url]) {
    await page.goto(path)
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
      expect(await findAxeViolations(page)).toEqual([])
    }
  }
  await page.getByRole('button', { name: 'Delete all' }).click()
  await expect.poll(() => page.locator('#count').innerText()).toBe('0 messages')
})
