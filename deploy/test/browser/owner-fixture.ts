import {
  type APIRequestContext,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Locator,
  type Page,
  request,
} from 'playwright-core'
import { expect } from 'vitest'
import { readJson } from './gallery-photos.ts'
import { recordPageEvents } from './journey-steps.ts'
import { collectSecrets, openBrowser, startSystem, type TestSystem, useSharedSystem } from './test-system.ts'
import type { Point } from './touch.ts'

/** The password of every user that a journey registers, unless it is about passwords. */
export const PASSWORD = 'over-the-lake'
export const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

/** A system and a browser, without a user. */
export interface BrowserFixture extends Omit<TestSystem, 'stop'> {
  browser: Browser
  /** Opens a page in a browser context of its own, as another device would. */
  openPage(options?: BrowserContextOptions): Promise<Page>
  /** Uncaught errors and violations of the content security policy on all pages. */
  pageErrors: string[]
  /** What all pages said where others could read it: addresses, referrers, console. */
  disclosures: string[]
  /** Also checks `pageErrors`. @param secrets of this journey, which no log may contain */
  close(secrets?: string[]): Promise<void>
}

interface FixtureOptions {
  /** For a system of the journey's own; without them it uses that of this worker. */
  settings?: Record<string, string>
  /** Further arguments of the browser, by the system's URL. */
  browserArgs?: (url: string) => Promise<string[]>
}

export async function startBrowserFixture({ settings, browserArgs }: FixtureOptions = {}): Promise<BrowserFixture> {
  const { stop, ...system } = settings ? await startSystem(settings) : await useSharedSystem()
  const browser = await openBrowser(await browserArgs?.(system.url))
  const pageErrors: string[] = []
  const disclosures: string[] = []
  return {
    ...system,
    browser,
    pageErrors,
    disclosures,
    openPage: async (options) => {
      const context = await openContext(browser, { baseURL: system.url, ...options })
      context.on('page', (page) => watch(page, pageErrors, disclosures))
      return context.newPage()
    },
    close: async (secrets = []) => {
      const known = await collectSecrets(browser)
      await browser.close()
      await stop([...known, ...secrets])
      expect(pageErrors).toEqual([])
    },
  }
}

/** A system with one owner, signed in through the API and in a browser. */
export interface OwnerFixture extends BrowserFixture {
  api: APIRequestContext
  /** The owner's page. */
  page: Page
  /** Another page of the owner, in the same browser. */
  openTab(): Promise<Page>
  /** Opens a page in a separate browser context, of the owner or of a visitor. */
  openIsolatedPage(who: 'owner' | 'visitor', options?: BrowserContextOptions): Promise<Page>
}

export async function startOwnerFixture(options?: FixtureOptions): Promise<OwnerFixture> {
  const fixture = await startBrowserFixture(options)
  const api = await registerUser(fixture.url, 'pilot')
  const storageState = await api.storageState()
  const page = await fixture.openPage({ storageState })
  return {
    ...fixture,
    api,
    page,
    openTab: () => page.context().newPage(),
    openIsolatedPage: (who, options) => fixture.openPage({ ...options, ...(who === 'owner' && { storageState }) }),
    close: async (secrets) => {
      await api.dispose()
      await fixture.close(secrets)
    },
  }
}

/** Registers a user through the API. */
export async function registerUser(baseURL: string, username: string): Promise<APIRequestContext> {
  const api = await request.newContext({ baseURL, extraHTTPHeaders: { origin: baseURL } })
  const account = { username, email: `${username}@example.test`, password: PASSWORD, confirmPassword: PASSWORD }
  await readJson(api.post('/api/register', { data: account }))
  return api
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

function watch(page: Page, pageErrors: string[], disclosures: string[]): void {
  page.setDefaultTimeout(20_000)
  page.on('pageerror', (error) => pageErrors.push(error.message))
  page.on('console', (message) => {
    disclosures.push(message.text())
    // A file that is opened by itself, such as an image, is shown by the browser with a style of its own.
    const isFile = `${page.url()} ${message.location().url}`.includes('/api/')
    if (!isFile && message.text().includes('Content Security Policy')) pageErrors.push(message.text())
  })
  page.on('request', (request) => {
    // The fragment is never sent.
    disclosures.push(request.url().replace(/#.*/, ''), JSON.stringify(request.headers()))
  })
}

/** To be polled: an effect moves the focus after the screen is there. */
export const hasFocus = (locator: Locator) => locator.evaluate((element) => element === document.activeElement)

/**
 * The pixels of the pictures on the ground at points of the map, in CSS pixels from its corner: red, green, blue, alpha; to be polled: they
 * come one after another.
 */
export function groundPixels(page: Page, points: readonly Point[]): Promise<number[][]> {
  return page.evaluate((points) => {
    const canvas = document.querySelector<HTMLCanvasElement>('.ground-pictures canvas')
    const [map, box] = [canvas?.closest('.photo-map'), canvas].map((element) => element?.getBoundingClientRect())
    if (!canvas || !map || !box) return []
    const copy = new OffscreenCanvas(canvas.width, canvas.height)
    const context = copy.getContext('2d')
    if (!context) return []
    context.drawImage(canvas, 0, 0)
    return points.map(([x, y]) => {
      const column = ((x + map.left - box.left) / box.width) * context.canvas.width
      const row = ((y + map.top - box.top) / box.height) * context.canvas.height
      return [...context.getImageData(Math.round(column), Math.round(row), 1, 1).data]
    })
  }, points)
}
