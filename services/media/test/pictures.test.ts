import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { PhotoResponse } from '../src/photos/photo-response.ts'
import { BY_STORED_NAME } from '../src/pictures/picture-photos.ts'
import { openRendition } from '../src/pictures/send-picture.ts'
import { linkCookie, OWNER, processedPhoto, publicUrl, renderAnew } from './picture-support.ts'
import { admin, startTestMedia, type TestMedia, user, visitor } from './support.ts'

let media: TestMedia
let folders: ReturnType<TestMedia['folders']>
let photo: PhotoResponse
const log: string[] = []

beforeAll(async () => {
  media = await startTestMedia({ onLog: (line) => void log.push(line) })
  folders = media.folders()
  folders.set(FOLDER, OWNER, true)
  photo = await processedPhoto(media, FOLDER)
})
afterAll(() => media.close())

const FOLDER = 10
const PRIVATE_FOLDER = 11
const FOLDER_OF_AGES = 12
const SLOW_FOLDER = 13
const storedNameIn = (url: string | null) => url?.split('/').at(-1) ?? ''

async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await media.call(path, visitor, { method, headers })
  const text = await response.text()
  return { status: response.status, headers: Object.fromEntries(response.headers), text }
}

async function stateOf(url: string, who = visitor) {
  const response = await media.pictureState(url, who)
  // biome-ignore lint/suspicious/noExplicitAny: the tests state what they expect
  return { status: response.status, body: (await response.json()) as any }
}

test('sends each picture under its public name, with headers that say nothing of the stored name', async () => {
  const urls = {
    small: photo.smallUrl,
    thumbnail: photo.thumbnailUrl,
    medium: photo.mediumUrl,
    preview: photo.previewUrl,
  }
  for (const [kind, url] of Object.entries(urls)) {
    const path = publicUrl(photo, kind as keyof typeof urls)
    const { status, text, headers } = await get(path)
    expect([status, text]).toEqual([200, storedNameIn(url)])
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=0, s-maxage=1, must-revalidate',
      'content-type': 'image/webp',
      'content-disposition': `inline; filename="photo.webp"; filename*=UTF-8''photo.webp`,
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
    })
    expect(JSON.stringify(headers)).not.toContain(storedNameIn(url).slice(0, 32))
    expect(headers).not.toHaveProperty('set-cookie')
    expect((await get(path, { 'if-none-match': headers.etag ?? '' })).status).toBe(304)
    expect((await stateOf(path)).body).toEqual({
      object: storedNameIn(url),
      size: null,
      headers: {
        etag: headers.etag,
        'cache-control': headers['cache-control'],
        'content-type': headers['content-type'],
        'content-disposition': headers['content-disposition'],
      },
      ageMs: expect.any(Number),
      tookMs: expect.any(Number),
    })
  }
})

test('sends an original under its public name: whole, in part, for HEAD, and as a download', async () => {
  const path = publicUrl(photo, 'original')
  const whole = await media.call(path)
  const bytes = Buffer.from(await whole.arrayBuffer())
  expect(bytes).toHaveLength(photo.filesize)
  const part = await get(path, { range: 'bytes=0-9' })
  expect([part.status, part.headers['content-range']]).toEqual([206, `bytes 0-9/${photo.filesize}`])
  const head = await get(path, {}, 'HEAD')
  expect([head.status, head.headers['content-length'], head.text]).toEqual([200, String(photo.filesize), ''])
  const saved = await get(`${path}?download`)
  expect(saved.headers['content-disposition']).toMatch(/^attachment; filename="photo.jpg"/)
  for (const { headers } of [part, head, saved]) expect(headers.etag).toBe(whole.headers.get('etag'))
  expect((await stateOf(path)).body).toMatchObject({ object: null, headers: { 'content-type': 'image/jpeg' } })
})

test('keeps the public name of a photo that is rendered anew, with another entity tag', async () => {
  const before = await processedPhoto(media, FOLDER)
  const path = publicUrl(before, 'preview')
  const { etag = '' } = (await get(path)).headers
  const after = await renderAnew(media, before.id)
  const response = await get(path, { 'if-none-match': etag })
  expect([response.status, response.text]).toEqual([200, storedNameIn(after.previewUrl)])
  expect(response.headers.etag).not.toBe(etag)
  expect((await stateOf(path)).body.headers.etag).toBe(response.headers.etag)
})

