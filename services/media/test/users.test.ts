import { emit, waitUntilCaughtUp } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PhotoResponse } from '../src/photos/photo-response.ts'
import { jpeg, startTestMedia, type TestMedia, user } from './support.ts'

let media: TestMedia
let folders: ReturnType<TestMedia['folders']>
beforeAll(async () => {
  media = await startTestMedia()
  folders = media.folders()
})
afterAll(() => media.close())

/** Publishes states of a user, as auth does, and waits until media has consumed all of them. */
async function announce(id: number, ...states: { publicByDefault: boolean; quota?: bigint; revision: number }[]) {
  for (const { revision, ...state } of states) {
    await emit(media.db, events.userChanged, { user: { id, ...state }, revision })
  }
  await consumed()
}

/** Waits until all events so far are published and handled. */
async function consumed(): Promise<void> {
  await waitFor(async () => (await media.db.outbox.count({ where: { publishedAt: null } })) === 0, {
    what: 'the events are published',
  })
  const subjects = [events.userChanged.subject, events.userDeleted.subject]
  await waitUntilCaughtUp(media.nats, { durable: 'media-users', subjects })
}

const userRow = (id: number) => media.db.user.findUnique({ where: { id } })
const isPublic = async (photo: PhotoResponse) => (await media.photo(photo.id)).ownIsPublic

test('keeps the newest state of a user, in whatever order and however often events arrive', async () => {
  await announce(1, { publicByDefault: false, quota: 5n, revision: 2 }, { publicByDefault: true, revision: 1 })
  const newest = { publicByDefault: false, quota: 5n, revision: 2, deleted: false }
  expect(await userRow(1)).toMatchObject(newest)
  await announce(1, { publicByDefault: true, revision: 2 }, { publicByDefault: true, revision: 1 })
  expect(await userRow(1)).toMatchObject(newest)
  await announce(1, { publicByDefault: true, revision: 3 })
  expect(await userRow(1)).toMatchObject({ publicByDefault: true, quota: null, revision: 3 })
})

test('forgets a deleted user for good', async () => {
  await announce(2, { publicByDefault: false, quota: 5n, revision: 7 })
  await emit(media.db, events.userDeleted, { userId: 2 })
  await consumed()
  await announce(2, { publicByDefault: false, quota: 5n, revision: 8 }, { publicByDefault: false, revision: 7 })
  expect(await userRow(2)).toMatchObject({ deleted: true, quota: null })
  // A deletion may arrive first.
  await emit(media.db, events.userDeleted, { userId: 3 })
  await announce(3, { publicByDefault: true, revision: 1 })
  expect(await userRow(3)).toMatchObject({ deleted: true })
})

test('makes an upload without a flag and without a folder as public as its owner prefers', async () => {
  folders.set(70, 4, true)
  await folders.announce(70)
  expect(await isPublic(await media.upload(4)), 'unknown user').toBe(true)
  await announce(4, { publicByDefault: false, revision: 1 })
  expect(await isPublic(await media.upload(4))).toBe(false)
  expect(await isPublic(await media.upload(4, { folderId: 'none' }))).toBe(false)
  expect(await isPublic(await media.upload(4, { isPublic: 'true' }))).toBe(true)
  expect(await isPublic(await media.upload(4, { folderId: '70' })), 'the folder decides').toBeNull()
  const several = await media.send('/api/upload-photos', user(4), [['photos', { name: 'a.jpg', bytes: await jpeg() }]])
  expect(await isPublic(several.body.photos[0])).toBe(false)
  await announce(4, { publicByDefault: true, revision: 2 })
  expect(await isPublic(await media.upload(4))).toBe(true)
  expect(await isPublic(await media.upload(4, { isPublic: 'false' }))).toBe(false)
})

test('keeps photos of the metadata screen private, whatever their owner prefers', async () => {
  await announce(5, { publicByDefault: true, revision: 1 })
  const photo = await media.upload(5, { metadata: 'true' })
  expect(await isPublic(photo)).toBe(false)
})
