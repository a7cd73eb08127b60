import type { BrowserContext, Page } from 'playwright-core'
import { afterEach, beforeEach } from 'vitest'

// Each file has its own copy of this module.
let hasFailed = false
const MAX_EVENTS = 15
const openPages = new Map<Page, string[]>()

beforeEach(({ skip }) => {
  if (hasFailed) skip('an earlier step of this journey failed')
})

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return
  hasFailed = true
  const reports = [...openPages].map(([page, met]) => describe(page, met).catch((error: Error) => error.message))
  console.error((await Promise.all(reports)).join('\n'))
})

/** Records errors and failed requests of a page, which are printed when a test fails. */
export function recordPageEvents(context: BrowserContext): void {
  context.on('page', (page) => {
    const events: string[] = []
    const note = (text: string) => {
      events.push(text)
      if (events.length > MAX_EVENTS) events.shift()
    }
    openPages.set(page, events)
    page.on('close', () => openPages.delete(page))
    page.on('console', (message) => message.type() === 'error' && note(`console: ${message.text()}`))
    page.on('pageerror', (error) => note(`threw: ${error.message}`))
    page.on('requestfailed', (request) => note(`${request.failure()?.errorText}: ${request.method()} ${request.url()}`))
    page.on('response', (response) => {
      if (response.status() >= 400) note(`${response.status()}: ${response.request().method()} ${response.url()}`)
    })
  })
}

async function describe(page: Page, met: string[]): Promise<string> {
  const text = await page.locator('body').innerText({ timeout: 2_000 })
  return [`--- page ${page.url()}`, ...met, text.replaceAll(/\s*\n\s*/g, ' | ').slice(0, 1_000)].join('\n')
}