test('says how old a confirmation is, and keeps no response of folders for longer than 300 ms', async () => {
  folders.set(FOLDER_OF_AGES, OWNER, true)
  const aged = await processedPhoto(media, FOLDER_OF_AGES)
  const path = publicUrl(aged, 'small')
  const requests = () => folders.asked.filter((id) => id === FOLDER_OF_AGES).length
  const begun = performance.now()
  const first = requests()
  let known = first
  let lastRequest = begun
  let oldest = 0
  await waitFor(
    async () => {
      const sent = performance.now()
      const { ageMs, tookMs } = (await stateOf(path)).body
      expect(tookMs).toBeLessThanOrEqual(700)
      if (requests() === known) {
        // On the response to a request that was sent before `lastRequest`.
        expect(ageMs).toBeGreaterThanOrEqual(Math.floor(sent - lastRequest))
        oldest = Math.max(oldest, ageMs)
        return false
      }
      lastRequest = performance.now()
      known = requests()
      return known >= first + 3
    },
    { what: 'folders is requested again and again' },
  )
  expect(oldest).toBeGreaterThan(100)
  // Each request to folders is followed by 300 ms without another one.
  expect(performance.now() - begun).toBeGreaterThanOrEqual(600)
})

test('reads the photos of all requests that wait in one query', async () => {
  const photos = await Promise.all(Array.from({ length: 5 }, () => processedPhoto(media, FOLDER)))
  const query = vi.spyOn(media.pool, 'query')
  try {
    const paths = photos.flatMap((one) => [
      publicUrl(one, 'small'),
      publicUrl(one, 'thumbnail'),
      one.smallUrl ?? '',
      one.previewUrl ?? '',
    ])
    const found = await Promise.all(paths.map(async (path) => (await media.call(path)).status))
    expect(found).toEqual(paths.map(() => 200))
    const read = query.mock.calls.map(([statement]) => (statement as { name?: string }).name ?? '')
    const ofPictures = read.filter((name) => name.startsWith('picture-photos'))
    expect(ofPictures.length).toBeLessThan(paths.length)
    expect(new Set(ofPictures)).toEqual(new Set(['picture-photos', 'picture-photos-by-name']))
  } finally {
    query.mockRestore()
  }
})

test('finds a photo by any of its stored names through an index', async () => {
  await media.pool.query(
    `INSERT INTO photos (user_id, title, filename, original_name, filesize, sha256, small, thumbnail, medium, preview)
     SELECT 77, 'A photo', md5('o' || n) || '.jpg', 'a.jpg', 1, md5('h' || n), md5('s' || n) || '.webp',
       md5('t' || n) || '.webp', md5('m' || n) || '.webp', md5('p' || n) || '.webp'
     FROM generate_series(1, 20000) AS n`,
  )
  await media.pool.query('ANALYZE photos')
  const client = await media.pool.connect()
  try {
    await client.query('SET plan_cache_mode = force_generic_plan')
    await client.query(`PREPARE by_name (text[]) AS ${BY_STORED_NAME}`)
    const { rows } = await client.query(`EXPLAIN (COSTS off) EXECUTE by_name (ARRAY['none.webp'])`)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).not.toContain('Seq Scan')
    for (const column of ['filename', 'small', 'thumbnail', 'medium', 'preview'])
      expect(plan).toContain(`(${column} = ANY`)
  } finally {
    client.release(true)
  }
})

test('records what an administrator sees by a state before it is confirmed, and nothing of what everybody sees', async () => {
  const who = { ...admin, userId: 901 }
  folders.set(PRIVATE_FOLDER, OWNER, false)
  const hidden = await processedPhoto(media, PRIVATE_FOLDER)
  const recorded = async () => (await media.db.outbox.findMany({ where: { subject: 'media.audit.recorded' } })).length
  const before = await recorded()
  for (const url of [photo.previewUrl ?? '', publicUrl(photo, 'preview')])
    expect((await stateOf(url, who)).status).toBe(200)
  expect(await recorded()).toBe(before)
  expect((await stateOf(hidden.previewUrl ?? '', who)).status).toBe(200)
  expect(await recorded()).toBe(before + 1)
  // A public name opens the same to everybody.
  for (const one of [who, user(OWNER)]) expect((await stateOf(publicUrl(hidden, 'preview'), one)).status).toBe(404)
})

