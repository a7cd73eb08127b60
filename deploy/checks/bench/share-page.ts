// `npm run check -- bench:share-page`: load times of the voting page on a phone with slow 4G, with 30 photos, and the cost of
// 5,000. Prints Markdown.
import { parseArgs } from 'node:util'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../../test/browser/test-system.ts'
import { cleanups, median, runCheck, startSystem } from '../harness.ts'
import { createPhotos } from '../load/large-photos.ts'
import { createFolder, seedFolders, waitUntilShown } from '../load/seed-folders.ts'
import { generatePhotos } from './generate-photos.ts'

const { values: flags } = parseArgs({
  options: { runs: { type: 'string', default: '5' }, many: { type: 'string', default: '5000' } },
})
const PHOTOS = 30
const MANY = Number(flags.many)
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
  /** Kilobytes on the wire until the network is idle. */
  bytes: number
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
  const context = await browser.newContext({ ...PHONE, extraHTTPHeaders: { 'accept-encoding': 'gzip' } })
  const page = await context.newPage()
  const client = await context.newCDPSession(page)
  await client.send('Network.enable')
  await client.send('Network.emulateNetworkConditions', SLOW_4G)
  let bytes = 0
  client.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.addInitScript(recordMoments)
  await page.goto(url)
  const handle = await page.waitForFunction(() => {
    const { moments } = globalThis as unknown as { moments: Moments }
    return moments.screen && moments.lcp ? moments : null
  })
  const moments = (await handle.jsonValue()) as Moments
  await page.waitForLoadState('networkidle')
  await context.close()
  return { ...moments, bytes: bytes / 1024 }
}

async function report(browser: Browser, photos: number, url: string): Promise<void> {
  await firstVisit(browser, url) // Warm-up of the servers.
  const visits: Visit[] = []
  for (let run = 0; run < Number(flags.runs); run += 1) visits.push(await firstVisit(browser, url))
  const middle = (key: keyof Visit) => median(visits.map((visit) => visit[key]))
  const moments = (['text', 'lcp', 'vote', 'screen'] as const).map((key) => (middle(key) / 1000).toFixed(2))
  console.log(`| ${[photos, ...moments, middle('bytes').toFixed(0)].join(' | ')} |`)
}

const COLUMNS = [
  'photos',
  'text readable, s',
  'LCP, s',
  'votes possible, s',
  'first screen complete, s',
  'KB until idle',
]

await runCheck(1_800_000, async (folder) => {
  const system = await startSystem(folder)
  const browser = await openBrowser()
  cleanups.push(() => browser.close())
  const account = { username: 'pilot', password: 'over-the-lake' }
  const size = { folders: 1, photos: PHOTOS, areRendered: true }
  const { owner, folders } = await seedFolders(system.url, account, size, createPhotos(PHOTOS))
  await generatePhotos(folder, account.username, MANY)
  const { id: folderId, code } = await createFolder(owner, 'All flights')
  const photos = (await owner.call('GET', '/api/photos')) as { id: number; folderId: number | null }[]
  const ids = photos.filter((photo) => photo.folderId === null).map((photo) => photo.id)
  for (let from = 0; from < ids.length; from += PHOTOS_AT_ONCE) {
    const some = ids.slice(from, from + PHOTOS_AT_ONCE)
    await owner.call('POST', '/api/photos/bulk', { ids: some, action: 'move', folderId })
  }
  await waitUntilShown(system.url, code, MANY, true)
  console.log(`| ${COLUMNS.join(' | ')} |\n|${' --- |'.repeat(COLUMNS.length)}`)
  await report(browser, PHOTOS, `${system.url}/share/${folders[0]?.code}`)
  await report(browser, MANY, `${system.url}/share/${code}`)
})
