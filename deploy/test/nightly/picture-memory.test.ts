import { dronePhoto, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openProcesses, type Processes } from '../processes.ts'

// Pictures come from the gateway's memory, and who may have them is decided by media and folders: all as real processes.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const OWNER = 1
const OTHER_USER = 2
/** A withdrawal takes effect within this time. */
const WITHIN_A_SECOND = { timeoutMs: 1_000 }
/** No permission is used for longer. */
const CONFIRMED_MS = 800
/** The attempts to get a confirmation, and reserve for a busy machine. */
const DEADLINE_MS = 2_000 + 2_000

let processes: Processes

beforeAll(async () => {
  // The outages make every process complain.
  processes = await openProcesses({ LOG_LEVEL: 'fatal' })
  await processes.start('gateway', 'media', 'folders', 'media-worker')
})
afterAll(() => processes.close())

async function json<T>(path: string, method = 'GET', body?: unknown): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) }
  const response = await callAsOwner(path, init)
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return (response.status === 204 ? null : await response.json()) as T
}

interface Folder {
  id: number
  shareCode: string
}
interface Photo {
  id: number
  status: string
  thumbnailUrl: string
}

const visit = (path: string, init: RequestInit = {}) => fetch(`${processes.url}${path}`, init)

async function statusOf(path: string): Promise<number> {
  const response = await visit(path)
  await response.arrayBuffer()
  return response.status
}

const callAsOwner = (path: string, init: RequestInit = {}) => processes.call(OWNER, path, init)

let photos = 0
async function share() {
  photos += 1
  const folder = await json<Folder>('/api/folders', 'POST', { name: `Folder ${photos}`, isPublic: true })
  const form = new FormData()
  const bytes = await dronePhoto({ latitude: 40 + photos / 100, longitude: -74 })
  form.append('photo', new Blob([new Uint8Array(bytes)]), 'DJI_0001.JPG')
  form.append('folderId', String(folder.id))
  const uploaded = await callAsOwner('/api/upload-photo', { method: 'POST', body: form })
  const { id } = (await uploaded.json()) as Photo
  const shown = await waitFor(() => publicPhoto(folder.shareCode, id), { what: 'the share', timeoutMs: 90_000 })
  return { folder, id, url: shown.thumbnailUrl, ownUrl: (await ownPhoto(id)).thumbnailUrl }
}

async function publicPhoto(shareCode: string, id: number): Promise<Photo | undefined> {
  const { photos: shown } = (await (await visit(`/api/share/${shareCode}`)).json()) as { photos: Photo[] }
  return shown.find((photo) => photo.id === id && photo.status === 'ready' && photo.thumbnailUrl)
}

async function ownPhoto(id: number): Promise<Photo> {
  const own = (await json<Photo[]>('/api/photos')).find((photo) => photo.id === id)
  if (!own) throw new Error(`photo ${id} is missing`)
  return own
}

/** Keeps a picture in use, so that the gateway has it and a confirmation in memory. */
async function expectShown(url: string): Promise<void> {
  for (let time = 0; time < 5; time += 1) expect(await statusOf(url)).toBe(200)
}

