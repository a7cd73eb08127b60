import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTcpProxy, type TcpProxy } from '@skyfolio/testkit/tcp-proxy'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readJson } from './gallery-photos.ts'
import { type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'
import { writeRawFile } from './upload-files.ts'

// A large raw file over a connection that breaks, through a reload, and from a second browser.
const SIZE = 64 * 1024 * 1024
const NAME = 'DJI_0001.DNG'
const RATE = 6 * 1024 * 1024
/** Bytes of everything but the parts. */
const SMALL_REQUESTS = 500_000
let fixture: OwnerFixture
/** Between the browsers and the system. */
let line: TcpProxy
let folder: string
/** Numbers of the parts that the server confirmed. */
const confirmed: number[] = []

interface Device {
  page: Page
  /** Upload rate in bytes per second; null: offline. */
  connect: (rate: number | null) => Promise<void>
}
let drone: Device

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skyfolio-raw-'))
  await writeRawFile(join(folder, NAME), SIZE)
  const address = (url: string) => url.replace('http://', '')
  fixture = await startOwnerFixture({
    browserArgs: async (url) => {
      line = await startTcpProxy(url)
      return [`--host-resolver-rules=MAP ${address(url)} ${address(line.url)}`]
    },
  })
  drone = await openDevice()
})

afterAll(async () => {
  await fixture?.close()
  await line?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

async function openDevice(): Promise<Device> {
  const page = await fixture.openIsolatedPage('owner')
  page.setDefaultTimeout(30_000)
  page.on('response', (response) => {
    if (response.ok()) confirmed.push(...partOf(response.request().method(), response.url()))
  })
  const network = await page.context().newCDPSession(page)
  await page.goto('/')
  const connect = async (rate: number | null) => {
    const limits = { latency: 20, downloadThroughput: -1, uploadThroughput: rate ?? -1 }
    await network.send('Network.emulateNetworkConditions', { offline: rate === null, ...limits })
  }
  return { page, connect }
}

function partOf(method: string, url: string): number[] {
  const number = /\/api\/upload-sessions\/\w+\/parts\/(\d+)$/.exec(url)?.[1]
  return method === 'PUT' && number ? [Number(number)] : []
}

const dialog = ({ page }: Device) => page.getByRole('dialog', { name: 'Upload photos' })

async function openForm(device: Device): Promise<void> {
  await device.page.getByRole('button', { name: 'Upload Photos' }).first().click()
}

async function choose(device: Device): Promise<void> {
  await dialog(device).getByLabel('Photos', { exact: true }).setInputFiles(join(folder, NAME))
  await dialog(device).getByRole('button', { name: 'Upload', exact: true }).click()
}

/** The file's upload session, as the server knows it. */
async function readSession(): Promise<{ missing: number[]; partBytes: number }> {
  const { sessions } = await readJson<{ sessions: { id: string }[] }>(fixture.api.get('/api/upload-sessions'))
  return readJson(fixture.api.get(`/api/upload-sessions/${sessions[0]?.id}`))
}

/** The bytes of the file that the server has. */
async function storedBytes(): Promise<number> {
  const { missing, partBytes } = await readSession()
  return missing.reduce((left, part) => left - Math.min(partBytes, SIZE - (part - 1) * partBytes), SIZE)
}

const percentOf = (bytes: number) => Math.floor((bytes / SIZE) * 100)

/** Cuts the frozen line until the page waits: where a connection breaks, Chromium sends the request again by itself, once. */
async function cutLine(): Promise<void> {
  const waiting = dialog(drone).getByText(/^\d+%, waiting for the connection/)
  await expect
    .poll(async () => {
      const connections = line.connections()
      line.cut()
      return connections === 0 && (await waiting.count()) > 0
    })
    .toBe(true)
}

async function shownPercent(device: Device): Promise<number> {
  const text = await dialog(device)
    .getByText(/^(\d+%|Checking$|Waiting$)/)
    .last()
    .textContent()
  return Number.parseInt(text ?? '', 10) || 0
}

test('loses only the parts on the way when the connection breaks, and the progress says what is stored', async () => {
  async function breakAfter(bytes: number, send: () => Promise<void>): Promise<void> {
    const frozen = line.freezeAfter(bytes)
    await send()
    await frozen
    await drone.connect(null)
    await cutLine()
    line.thaw()
    // What broke is taken back. A part may be stored whose response was lost.
    await expect.poll(async () => (await shownPercent(drone)) <= percentOf(await storedBytes())).toBe(true)
    expect(await shownPercent(drone)).toBeGreaterThan(0)
  }

  await openForm(drone)
  await drone.connect(RATE)
  await breakAfter(SIZE / 2, () => choose(drone))
  await breakAfter(SIZE / 4, () => drone.connect(RATE))
})

test('says in the form after a reload how much is stored', async () => {
  const prompted = drone.page.waitForEvent('dialog')
  // A reload would fail before the page is gone, which would then continue the upload.
  const left = drone.page.goto('about:blank')
  await (await prompted).accept()
  await left
  await drone.connect(RATE)
  await drone.page.goto('/')
  await openForm(drone)
  const percent = percentOf(await storedBytes())
  expect(percent).toBeGreaterThan(0)
  await dialog(drone).getByText(`1 photo was not finished (${percent}%).`).waitFor()
})

test('sends only the rest from another browser in which the same file is chosen', async () => {
  const stored = await storedBytes()
  const { partBytes } = await readSession()
  const desk = await openDevice()
  await openForm(desk)
  await dialog(desk)
    .getByText(`1 photo was not finished (${percentOf(stored)}%).`)
    .waitFor()
  const before = line.sent()
  await desk.connect(RATE)
  await choose(desk)
  await expect.poll(() => shownPercent(desk), { interval: 50 }).toBeGreaterThan(0)
  expect(await shownPercent(desk)).toBeGreaterThanOrEqual(percentOf(stored))
  await desk.page.locator('[data-toasts]').getByText('Your photo has been uploaded and processed.').waitFor()

  // On a busy machine, one part may be sent again.
  expect(line.sent() - before).toBeLessThan(SIZE - stored + partBytes + SMALL_REQUESTS)
  expect(confirmed.length - new Set(confirmed).size).toBeLessThanOrEqual(1)
  await openForm(desk)
  await dialog(desk).getByText('Upload requirements').waitFor()
  expect(await dialog(desk).getByText('not finished').count()).toBe(0)
})
