// `npm run check -- bench:share-page [--url http://127.0.0.1:8080/share/<code>]`: load times of the voting page on a phone
// with slow 4G, and the cost of 5,000 photos. Prints Markdown. Without `--url` it starts a system with one folder of 30
// and one of 5,000 photos; with it, only that link is measured.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { type LaunchedSystem, launchSystem } from '../../local/launch.ts'
import { root } from '../../local/paths.ts'
import { openSignedInClient, type SignedInClient } from '../../local/signed-in-client.ts'
import { longestTask } from '../../test/browser/long-tasks.ts'
import { openBrowser } from '../../test/browser/test-system.ts'
import { median } from './picture-loads.ts'
import { createFolder, PHOTOS, uploadPhotos, waitUntilShown } from './shared-folder.ts'

const { values: flags } = parseArgs({ options: { url: { type: 'string' } } })
const RUNS = 5
const MANY = 5_000
const PHOTOS_AT_ONCE = 500
/** Slow 4G of Chromium's developer tools: round trip in ms, bytes per second. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 }
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true }

/** Milliseconds from the start of the navigation. */
interface Moments {
  /** The folder's name is painted. */
  text: number
  /** The largest contentful paint: a picture. */
  lcp: number
  vote: number
  /** All pictures in the window are loaded, and votes are possible. */
  screen: number
}

interface Visit extends Moments {
  /** Kilobytes on the wire until the first screen is complete, and until the network is idle. */
  bytes: number
  allBytes: number
  /** Kilobytes of JavaScript until the first screen is complete. */
  script: number
}

async function openPhone(browser: Browser, encoding = 'br'): Promise<Page> {
  const context = await browser.newContext({ ...PHONE, extraHTTPHeaders: { 'accept-encoding': encoding } })
  return context.newPage()
}

/** Runs in the page before its scripts: records its moments. */
function recordMoments(): void {
  const moments: Partial<Moments> = {}
  Object.assign(globalThis, { moments })
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) moments.lcp = startTime
  }).observe({ type: 'largest-contentful-paint', buffered: true })
  const note = (name: keyof Moments, seen: unknown) => {
    if (seen) moments[name] ??= performance.now()
  }
  const isShown = () => {
    const images = [...document.querySelectorAll<HTMLImageElement>('li[data-index] img')]
    const inWindow = images.filter((image) => image.getBoundingClientRect().top < innerHeight)
    return inWindow.length > 0 && inWindow.every(({ complete, naturalWidth }) => complete && naturalWidth > 0)
  }
  const check = () => {
    // What is in the document at the start of a frame is painted at its end.
    note('text', document.querySelector('h1'))
    note('vote', document.querySelector('[data-rank]'))
    note('screen', moments.vote && isShown())
    if (!moments.screen) requestAnimationFrame(check)
  }
  requestAnimationFrame(check)
}

async function firstVisit(browser: Browser, url: string): Promise<Visit> {
  const page = await openPhone(browser, 'gzip')
  const client = await page.context().newCDPSession(page)
  await client.send('Network.enable')
  await client.send('Network.emulateNetworkConditions', SLOW_4G)
  const types = new Map<string, string>()
  const received: { type: string | undefined; bytes: number }[] = []
  client.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type))
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength: bytes }) =>
    received.push({ type: types.get(requestId), bytes }),
  )
  const kilobytes = (type?: string) =>
    received.reduce((sum, one) => sum + (type && one.type !== type ? 0 : one.bytes), 0) / 1024
  await page.addInitScript(recordMoments)
  await page.goto(url)
  const handle = await page.waitForFunction(() => {
    const { moments } = globalThis as unknown as { moments: Moments }
    return moments.screen && moments.lcp ? moments : null
  })
  const moments = (await handle.jsonValue()) as Moments
  const [bytes, script] = [kilobytes(), kilobytes('Script')]
  await page.waitForLoadState('networkidle')
  await page.context().close()
  return { ...moments, bytes, script, allBytes: kilobytes() }
}