describe('a picture in the memory of the gateway', () => {
  test('is the same for visitors and owner, whole, in part and as head', async () => {
    const { url, ownUrl } = await share()
    const whole = await visit(url)
    const bytes = Buffer.from(await whole.arrayBuffer())
    expect(whole.status).toBe(200)
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'image/webp',
      'content-length': String(bytes.length),
      'cache-control': 'public, max-age=0, s-maxage=1, must-revalidate',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
    })
    expect(whole.headers.get('set-cookie')).toBeNull()
    expect(Buffer.from(await (await visit(url)).arrayBuffer()).equals(bytes)).toBe(true)

    const part = await visit(url, { headers: { range: 'bytes=10-29' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-29/${bytes.length}`])
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 30))).toBe(true)
    const head = await visit(url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)])
    const unchanged = await visit(url, { headers: { 'if-none-match': whole.headers.get('etag') ?? '' } })
    expect([unchanged.status, unchanged.headers.get('etag')]).toEqual([304, whole.headers.get('etag')])
    for (const name of ['etag', 'content-length', 'cache-control', 'content-disposition', 'content-type'])
      expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)])

    const own = await callAsOwner(ownUrl)
    expect(Buffer.from(await own.arrayBuffer()).equals(bytes)).toBe(true)
    expect(own.headers.get('cache-control')).toBe('private, no-cache')
    const storedName = ownUrl.slice(ownUrl.lastIndexOf('/') + 1)
    expect(own.headers.get('etag')).toBe(`"${storedName}"`)
    expect(JSON.stringify([...whole.headers])).not.toContain(storedName.replace('.webp', ''))
  })

  test('of a private folder is its owner’s alone', async () => {
    const { folder, url, ownUrl } = await share()
    await json(`/api/folders/${folder.id}/toggle-public`, 'PATCH', { isPublic: false })
    await waitFor(async () => (await statusOf(url)) === 404, { what: 'the folder is private', ...WITHIN_A_SECOND })
    const statuses = []
    for (const user of [OWNER, OTHER_USER, OWNER]) statuses.push((await processes.call(user, ownUrl, {})).status)
    expect([...statuses, await statusOf(ownUrl)]).toEqual([200, 404, 200, 404])
  })

  test.each<[string, (shared: Awaited<ReturnType<typeof share>>) => Promise<unknown>]>([
    ['the folder becomes private', ({ folder }) => json(`/api/folders/${folder.id}`, 'PUT', { isPublic: false })],
    ['the link is renewed', ({ folder }) => json(`/api/folders/${folder.id}/share-code`, 'POST')],
    ['the folder is deleted', ({ folder }) => json(`/api/folders/${folder.id}`, 'DELETE')],
    ['the photo becomes private', ({ id }) => json(`/api/photos/${id}/privacy`, 'PATCH', { isPublic: false })],
    ['the photo leaves the folder', ({ id }) => json(`/api/photos/${id}/folder`, 'PATCH', { folderId: null })],
    ['the photo is deleted', ({ id }) => json(`/api/photos/${id}`, 'DELETE')],
  ])('is gone within a second when %s', async (_, withdraw) => {
    const shared = await share()
    await expectShown(shared.url)
    await withdraw(shared)
    await waitFor(async () => (await statusOf(shared.url)) === 404, { what: 'it is gone', ...WITHIN_A_SECOND })
    // Nothing brings it back.
    const until = performance.now() + 2 * CONFIRMED_MS
    while (performance.now() < until) expect(await statusOf(shared.url)).toBe(404)
  })

  test('has the name of the new link when the link was renewed', async () => {
    const { folder, id, url } = await share()
    const { shareCode } = await json<Folder>(`/api/folders/${folder.id}/share-code`, 'POST')
    const renewed = await waitFor(() => publicPhoto(shareCode, id), { what: 'the photo under the new link' })
    expect(renewed.thumbnailUrl).not.toBe(url)
    expect(await statusOf(renewed.thumbnailUrl)).toBe(200)
  })

  test('has another entity tag and the new bytes after it was rendered anew', async () => {
    const { id, url, ownUrl } = await share()
    const before = (await visit(url)).headers.get('etag')
    await json(`/api/photos/${id}/reprocess`, 'POST')
    await waitFor(async () => ![ownUrl, null].includes((await ownPhoto(id)).thumbnailUrl), {
      what: 'it is rendered anew',
      timeoutMs: 90_000,
    })
    const changed = await waitFor(
      async () => {
        const response = await visit(url, { headers: { 'if-none-match': before ?? '' } })
        await response.arrayBuffer()
        return response.status === 200 && response
      },
      { what: 'its new entity tag', ...WITHIN_A_SECOND },
    )
    expect(changed.headers.get('etag')).not.toBe(before)
  })
})

describe('an outage', () => {
  interface Freezable {
    freeze(): void
    thaw(): void
  }
  const processOf = (name: string) => ({ freeze: () => processes.freeze(name), thaw: () => processes.thaw(name) })

  /** While a fault lasts: the last success was on a confirmation from before it, and then there is only 503, in time. */
  async function expectUnavailable(url: string, { freeze, thaw }: Freezable): Promise<void> {
    await expectShown(url)
    freeze()
    const begun = performance.now()
    try {
      const seen: { status: number; at: number; tookMs: number }[] = []
      while (seen.filter(({ status }) => status === 503).length < 3) {
        const sent = performance.now()
        const status = await statusOf(url)
        seen.push({ status, at: sent - begun, tookMs: performance.now() - sent })
      }
      expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200, 503]))
      expect(seen.filter(({ status, at }) => status === 200 && at > CONFIRMED_MS)).toEqual([])
      expect(seen.filter(({ tookMs }) => tookMs > DEADLINE_MS)).toEqual([])
    } finally {
      thaw()
    }
    await waitFor(async () => (await statusOf(url)) === 200, { what: 'the picture is shown again' })
  }

  test('of media that hangs makes pictures 503 in time, and they come back', async () => {
    const { url } = await share()
    await expectUnavailable(url, processOf('media'))
  })

  test('of folders that hangs does the same, but not for the owner', async () => {
    const { url, ownUrl } = await share()
    await expectUnavailable(url, processOf('folders'))
    processes.freeze('folders')
    try {
      const [own, visitors] = await Promise.all([callAsOwner(ownUrl), visit(url)])
      expect(own.status).toBe(200)
      await visitors.arrayBuffer()
    } finally {
      processes.thaw('folders')
    }
  })

  test('of PostgreSQL that hangs does the same', async () => {
    const { url } = await share()
    await expectUnavailable(url, processes.postgres)
  })

  test('of NATS that hangs does the same', async () => {
    const { url } = await share()
    await expectUnavailable(url, processes.nats)
  })

  test('does not bring a permission back that was withdrawn meanwhile', async () => {
    const { folder, url } = await share()
    await expectShown(url)
    processes.freeze('media')
    await json(`/api/folders/${folder.id}`, 'PUT', { isPublic: false })
    await waitFor(async () => (await statusOf(url)) === 503, {
      what: 'it is not confirmed any more',
      ...WITHIN_A_SECOND,
    })
    processes.thaw('media')
    const statuses = new Set<number>()
    await waitFor(
      async () => {
        const status = await statusOf(url)
        statuses.add(status)
        return status === 404
      },
      { what: 'it is gone' },
    )
    expect(statuses.has(200)).toBe(false)
  })

  test('ends with a new process of media in its place', async () => {
    const { url } = await share()
    await expectShown(url)
    await processes.stop('media')
    await waitFor(async () => (await statusOf(url)) === 503, { what: 'nobody confirms it' })
    await processes.start('media')
    await waitFor(async () => (await statusOf(url)) === 200, { what: 'the picture is shown again' })
  })
})
