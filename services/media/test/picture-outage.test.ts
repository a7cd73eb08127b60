import { openPool } from '@skyfolio/kit/database'
import { createTestDatabase, startNats, startTcpProxy, type TcpProxy, waitFor } from '@skyfolio/testkit'
import { afterEach, expect, test } from 'vitest'
import { linkCookie, OWNER, processedPhoto, publicUrl } from './picture-support.ts'
import { admin, startTestMedia, type TestMedia, user, visitor } from './support.ts'

/* A server that hangs, not one that is gone: connections stay open and nothing is answered. See outage.test.ts for the latter. */

const FOLDER = 10
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

/** Media with one public photo, and the requests of a visitor that get its bytes. */
async function startScene(options: { natsUrl?: string; databaseUrl?: string }) {
  const media = await startTestMedia(options)
  stops.push(media.close)
  const folders = media.folders()
  folders.set(FOLDER, OWNER, true)
  await folders.announce(FOLDER)
  const photo = await processedPhoto(media, FOLDER)
  const headers = linkCookie(FOLDER)
  const requests = [
    () => media.call(publicUrl(photo, 'original')),
    () => media.call(publicUrl(photo, 'thumbnail')),
    () => media.call(photo.previewUrl ?? ''),
    () => media.call(`/api/photos/${photo.id}/image`, visitor, { headers }),
  ]
  const state = () => media.call(publicUrl(photo, 'thumbnail').replace('/api/uploads/', '/picture-states/'))
  const statuses = () => Promise.all([...requests, state].map(async (request) => (await request()).status))
  await waitFor(async () => (await statuses()).every((status) => status === 200), { what: 'a visitor sees the photo' })
  return { media, folders, photo, statuses, state }
}

async function proxyTo(url: string): Promise<TcpProxy> {
  const proxy = await startTcpProxy(url)
  stops.push(() => proxy.close())
  return proxy
}

/** Asserts that permissions end within a second of now, and that then all requests of a visitor get 503. */
async function expectUnavailable({ state, statuses }: Awaited<ReturnType<typeof startScene>>): Promise<void> {
  const frozen = performance.now()
  let lastSeen = 0
  await waitFor(
    async () => {
      const asked = performance.now() - frozen
      const response = await state()
      if (response.status === 503) return response.headers.get('retry-after') === '1'
      const { ageMs } = (await response.json()) as { ageMs: number }
      lastSeen = asked - ageMs
      return false
    },
    { what: 'nothing is confirmed' },
  )
  expect(lastSeen).toBeLessThan(1_000)
  const found = await statuses()
  expect(found).toEqual(found.map(() => 503))
}

const audited = ({ db }: TestMedia) => db.outbox.count({ where: { subject: 'media.audit.recorded' } })

test('while NATS hangs visitors get 503 and never an older permission; owners and administrators get bytes', async () => {
  const nats = await startNats()
  stops.push(() => nats.stop())
  const proxy = await proxyTo(nats.url)
  const scene = await startScene({ natsUrl: proxy.url })
  const { media, folders, photo, statuses } = scene
  proxy.freeze()
  folders.set(FOLDER, OWNER, false, 2)
  try {
    await expectUnavailable(scene)
    for (const url of [photo.url, photo.previewUrl ?? '', `/api/photos/${photo.id}/image`]) {
      expect((await media.call(url, user(OWNER))).status).toBe(200)
    }
    expect((await media.pictureState(photo.previewUrl ?? '', user(OWNER))).status).toBe(200)
    expect(await audited(media)).toBe(0)
    expect((await media.call(photo.url, admin)).status).toBe(200)
    expect(await audited(media)).toBe(1)
  } finally {
    proxy.thaw()
  }
  await waitFor(async () => (await statuses()).every((status) => status === 404), { what: 'the folder is private' })
})

test('while PostgreSQL hangs everybody gets 503 and never an older permission, and afterwards what holds then', async () => {
  const database = await createTestDatabase('media')
  stops.push(() => database.drop())
  const direct = openPool(database.url)
  stops.push(() => direct.end())
  const { pathname, searchParams } = new URL(database.url)
  const proxy = await proxyTo(database.url)
  const { username, password } = new URL(database.url)
  const through = Object.assign(new URL(proxy.url), { username, password, pathname, search: searchParams.toString() })
  const scene = await startScene({ databaseUrl: through.href })
  const { media, photo, statuses } = scene
  proxy.freeze()
  try {
    await direct.query('UPDATE photos SET own_is_public = false, own_visibility_revision = 9 WHERE id = $1', [photo.id])
    await expectUnavailable(scene)
    expect((await media.call(photo.url, user(OWNER))).status).toBe(503)
  } finally {
    proxy.thaw()
  }
  await waitFor(async () => (await statuses()).every((status) => status === 404), { what: 'the photo is private' })
  expect((await media.call(photo.url, user(OWNER))).status).toBe(200)
})
