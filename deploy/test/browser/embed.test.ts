import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { waitFor } from '@skyfolio/testkit'
import { freePort } from '@skyfolio/testkit/servers'
import type { BrowserContextOptions, Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { componentNamed } from '../../components.ts'
import { root } from '../../local/paths.ts'
import { startNode } from '../../local/services.ts'
import type { RunningProcess } from '../../local/supervisor.ts'
import { findAxeViolations } from './axe.ts'
import { type Folder, sharePhotos, uploadLakePhotos } from './gallery-photos.ts'
import { type OwnerFixture, PHONE, startOwnerFixture } from './owner-fixture.ts'

// A club shows a vote in a frame of its own site. That is for https: a gateway with such an origin is added to the system, and
// a server in front of it stands for all sites.

const SKYFOLIO = 'https://skyfolio.test'
const CLUB = 'https://club.test'
/** To browsers the same site as Skyfolio: its frames get the session cookie. */
const NEIGHBOUR = 'https://club.skyfolio.test'
const STRANGER = 'https://stranger.test'

let fixture: OwnerFixture
let gateway: RunningProcess
let gatewayPort: number
let sites: Server
let folder: Folder
/** What the owner gives the sites. */
let embedCode = ''
/** On pages of the sites that the owner has listed. */
const consoleErrors: string[] = []

beforeAll(async () => {
  sites = await startSites()
  const { port } = sites.address() as AddressInfo
  fixture = await startOwnerFixture({
    browserArgs: async () => [`--host-resolver-rules=MAP *.test:443 127.0.0.1:${port}`],
  })
  await startGateway()
  await uploadLakePhotos(fixture.api, 3)
  folder = await sharePhotos(fixture.api, 'Picture of the year')
})

afterAll(async () => {
  await fixture?.close()
  sites?.close()
  await gateway?.stop()
})

async function startGateway(): Promise<void> {
  gatewayPort = await freePort()
  const opsPort = await freePort()
  const own = { PUBLIC_ORIGIN: SKYFOLIO, PORT: `${gatewayPort}`, OPS_PORT: `${opsPort}`, LOG_LEVEL: 'warn' }
  const { entryPoint } = componentNamed('gateway')
  gateway = await startNode('gateway', [join(root, entryPoint)], { ...fixture.env.gateway, ...own })
  const isReady = async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).ok
  await waitFor(isReady, { what: 'the gateway is ready', timeoutMs: 60_000 })
}

