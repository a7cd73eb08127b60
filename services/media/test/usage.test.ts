import { fromBinary } from '@bufbuild/protobuf'
import { events } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seededRandom } from '../scripts/gallery-rows.ts'
import { republishUsage } from '../src/events.ts'
import type { Prisma } from '../src/generated/client.ts'
import type { Storage } from '../src/routes/storage.ts'
import { publishUsage } from '../src/usage/publish-usage.ts'
import { jpegOfSize, startTestMedia, type TestMedia, user } from './support.ts'

let media: TestMedia
let folders: ReturnType<TestMedia['folders']>
beforeAll(async () => {
  media = await startTestMedia()
  folders = media.folders()
})
afterAll(() => media.close())

let made = 0
function row(userId: number, more: Partial<Prisma.PhotoCreateManyInput> = {}): Prisma.PhotoCreateManyInput {
  made += 1
  const name = `usage-${made}`
  return { userId, title: 'x', filename: `${name}.jpg`, originalName: 'x.jpg', filesize: 10, sha256: name, ...more }
}

/** The events about a user's usage in the order of their revisions, with the times of the outbox. */
async function published(userId: number, db = media.db) {
  const rows = await db.outbox.findMany({ where: { subject: events.usageChanged.subject } })
  const all = rows.map(({ payload, createdAt, publishedAt }) => {
    const { $typeName: _, ...message } = fromBinary(events.usageChanged.schema, payload)
    return { ...message, createdAt, publishedAt }
  })
  return all.filter((event) => event.userId === userId).toSorted((a, b) => Number(a.revision - b.revision))
}

/** Waits for the event after which the user's usage is this. */
async function publishedAs(userId: number, photos: number, bytes: number) {
  return waitFor(
    async () => {
      const last = (await published(userId)).at(-1)
      return last?.publishedAt && last.photos === photos && Number(last.bytes) === bytes && last
    },
    { what: `${photos} photos with ${bytes} bytes are published` },
  )
}

async function removeAll(userId: number): Promise<void> {
  for (const { id } of await media.db.photo.findMany({ where: { userId } })) {
    await media.call(`/api/photos/${id}`, user(userId), { method: 'DELETE' })
  }
}

test('publishes what a user has after each upload and each delete', async () => {
  for (const photos of [1, 2, 3]) {
    await media.upload(1, {}, await jpegOfSize(5_000))
    await publishedAs(1, photos, photos * 5_000)
  }
  const [{ id } = { id: 0 }] = await media.json<{ id: number }[]>('/api/photos', user(1))
  await media.call(`/api/photos/${id}`, user(1), { method: 'DELETE' })
  await publishedAs(1, 2, 10_000)
})

test('counts photos of the metadata screen for the bytes only', async () => {
  await media.upload(2, {}, await jpegOfSize(5_000))
  const file = { name: 'a.jpg', bytes: await jpegOfSize(7_000) }
  const entries: [string, string | typeof file][] = [
    ['metadata', 'true'],
    ['photo', file],
  ]
  expect((await media.send('/api/upload-photo', user(2), entries)).status).toBe(201)
  await publishedAs(2, 1, 12_000)
  await media.call('/api/photos/metadata', user(2), { method: 'DELETE' })
  await publishedAs(2, 1, 5_000)
  await removeAll(2)
  await publishedAs(2, 0, 0)
})

test('counts a place once, whatever the number of its photos, and not after its last photo', async () => {
  const austin = { city: 'Austin', state: 'Texas' }
  const locations = async () => (await media.db.userUsage.findUnique({ where: { userId: 3 } }))?.locations
  await media.db.photo.createMany({
    data: [
      row(3, austin),
      row(3, austin),
      row(3, { city: 'Austin' }),
      row(3),
      row(3, { ...austin, purpose: 'metadata' }),
    ],
  })
  expect(await locations()).toBe(2)
  const first = await media.db.photo.findFirstOrThrow({ where: { userId: 3, ...austin } })
  await media.db.photo.update({ where: { id: first.id }, data: { city: 'Waco' } })
  expect(await locations()).toBe(3)
  const { revision } = await media.db.userUsage.findUniqueOrThrow({ where: { userId: 3 } })
  // A move to another known place changes no figure.
  await media.db.photo.update({ where: { id: first.id }, data: { title: 'y' } })
  expect(await media.db.userUsage.findUnique({ where: { userId: 3 } })).toMatchObject({ revision })
  await media.db.photo.deleteMany({ where: { userId: 3, OR: [austin, { city: 'Waco' }] } })
  expect(await locations()).toBe(1)
  await media.db.photo.deleteMany({ where: { userId: 3 } })
  expect(await media.db.userUsage.findUnique({ where: { userId: 3 } })).toMatchObject({
    ...{ photos: 0, locations: 0, bytes: 0n },
  })
})

