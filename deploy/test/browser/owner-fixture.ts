import {
  type APIRequestContext,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  request,
} from 'playwright-core'
import { recordPageEvents } from './failure-report.ts'
import { readJson } from './gallery-photos.ts'
import { collectSecrets, openBrowser, startSystem, type TestSystem, useSharedSystem } from './test-system.ts'

/** A system with one owner, signed in through the API and in a browser. */
export interface OwnerFixture extends Pick<TestSystem, 'sql' | 'sandboxUrl' | 'sandboxKey' | 'mailbox' | 'url'> {
  api: APIRequestContext
  /** The owner's page. */
  page: Page
  /** Another page of the owner, in the same browser. */
  openTab(): Promise<Page>
  /** Opens a page in a separate browser context, of the owner or of a visitor. */
  openIsolatedPage(who: 'owner' | 'visitor', options?: BrowserContextOptions): Promise<Page>
  /** Makes the owner an administrator. */
  grantAdmin(): Promise<void>
  /** Limits the owner's storage. */
  setQuota(megabytes: number): Promise<void>
  /** Uncaught errors and violations of the content security policy on all pages. */
  pageErrors: string[]
  close(): Promise<void>
}

/** On the system of this worker, or on one with these settings. */
export async function startOwnerFixture(settings?: Record<string, string>): Promise<OwnerFixture> {
  const system = settings ? await startSystem(settings) : await useSharedSystem()
  const browser = await openBrowser()
  const api = await request.newContext({ baseURL: system.url, extraHTTPHeaders: { origin: system.url } })
  const password = 'over-the-lake'
  const account = { username: 'pilot', email: 'pilot@example.test', password, confirmPassword: password }
  await readJson(api.post('/api/register', { data: account }))
  const pageErrors: string[] = []
  const session = await api.storageState()
  const context = (options: BrowserContextOptions) => openContext(browser, { baseURL: system.url, ...options })
  const owner = await context({ storageState: session })
  return {
    sql: system.sql,
    sandboxUrl: system.sandboxUrl,
    sandboxKey: system.sandboxKey,
    mailbox: system.mailbox,
    url: system.url,
    api,
    page: await openPage(owner, pageErrors),
    openTab: () => openPage(owner, pageErrors),
    openIsolatedPage: async (who, options) => {
      const storageState = who === 'owner' ? session : undefined
      return openPage(await context({ ...options, storageState }), pageErrors)
    },
    grantAdmin: () => system.grantAdmin(account.username),
    setQuota: (megabytes) => system.setQuota(account.username, megabytes),
    pageErrors,
    close: async () => {
      const secrets = await collectSecrets(browser)
      await api.dispose()
      await browser.close()
      await system.stop(secrets)
    },
  }
}

async function openContext(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  })
  recordPageEvents(context)
  return context
}

async function openPage(context: BrowserContext, pageErrors: string[]): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  page.on('pageerror', (error) => pageErrors.push(error.message))
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) pageErrors.push(message.text())
  })
  return page
}