/** Skyfolio, and sites that show its frame. Their certificate is signed by itself. */
async function startSites(): Promise<Server> {
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=skyfolio.test']
  const { stdout: pem } = await promisify(execFile)('openssl', ['req', '-x509', ...kind, '-keyout', '-'])
  const server = createServer({ key: pem, cert: pem }, (incoming, response) => {
    const { method, url, headers } = incoming
    if (headers.host !== new URL(SKYFOLIO).host) {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.end(`<!doctype html><meta name="viewport" content="width=device-width"><title>Club</title>${embedCode}`)
      return
    }
    const forwarded = request({ port: gatewayPort, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    response.once('close', () => forwarded.destroy())
    forwarded.once('error', () => response.destroy())
    incoming.pipe(forwarded)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

const button = (name: string | RegExp, on: Page | Frame) => on.getByRole('button', { name, exact: true })

async function openSite(site: string, options?: BrowserContextOptions): Promise<Page> {
  const page = await fixture.openIsolatedPage('visitor', { ...options, ignoreHTTPSErrors: true })
  if (site !== STRANGER)
    page.on('console', (message) => message.type() === 'error' && consoleErrors.push(message.text()))
  await page.goto(site)
  return page
}

/** The frame of a site that shows the vote. */
async function frameOf(page: Page): Promise<Frame> {
  const frame = await (await page.waitForSelector('iframe')).contentFrame()
  if (!frame) throw new Error('The frame is missing')
  await button(/^Rank lake-3/, frame).waitFor()
  return frame
}

/** A browser in which the owner is signed in to Skyfolio. */
async function openOwnersPage(): Promise<Page> {
  const page = await fixture.openIsolatedPage('visitor', { ignoreHTTPSErrors: true })
  const { cookies } = await fixture.api.storageState()
  const session = cookies.find(({ name }) => name === 'sid')?.value ?? ''
  await page
    .context()
    .addCookies([{ name: 'sid', value: session, url: SKYFOLIO, httpOnly: true, secure: true, sameSite: 'Lax' }])
  return page
}

test('the owner lists the sites, and copies the code for them', async () => {
  const page = await openOwnersPage()
  await page.goto(`${SKYFOLIO}/folders/${folder.id}`)
  await button('Share', page).click()
  await button('Add a link', page).click()
  await page.getByLabel('Name').fill('Club')
  await page.getByLabel(/^Websites that may embed it/).fill(`${CLUB}\n${NEIGHBOUR}`)
  await button('Add link', page).click()
  embedCode = await page.getByLabel(/^Code for websites/).inputValue()
  expect(embedCode).toContain(`src="${SKYFOLIO}/embed/`)
  await page.context().close()
})

test('no other site can show the vote, nor can any without https or of a link without sites', async () => {
  const page = await openSite(STRANGER)
  await expect.poll(() => fixture.pageErrors.splice(0)).toEqual([expect.stringContaining('frame-ancestors')])
  await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/)
  const path = /\/embed\/[^"]+/.exec(embedCode)?.[0] ?? ''
  const statuses: (number | undefined)[] = []
  for (const url of [`${SKYFOLIO}${path}`, `${fixture.url}${path}`, `${SKYFOLIO}/embed/${folder.shareCode}`])
    statuses.push((await page.goto(url))?.status())
  expect(statuses).toEqual([200, 404, 404])
  await page.context().close()
})

test('a visitor votes in the frame of a listed site, and finds the vote there again', async () => {
  const page = await openSite(CLUB)
  const cookies = () => page.context().cookies()
  const frame = await frameOf(page)
  await button('Rank lake-2', frame).click()
  const voted = page.waitForResponse('**/rank')
  await frame.getByRole('menuitem', { name: /1st place/ }).click()
  expect((await voted).status()).toBe(200)
  const kept = await cookies()
  expect(kept).toEqual([
    expect.objectContaining({ name: 'voter', domain: 'skyfolio.test', sameSite: 'None', secure: true, httpOnly: true }),
  ])
  expect(kept[0]?.partitionKey).toBe(CLUB)

  await page.reload()
  await button('1st place: change your vote for lake-2', await frameOf(page)).waitFor()
  expect(await cookies()).toEqual(kept)
  await page.context().close()
})

test('nobody is signed in in the frame of a neighbouring site, to which the browser gives the session', async () => {
  const page = await openOwnersPage()
  const cookieNames = async () => (await page.context().cookies()).map(({ name }) => name).sort()
  const loading = page.waitForRequest(/\/api\/share\//)
  await page.goto(NEIGHBOUR)
  const frame = await frameOf(page)
  const sent = await (await loading).allHeaders()
  expect([sent['x-embed'], sent.cookie]).toEqual(['true', expect.stringMatching(/^sid=/)])
  const statuses = await frame.evaluate(() =>
    Promise.all(
      ['false', 'true'].map(async (embed) => (await fetch('/api/user', { headers: { 'x-embed': embed } })).status),
    ),
  )
  expect(statuses).toEqual([200, 401])
  expect(await cookieNames()).toEqual(['sid', 'voter'])
  await page.context().close()
})

test.each([
  ['a phone', PHONE],
  ['a large window', { viewport: { width: 1440, height: 900 } }],
])('the frame is accessible on %s, and logs no error', async (_, options) => {
  const page = await openSite(CLUB, options)
  expect(await findAxeViolations(page, await frameOf(page))).toEqual([])
  expect(consoleErrors).toEqual([])
  await page.context().close()
})