test('publishes many changes as few events, and the last state always', async () => {
  for (let index = 0; index < 60; index += 1) await media.db.photo.create({ data: row(4) })
  await publishedAs(4, 60, 600)
  expect((await published(4)).length).toBeLessThan(30)
})

test('publishes no revision twice and misses no user when several processes publish', async () => {
  const random = seededRandom(5)
  const userIds = Array.from({ length: 300 }, (_, index) => 1_000 + index)
  let isChanging = true
  const publishing = Array.from({ length: 4 }, async () => {
    while (isChanging) await publishUsage(media.db)
  })
  for (let round = 0; round < 20; round += 1) {
    const some = userIds.filter(() => random() < 0.5)
    await Promise.all([
      media.db.photo.createMany({ data: some.map((userId) => row(userId)) }),
      media.db.photo.createMany({ data: [row(1_000), row(1_299)] }),
    ])
  }
  isChanging = false
  await Promise.all(publishing)
  const due = () => media.db.$queryRaw<unknown[]>`SELECT FROM user_usage WHERE revision > published_revision`
  await waitFor(async () => (await due()).length === 0, { what: 'all is published' })

  const rows = await media.db.outbox.findMany({ where: { subject: events.usageChanged.subject } })
  const messages = rows.map(({ payload }) => fromBinary(events.usageChanged.schema, payload))
  const states = messages.map(({ userId, revision }) => `${userId} ${revision}`)
  expect(new Set(states).size).toBe(states.length)
  for (const usage of await media.db.userUsage.findMany({ where: { userId: { in: userIds } } })) {
    const last = messages
      .filter(({ userId }) => userId === usage.userId)
      .toSorted((a, b) => Number(b.revision - a.revision))
    expect(last[0]).toMatchObject({ photos: usage.photos, bytes: usage.bytes, revision: usage.revision })
  }
})

test('publishes the usage of every user again', async () => {
  await media.upload(5)
  const before = await publishedAs(5, 1, (await media.db.photo.findFirstOrThrow({ where: { userId: 5 } })).filesize)
  expect(await republishUsage(media.db)).toBe(await media.db.userUsage.count())
  const again = await published(5)
  expect(again.map(({ revision }) => revision)).toEqual([before.revision, before.revision])
})

test('shows what takes the storage of a user by folder and by year', async () => {
  folders.set(60, 6, false)
  folders.set(61, 6, false)
  for (const id of [60, 61]) await folders.announce(id)
  const year = new Date().getUTCFullYear()
  await media.db.photo.createMany({
    data: [
      row(6, { filesize: 100, dateTaken: '2019-05-01T10:00:00' }),
      row(6, { filesize: 200, folderId: 60, dateTaken: '2019-12-31T23:00:00-08:00' }),
      row(6, { filesize: 2_000_000_000, folderId: 60 }),
      row(6, { filesize: 2_000_000_000, folderId: 61 }),
      row(6, { filesize: 7, purpose: 'metadata' }),
      row(7, { filesize: 9, folderId: null }),
    ],
  })
  const storage = () => media.json<Storage>('/api/photos/storage', user(6))
  expect(await storage()).toEqual({
    used: 4_000_000_307,
    uploading: 0,
    quota: null,
    metadataScreen: { photos: 1, bytes: 7 },
    folders: [
      { folderId: 60, photos: 2, bytes: 2_000_000_200 },
      { folderId: 61, photos: 1, bytes: 2_000_000_000 },
      { folderId: null, photos: 1, bytes: 100 },
    ],
    years: [
      { year, photos: 2, bytes: 4_000_000_000 },
      { year: 2019, photos: 2, bytes: 300 },
    ],
  })
  await folders.announceDeleted(61, 6)
  expect((await storage()).folders).toEqual([
    { folderId: 60, photos: 2, bytes: 2_000_000_200 },
    { folderId: null, photos: 2, bytes: 2_000_000_100 },
  ])
  expect(await media.json('/api/photos/storage', user(66))).toEqual({
    ...{ used: 0, uploading: 0, quota: null, metadataScreen: { photos: 0, bytes: 0 }, folders: [], years: [] },
  })
})
