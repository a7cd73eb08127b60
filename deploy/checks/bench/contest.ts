// `npm run check -- bench:contest`: what a club waits for, with 5,000 photos and 100,000 ballots in a folder: the page of the
// results and presenter mode, beside the voting page of the same folder. Prints Markdown.
import { parseArgs } from 'node:util'
import { openPool } from '@skyfolio/kit'
import type { Browser, Page } from 'playwright-core'
import { openSignedInClient, type SignedInClient } from '../../local/signed-in-client.ts'
import { openBrowser } from '../../test/browser/test-system.ts'
import { cleanups, median, runCheck, startSystem } from '../harness.ts'
import { createFolder, waitUntilShown } from '../load/seed-folders.ts'
import { generatePhotos } from './generate-photos.ts'

const { values: flags } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    photos: { type: 'string', default: '5000' },
    ballots: { type: 'string', default: '100000' },
  },
})
const PHOTOS_AT_ONCE = 500
const PODIUM = 'ol[aria-label="Podium"] img'

/** Three ranks a ballot, some photos with many more than others. */
const BALLOTS = `
WITH candidates AS (SELECT array_agg(id ORDER BY id) AS ids, count(*)::integer AS n FROM photos WHERE folder_id = $1),
choice AS (SELECT number, (power(random(), 3) * (n - 1))::integer AS at FROM candidates, generate_series(1, $2::integer) AS number)
INSERT INTO ballots (folder_id, voter, first, second, third, last_photo_id, last_rank, address, token)
SELECT $1, gen_random_uuid(), ids[1 + at], ids[1 + (at + 1) % n], ids[1 + (at + 2) % n], ids[1 + at], 1, gen_random_uuid(), gen_random_uuid()
FROM choice, candidates`
const TALLIES = `
INSERT INTO tallies (folder_id, photo_id, first, second, third)
SELECT folder_id, photo_id, count(*) FILTER (WHERE rank = 1), count(*) FILTER (WHERE rank = 2), count(*) FILTER (WHERE rank = 3)
FROM ballots CROSS JOIN LATERAL (VALUES (first, 1), (second, 2), (third, 3)) AS choice (photo_id, rank)
WHERE folder_id = $1 GROUP BY folder_id, photo_id`

async function seedBallots(databaseUrl: string, folderId: number): Promise<void> {
  const pool = openPool(databaseUrl, { max: 1 })
  await pool.query("SET statement_timeout = '120s'")
  await pool.query(BALLOTS, [folderId, Number(flags.ballots)])
  await pool.query(TALLIES, [folderId])
  // As autovacuum does within a minute.
  await pool.query('ANALYZE')
  await pool.end()
}

/** Seconds until `isReady` is true in a new page. */
async function visit(open: () => Promise<Page>, url: string, selector: string): Promise<number> {
  const page = await open()
  const start = performance.now()
  await page.goto(url)
  await page.waitForFunction((images) => {
    const all = [...document.querySelectorAll<HTMLImageElement>(images)]
    return all.length > 0 && all.slice(0, 3).every(({ complete, naturalWidth }) => complete && naturalWidth > 0)
  }, selector)
  const seconds = (performance.now() - start) / 1000
  await page.context().close()
  return seconds
}

/** Seconds from the request of a vote until presenter mode shows one ballot more. */
async function voteShown(page: Page, vote: () => Promise<unknown>): Promise<number> {
  const before = await page.getByText(/^[\d,]+ ballots$/).innerText()
  const start = performance.now()
  await vote()
  await page.waitForFunction((text) => !document.body.innerText.includes(text), before)
  return (performance.now() - start) / 1000
}

async function repeat(measure: () => Promise<number>): Promise<number> {
  await measure() // Warm-up of the servers.
  const seconds: number[] = []
  for (let run = 0; run < Number(flags.runs); run += 1) seconds.push(await measure())
  return median(seconds)
}

async function createContest(owner: SignedInClient) {
  const folder = await createFolder(owner, 'Club contest')
  const photos = (await owner.call('GET', '/api/photos')) as { id: number }[]
  const ids = photos.map(({ id }) => id)
  for (let from = 0; from < ids.length; from += PHOTOS_AT_ONCE) {
    const some = ids.slice(from, from + PHOTOS_AT_ONCE)
    await owner.call('POST', '/api/photos/bulk', { ids: some, action: 'move', folderId: folder.id })
  }
  return { ...folder, ids }
}

function openAs(browser: Browser, url: string, cookies = '') {
  const cookie = cookies
    .split('; ')
    .filter(Boolean)
    .map((pair) => {
      const at = pair.indexOf('=')
      return { name: pair.slice(0, at), value: pair.slice(at + 1), url }
    })
  return async () => {
    const context = await browser.newContext({ viewport: { width: 1920, height: 1080 } })
    await context.addCookies(cookie)
    return context.newPage()
  }
}

await runCheck(1_800_000, async (folder) => {
  const system = await startSystem(folder)
  const browser = await openBrowser()
  cleanups.push(() => browser.close())
  const account = { username: 'club', password: 'over-the-lake' }
  await openSignedInClient(system.url, account)
  await generatePhotos(folder, account.username, Number(flags.photos))
  const owner = await openSignedInClient(system.url, account)
  const { id, code, ids } = await createContest(owner)
  await waitUntilShown(system.url, code, ids.length, true)
  const { env } = await system.state()
  await seedBallots(env.folders?.DATABASE_URL ?? '', id)

  const openOwn = openAs(browser, system.url, owner.cookie)
  const openVisitor = openAs(browser, system.url)
  const voting = await repeat(() => visit(openVisitor, `${system.url}/share/${code}`, 'li[data-index] img'))
  const presenterUrl = `${system.url}/folders/${id}/present`
  const presenter = await repeat(() => visit(openOwn, presenterUrl, PODIUM))
  const stage = await openOwn()
  await stage.goto(presenterUrl)
  await stage.waitForSelector(PODIUM)
  const shown = await repeat(() => voteShown(stage, () => vote(system.url, id, ids[0] ?? 0)))
  await stage.context().close()

  await owner.call('PUT', `/api/folders/${id}/contest`, { resultsPublic: true })
  const closing = performance.now()
  await owner.call('PATCH', `/api/folders/${id}/voting`, { open: false })
  await fetch(`${system.url}/api/share/${code}/results`).then((response) => response.text())
  const published = (performance.now() - closing) / 1000
  const results = await repeat(() => visit(openVisitor, `${system.url}/share/${code}/results`, PODIUM))

  const row = (what: string, seconds: number) =>
    `| ${what} | ${seconds.toFixed(2)} | ${(seconds / voting).toFixed(2)} |`
  console.log(
    [
      `${ids.length} photos, ${flags.ballots} ballots, ${flags.runs} runs`,
      '',
      '| until | seconds | of the voting page |',
      '| --- | ---: | ---: |',
      row('the voting page shows its first photos', voting),
      row('presenter mode shows the podium', presenter),
      row('presenter mode shows a vote', shown),
      row('voting is closed, counted and the results are published', published),
      row('the page of the results shows the podium', results),
    ].join('\n'),
  )
})

async function vote(url: string, folderId: number, photoId: number): Promise<void> {
  const body = JSON.stringify({ folderId, rank: 'first', fingerprint: `bench-${performance.now()}` })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/api/photos/${photoId}/rank`, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(`a vote returned ${response.status}: ${await response.text()}`)
}
