import { type Mailbox, startMailbox } from '@skyfolio/mailbox'
import { createTransport, type Transporter } from 'nodemailer'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { openBrowser } from './test-system.ts'

let mailbox: Mailbox
let mailer: Transporter
let browser: Browser
let page: Page

beforeAll(async () => {
  mailbox = await startMailbox()
  const { hostname, port } = new URL(mailbox.smtpUrl)
  mailer = createTransport({ host: hostname, port: Number(port) })
  browser = await openBrowser()
  page = await browser.newPage()
})
afterAll(async () => {
  await browser?.close()
  await mailbox?.stop()
})

/** Its HTML tries what a mail must not do; `target` is where its link leads. */
async function send(subject: string, target = mailbox.url): Promise<void> {
  const forbidden = `<img src="${mailbox.url}/picture"><script src="${mailbox.url}/script"></script><script>document.title = 'run'</script>
    <link rel="stylesheet" href="${mailbox.url}/style"><iframe src="${mailbox.url}/frame"></iframe>
    <form action="${mailbox.url}/forms/delete" method="post"><button>Delete</button></form>`
  const html = `<body>${forbidden}<a href="${target}" target="_top">Open</a></body>`
  await mailer.sendMail({ from: 'a@example.test', to: 'ann@example.test', subject, text: 'The text', html })
}

test('a mail appears by itself, without the place of the keyboard being lost', async () => {
  await send('First')
  await page.goto(mailbox.url)
  await page.locator('#list a').focus()
  await send('Second')
  await expect.poll(() => page.locator('#list b').allInnerTexts()).toEqual(['Second', 'First'])
  expect(await page.locator('#count').innerText()).toBe('2 messages')
  expect(await page.locator(':focus b').innerText()).toBe('First')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/messages/*')
  expect(await page.locator('h2').innerText()).toBe('First')
})

test('its HTML runs nothing, loads nothing and sends nothing', async () => {
  const loaded: string[] = []
  const listen = (url: string) => void loaded.push(new URL(url).pathname)
  page.on('requestfinished', (request) => listen(request.url()))
  await page.reload({ waitUntil: 'networkidle' })
  const frame = page.frameLocator('#message iframe')
  await frame.getByRole('button', { name: 'Delete' }).click()
  expect(await frame.locator('body').evaluate(() => document.title)).toBe('')
  expect(loaded.filter((path) => /picture|script|style|frame|forms/.test(path))).toEqual([])
  expect(await mailbox.summaries()).toHaveLength(2)
})

test('its link opens a tab that learns nothing of the mailbox', async () => {
  const opened = page.waitForEvent('popup')
  await page.frameLocator('#message iframe').getByRole('link', { name: 'Open' }).click()
  const tab = await opened
  onTestFinished(() => tab.close())
  await tab.waitForLoadState()
  expect(await tab.evaluate(() => [document.referrer, window.opener, location.origin])).toEqual(['', null, mailbox.url])
})

test('lists and mails fit phones and desktops, and axe finds no problem', async () => {
  const mail = page.url()
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    for (const path of [mailbox.url, mail, `${mail}?view=text`, `${mail}?view=source`]) {
      await page.goto(path)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
      expect(await findAxeViolations(page)).toEqual([])
    }
  }
})

test('all mails are deleted with one button', async () => {
  await page.goto(mailbox.url)
  await page.getByRole('button', { name: 'Delete all' }).click()
  await expect.poll(() => page.locator('#count').innerText()).toBe('0 messages')
  expect(await mailbox.summaries()).toEqual([])
})