test('sends a rendition to the gateway by its stored name, and nothing else', async () => {
  const name = storedNameIn(photo.previewUrl)
  const found = await get(`/picture-bytes/${name}`)
  expect([found.status, found.text]).toEqual([200, name])
  expect(found.headers).toMatchObject({ 'content-length': String(name.length), 'content-type': 'image/webp' })
  for (const other of [photo.filename, `${'0'.repeat(32)}.webp`, encodeURIComponent(`../renditions/${name}`)]) {
    expect((await get(`/picture-bytes/${other}`)).status).toBe(404)
  }
  expect((await fetch(`${media.origin}/picture-bytes/${name}`)).status).toBe(401)
  expect((await fetch(`${media.origin}/picture-states/${name}`)).status).toBe(401)
})

test('gives up a rendition that the store does not begin or does not finish', async () => {
  const silent = { get: () => new Promise<never>(() => {}) }
  await expect(openRendition(silent, 'a.webp', 20)).rejects.toMatchObject({ status: 503 })
  const body = new Readable({ read() {} })
  const stalled = { get: async () => ({ body, size: 2 }) }
  expect(await openRendition(stalled, 'a.webp', 20)).toMatchObject({ size: 2 })
  await expect(buffer(body)).rejects.toThrow('did not send')
  const late = new Readable({ read() {} })
  const opening = Promise.withResolvers<{ body: Readable; size: number }>()
  await expect(openRendition({ get: () => opening.promise }, 'a.webp', 20)).rejects.toMatchObject({ status: 503 })
  opening.resolve({ body: late, size: 2 })
  await waitFor(() => late.destroyed, { what: 'a late stream is closed' })
})

test('sends nothing when the link is withdrawn while a slow store opens the file', async () => {
  folders.set(SLOW_FOLDER, OWNER, true)
  const slow = await processedPhoto(media, SLOW_FOLDER)
  const { get: open } = media.store
  media.store.get = async (...args) => {
    const begun = performance.now()
    folders.set(SLOW_FOLDER, OWNER, false, 2)
    await waitFor(() => performance.now() - begun > 800, { what: 'the confirmation is old' })
    return open(...args)
  }
  try {
    expect((await get(publicUrl(slow, 'original'))).status).toBe(404)
    expect(await media.call(slow.url, user(OWNER))).toMatchObject({ status: 200 })
  } finally {
    media.store.get = open
  }
})

test('tells caches to keep no error', async () => {
  const paths = [`/api/uploads/${'0'.repeat(32)}.webp`, '/api/uploads/s-1-1-1-t-forged.webp', '/api/photos/1/image']
  for (const path of paths) {
    const { status, headers } = await get(path)
    expect([status, headers['cache-control']]).toEqual([404, 'no-store'])
  }
})

test('opens a photo by its id with the current link, and shows nothing of its stored name', async () => {
  const path = `/api/photos/${photo.id}/image`
  for (const link of [linkCookie(FOLDER), { 'x-share-code': `code-of-${FOLDER}` }] as Record<string, string>[]) {
    const { status, text, headers } = await get(path, link)
    expect([status, text]).toEqual([200, storedNameIn(photo.previewUrl)])
    expect(headers).toMatchObject({
      'cache-control': 'private, no-cache',
      vary: 'cookie, x-share-code',
      'content-disposition': `inline; filename="photo-${photo.id}.webp"; filename*=UTF-8''photo-${photo.id}.webp`,
    })
    expect(JSON.stringify(headers)).not.toContain(storedNameIn(photo.previewUrl).slice(0, 32))
    expect((await get(path, { ...link, 'if-none-match': headers.etag ?? '' })).status).toBe(304)
  }
})

test('logs neither stored names nor share codes', async () => {
  log.length = 0
  await get(publicUrl(photo, 'preview'))
  await get(photo.previewUrl ?? '')
  await get(`/picture-bytes/${storedNameIn(photo.previewUrl)}`)
  for (const shareCode of [`code-of-${FOLDER}`, 'another-code'])
    await get(`/api/photos/${photo.id}/image`, { 'x-share-code': shareCode })
  await waitFor(() => log.some((line) => line.includes('/api/photos/:id/image')), { what: 'the requests are logged' })
  for (const secret of [storedNameIn(photo.previewUrl).slice(0, 32), `code-of-${FOLDER}`, 'another-code']) {
    expect(log.join('\n')).not.toContain(secret)
  }
})