/** Kilobytes of JavaScript (gzip) until the network is idle. */
async function scriptKilobytes(browser: Browser, url: string): Promise<{ first: number; all: number }> {
  const page = await openPhone(browser, 'gzip')
  const client = await page.context().newCDPSession(page)
  await client.send('Network.enable')
  const scripts: { bytes: number; first: boolean }[] = []
  client.on('Network.responseReceived', ({ type, response }) => {
    const bytes = Number(response.headers['content-length'])
    if (type === 'Script') scripts.push({ bytes, first: firstNames.has(new URL(response.url).pathname) })
  })
  const html = await (await page.request.get(url)).text()
  const firstNames = new Set([...html.matchAll(/(?:src|href)="(\/[^"]+\.js)"/g)].map(([, path]) => path))
  await page.goto(url, { waitUntil: 'networkidle' })
  await page.context().close()
  const sum = (some: { bytes: number }[]) => some.reduce((total, { bytes }) => total + bytes, 0) / 1024
  return { first: sum(scripts.filter(({ first }) => first)), all: sum(scripts) }
}

/** Milliseconds of the longest task while the page loads and while it is scrolled from start to end. */
async function longestTasks(browser: Browser, url: string): Promise<{ load: number; scroll: number; cards: number }> {
  const page = await openPhone(browser)
  const load = await longestTask(browser, page, async () => {
    await page.goto(url)
    await page.locator('[data-rank]').first().waitFor()
  })
  const scroll = await longestTask(browser, page, () =>
    page.evaluate(async () => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      // First half a window per frame, then as with a fling.
      for (let step = 0; step < 60; step += 1) {
        scrollBy(0, 420)
        await frame()
      }
      for (let step = 0; step < 60; step += 1) {
        scrollTo(0, (document.documentElement.scrollHeight * step) / 60)
        await frame()
      }
    }),
  )
  const cards = await page.locator('[data-index]').count()
  await page.context().close()
  return { load, scroll, cards }
}

async function report(browser: Browser, name: string, url: string): Promise<void> {
  await firstVisit(browser, url) // Warm-up of the servers.
  const visits: Visit[] = []
  for (let run = 0; run < RUNS; run += 1) visits.push(await firstVisit(browser, url))
  const middle = (key: keyof Visit) => median(visits.map((visit) => visit[key]))
  const moment = (key: keyof Moments) => (middle(key) / 1000).toFixed(2)
  const code = await scriptKilobytes(browser, url)
  const { load, scroll, cards } = await longestTasks(browser, url)
  console.log(
    `| ${name} | ${moment('text')} | ${moment('lcp')} | ${moment('vote')} | ${moment('screen')} | ${middle('bytes').toFixed(0)} | ${middle('allBytes').toFixed(0)} | ${middle('script').toFixed(1)} | ${code.first.toFixed(1)} | ${code.all.toFixed(1)} | ${load.toFixed(0)} | ${scroll.toFixed(0)} | ${cards} |`,
  )
}

/** Generates photos as `npm run check -- seed photos` does, and moves them into the folder. */
async function generatePhotos(system: LaunchedSystem, { call }: SignedInClient, folderId: number): Promise<void> {
  const { id } = (await call('GET', '/api/user')) as { id: number }
  const script = join(root, 'services/media/scripts/generate-photos.ts')
  const env = { ...process.env, ...(await system.state()).env.media }
  const args = [script, '--user-id', String(id), '--count', String(MANY)]
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  await new Promise<void>((resolve, reject) =>
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error('The photos could not be generated')))),
  )
  const photos = (await call('GET', '/api/photos')) as { id: number; folderId: number | null }[]
  const ids = photos.filter((photo) => photo.folderId === null).map((photo) => photo.id)
  for (let from = 0; from < ids.length; from += PHOTOS_AT_ONCE) {
    await call('POST', '/api/photos/bulk', { ids: ids.slice(from, from + PHOTOS_AT_ONCE), action: 'move', folderId })
  }
}

const browser = await openBrowser()
const COLUMNS = [
  ...['folder', 'text readable, s', 'LCP, s', 'votes possible, s', 'first screen complete, s'],
  ...[
    'KB until then',
    'KB until idle',
    'JS until then, KB on the wire',
    'JS in the page, KB gzip',
    'JS in all, KB gzip',
  ],
  ...['longest task loading, ms', 'longest task scrolling, ms', 'cards in the document'],
]
console.log(`| ${COLUMNS.join(' | ')} |\n|${' --- |'.repeat(COLUMNS.length)}`)
if (flags.url) {
  await report(browser, 'this link', flags.url)
} else {
  const dataDir = await mkdtemp(join(tmpdir(), 'skyfolio-bench-'))
  const system = await launchSystem(dataDir)
  const session = await openSignedInClient(system.url, { username: 'pilot', password: 'over-the-lake' })
  const few = await createFolder(session, 'Brighton Beach, June flight')
  await uploadPhotos(session, few.id)
  await waitUntilShown(`${system.url}/api/share/${few.shareCode}`, PHOTOS)
  const many = await createFolder(session, 'All flights')
  await generatePhotos(system, session, many.id)
  await waitUntilShown(`${system.url}/api/share/${many.shareCode}`, MANY)
  await report(browser, `${PHOTOS} photos`, `${system.url}/share/${few.shareCode}`)
  await report(browser, '5,000 photos', `${system.url}/share/${many.shareCode}`)
  await system.stop()
  await rm(dataDir, { recursive: true, force: true })
}
await browser.close()
