import { randomUUID } from 'node:crypto'
import { create } from '@bufbuild/protobuf'
import {
  type App,
  beginRebuild,
  createLogger,
  emit,
  endRebuild,
  onHint,
  startRelay,
  waitUntilCaughtUp,
} from '@skyfolio/kit'
import { events, hints, PhotoChangedSchema, PhotoDeletedSchema } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DURABLE, deletePhoto, photoHandlers, republishFolders } from '../src/events.ts'
import { savePhoto } from '../src/projection/photos.ts'
import { compactTallies } from '../src/voting/change-ballots.ts'
import { call, makeFolder, newUser, newVoter, openTestSystem, photoState, type TestSystem } from './support.ts'
import { expectExactTallies } from './votes-support.ts'

type Photo = ReturnType<typeof photoState>

let system: TestSystem
let app: App

beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
  await system.start()
})
afterAll(() => system.close())

const sharedTitles = async (shareCode: string): Promise<string[]> =>
  (await call(app, 'GET', `/api/share/${shareCode}`)).body.photos.map((photo: { title: string }) => photo.title)

/** Publishes photo events as media does, through an outbox and a relay. */
async function publish(
  ...messages: ({ photo: ReturnType<typeof photoState>; revision: number } | { deleted: number; revision: number })[]
) {
  await system.database.$transaction(async (tx) => {
    for (const message of messages) {
      if ('photo' in message) await emit(tx, events.photoChanged, create(PhotoChangedSchema, message))
      else {
        const { deleted, revision } = message
        await emit(tx, events.photoDeleted, create(PhotoDeletedSchema, { photoId: deleted, userId: 1, revision }))
      }
    }
  })
  const relay = startRelay({ pool: system.pool, nats: system.nats, logger: createLogger('test', 'silent') })
  await relay.flush()
  await relay.stop()
}

test('a photo appears in the share, changes, moves and disappears by events alone', async () => {
  const owner = newUser()
  const lake = await makeFolder(app, owner, { isPublic: true })
  const river = await makeFolder(app, owner, { isPublic: true })
  const photo = photoState({ userId: owner.userId, folderId: lake.id, title: 'New' })
  const sees = (code: string, titles: string[]) =>
    waitFor(async () => JSON.stringify(await sharedTitles(code)) === JSON.stringify(titles), { what: `${titles}` })
  const hinted = new Set<number>()
  const subscription = onHint(system.nats, hints.contentsChanged, ({ userId }) => void hinted.add(userId))
  await publish({ photo, revision: 1 })
  await sees(lake.shareCode, ['New'])
  await waitFor(() => hinted.has(owner.userId), { what: 'a hint that the projection shows it' })
  await subscription.stop()
  await publish({ photo: { ...photo, title: 'Renamed', ownPosition: 1.5 }, revision: 2 })
  await sees(lake.shareCode, ['Renamed'])
  expect(await system.database.photo.findUnique({ where: { id: photo.id } })).toMatchObject({ ownPosition: 1.5 })
  await publish({ photo: { ...photo, folderId: river.id }, revision: 3 })
  await sees(river.shareCode, ['New'])
  await sees(lake.shareCode, [])
  await publish({ deleted: photo.id, revision: 4 })
  await sees(river.shareCode, [])
})

test('redelivered and outdated events change nothing', async () => {
  const owner = newUser()
  const { id, shareCode } = await makeFolder(app, owner, { isPublic: true })
  const photo = photoState({ userId: owner.userId, folderId: id, title: 'third' })
  const older = { photo: { ...photo, title: 'second' }, revision: 2 }
  const end = photoState({ userId: owner.userId, folderId: id, title: 'end' })
  await publish({ photo, revision: 3 }, older, { photo, revision: 3 }, older, { photo: end, revision: 1 })
  await waitFor(async () => (await sharedTitles(shareCode)).includes('end'), { what: 'the last event' })
  expect(await sharedTitles(shareCode)).toEqual(['end', 'third'])
})

test('metadata follows its photo, and republishing adds what the projection lacks', async () => {
  const owner = newUser()
  const { id, shareCode } = await makeFolder(app, owner, { isPublic: true })
  const metadata = { Make: 'DJI', drone: { RelativeAltitude: 39.8 } }
  const photo = photoState({ userId: owner.userId, folderId: id, metadata })
  const shown = async () => (await call(app, 'GET', `/api/share/${shareCode}/photos/${photo.id}`)).body.metadata
  await publish({ photo, revision: 3 })
  await waitFor(async () => (await shown())?.Make === 'DJI', { what: 'the metadata is known' })
  expect(await shown()).toEqual(metadata)

  await system.pool.query('UPDATE photos SET metadata = NULL WHERE id = $1', [photo.id])
  await publish({ photo, revision: 3 })
  await waitFor(async () => (await shown())?.Make === 'DJI', { what: 'the metadata is known again' })

  await publish({ deleted: photo.id, revision: 4 })
  const row = () => system.pool.query('SELECT deleted, metadata FROM photos WHERE id = $1', [photo.id])
  await waitFor(async () => (await row()).rows[0].deleted, { what: 'the tombstone' })
  expect((await row()).rows).toEqual([{ deleted: true, metadata: null }])
  await publish(
    { photo, revision: 4 },
    { photo: photoState({ userId: owner.userId, folderId: id, title: 'end' }), revision: 1 },
  )
  await waitFor(async () => (await sharedTitles(shareCode)).includes('end'), { what: 'the last event' })
  expect((await row()).rows).toEqual([{ deleted: true, metadata: null }])
})

/** The photos of these folders in the projection. */
const projected = async (folderIds: number[]) =>
  (
    await system.pool.query(
      `SELECT id, revision, title, own_is_public, city, metadata FROM photos
       WHERE folder_id = ANY ($1) AND NOT deleted ORDER BY id`,
      [folderIds],
    )
  ).rows

test('a rebuild corrects a projection damaged in every way, while votes and changes continue', async () => {
  const owner = newUser()
  const { id, shareCode } = await makeFolder(app, owner, { isPublic: true })
  const other = await makeFolder(app, owner)
  const photos = [1, 2, 3, 4, 5, 6].map((number) =>
    photoState({ userId: owner.userId, folderId: id, title: `${number}`, city: 'Duluth', metadata: { Make: 'DJI' } }),
  )
  const truth = photos.map((photo) => ({ photo, revision: 5 }))
  await publish(...truth)
  await waitFor(async () => (await sharedTitles(shareCode)).length === 6, { what: 'projected' })
  const before = await projected([id, other.id])
  const [lost, old, changed, hidden, ghost, kept] = photos as [Photo, Photo, Photo, Photo, Photo, Photo]
  const voter = newVoter(app)
  await voter.rank(id, ghost.id, 'first')
  await voter.rank(id, kept.id, 'second')

  const damage = (sql: string, photo: Photo) => system.pool.query(`${sql} WHERE id = $1`, [photo.id])
  await damage('DELETE FROM photos', lost)
  await damage(`UPDATE photos SET revision = 3, title = 'older', folder_id = ${other.id}`, old)
  await damage("UPDATE photos SET title = 'wrong', metadata = NULL", changed)
  await damage('UPDATE photos SET own_is_public = false, own_visibility_revision = 9', hidden)

  await beginRebuild(system.database)
  // Media does not have the photo `ghost`: it publishes the others, like `republish`, and concurrent changes.
  const born = photoState({ userId: owner.userId, folderId: id, title: 'born' })
  await publish(...truth.filter(({ photo }) => photo !== ghost), { photo: born, revision: 1 })
  expect((await voter.rank(id, kept.id, 'third')).status).toBe(200)
  const subjects = photoHandlers(() => {}).map((handler) => handler.subject)
  await waitUntilCaughtUp(system.nats, { durable: DURABLE, subjects })
  expect(await endRebuild(system.database, deletePhoto)).toBeGreaterThan(0)

  const now = await projected([id, other.id])
  expect(now.filter((row) => row.id !== born.id)).toEqual(before.filter((row) => row.id !== ghost.id))
  expect(await sharedTitles(shareCode)).toEqual(['born', '6', '4', '3', '2', '1'])
  const { rows } = await system.pool.query('SELECT first, second, third FROM ballots WHERE folder_id = $1', [id])
  expect(rows).toEqual([{ first: null, second: null, third: kept.id }])
  await expectExactTallies(system)
  expect((await system.pool.query('SELECT FROM doubted_photos')).rowCount).toBe(0)
})

test('a vote in progress during the deletion of its photo neither counts nor shows, and the next compaction removes it', async () => {
  const owner = newUser()
  const { id, shareCode } = await makeFolder(app, owner, { isPublic: true })
  const photo = photoState({ userId: owner.userId, folderId: id })
  await system.database.$transaction((tx) => savePhoto(tx, photo, 1))
  const voter = newVoter(app)
  await voter.rank(id, photo.id, 'first')
  // The state after a vote whose statement read the photo before the deletion and committed after it.
  await system.database.$transaction((tx) => deletePhoto(tx, { photoId: photo.id, userId: owner.userId, revision: 2 }))
  await system.pool.query(
    `WITH late AS (UPDATE ballots SET first = $2 WHERE folder_id = $1 RETURNING folder_id)
     INSERT INTO tally_changes (folder_id, photo_id, first, second, third) SELECT folder_id, $2, 1, 0, 0 FROM late`,
    [id, photo.id],
  )
  const send = async (rest: string) =>
    (await call(app, 'GET', `/api/folders/${id}${rest}`, { headers: owner.headers })).body
  expect((await send('/rankings')).tallies).toEqual([])
  expect(await send('/voters')).toMatchObject([{ first: 0, second: 0, third: 0 }])
  expect((await call(app, 'GET', `/api/share/${shareCode}?fingerprint=${voter.fingerprint}`)).body.voteCounts).toEqual(
    {},
  )
  await waitFor(
    async () => {
      await compactTallies(system.database)
      const { rows } = await system.pool.query('SELECT first FROM ballots WHERE folder_id = $1', [id])
      return rows[0].first === null
    },
    { what: 'the photo removed from the ballot' },
  )
  await expectExactTallies(system)
})

test('deleting a photo deletes its votes and leaves a tombstone without its data', async () => {
  const owner = newUser()
  const { id } = await makeFolder(app, owner, { isPublic: true })
  const [a, b] = [1, 2].map(() => photoState({ userId: owner.userId, folderId: id, city: 'Duluth' }))
  if (!a || !b) throw new Error('no photos')
  await system.database.$transaction(async (tx) => {
    await savePhoto(tx, a, 1)
    await savePhoto(tx, b, 1)
  })
  const voters = Array.from({ length: 5 }, () => newVoter(app))
  for (const voter of voters) {
    await voter.rank(id, a.id, 'first')
    await voter.rank(id, b.id, 'second')
  }
  await system.database.$transaction((tx) => deletePhoto(tx, { photoId: a.id, userId: owner.userId, revision: 2 }))
  const { rows } = await system.pool.query('SELECT first, second, third FROM ballots WHERE folder_id = $1', [id])
  expect(rows).toEqual(voters.map(() => ({ first: null, second: b.id, third: null })))
  await expectExactTallies(system)
  const tombstone = await system.pool.query('SELECT photos::text AS row FROM photos WHERE id = $1', [a.id])
  expect(tombstone.rows[0].row).not.toMatch(/Duluth|Photo|\.jpg/)
})

test('property: in any order and with any repetition of events, the newest state or the deletion remains', async () => {
  const owner = newUser()
  const { id } = await makeFolder(app, owner)
  const other = await makeFolder(app, owner)
  const scenario = fc
    .record({
      count: fc.integer({ min: 1, max: 5 }),
      deleted: fc.boolean(),
      seed: fc.array(fc.nat(1000), { maxLength: 20 }),
    })
    .map(({ count, deleted, seed }) => {
      const revisions = Array.from({ length: count + (deleted ? 1 : 0) }, (_, index) => index + 1)
      // Every event once, some more than once, shuffled.
      const extra = seed.map((number) => revisions[number % revisions.length] ?? 1)
      const order = [...revisions, ...extra]
        .map((revision, index) => ({
          revision,
          key: ((seed[index % Math.max(seed.length, 1)] ?? 0) * (index + 7)) % 101,
        }))
        .sort((left, right) => left.key - right.key)
        .map((entry) => entry.revision)
      return { count, deleted, order }
    })
  await fc.assert(
    fc.asyncProperty(scenario, async ({ count, deleted, order }) => {
      const photo = photoState({ userId: owner.userId })
      const stateAt = (revision: number) => ({
        ...photo,
        title: `${revision}`,
        folderId: revision % 2 ? id : other.id,
      })
      const versionOf = async () => {
        const { rows } = await system.pool.query('SELECT id, contents_version FROM folders WHERE id = ANY ($1)', [
          [id, other.id],
        ])
        return new Map(rows.map((row) => [row.id, Number(row.contents_version)]))
      }
      const before = await versionOf()
      for (const revision of order) {
        await system.database.$transaction((tx) =>
          revision > count
            ? deletePhoto(tx, { photoId: photo.id, userId: owner.userId, revision })
            : savePhoto(tx, stateAt(revision), revision),
        )
      }
      const { rows } = await system.pool.query('SELECT title, folder_id, deleted, revision FROM photos WHERE id = $1', [
        photo.id,
      ])
      const last = stateAt(count)
      expect(rows).toEqual(
        deleted
          ? [{ title: '', folder_id: null, deleted: true, revision: count + 1 }]
          : [{ title: last.title, folder_id: last.folderId, deleted: false, revision: count }],
      )
      const after = await versionOf()
      if (!deleted) expect(after.get(last.folderId)).toBeGreaterThan(before.get(last.folderId) ?? 0)
    }),
    { numRuns: 40 },
  )
})

test('property: however changes of a photo interleave, its previous and its current folder both show a new version', async () => {
  const owner = newUser()
  const folders = await Promise.all([1, 2, 3].map(() => makeFolder(app, owner, { isPublic: true })))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(2), { minLength: 2, maxLength: 6 }), async (path) => {
      const photo = photoState({ userId: owner.userId, title: randomUUID() })
      await Promise.all(
        path.map((step, index) =>
          system.database.$transaction((tx) => savePhoto(tx, { ...photo, folderId: folders[step]?.id }, index + 1)),
        ),
      )
      const last = path.at(-1)
      for (const [index, folder] of folders.entries()) {
        expect((await sharedTitles(folder.shareCode)).includes(photo.title)).toBe(index === last)
      }
    }),
    { numRuns: 15 },
  )
})

test('republishes every folder, deleted ones too, with its current revision', async () => {
  const owner = newUser()
  const kept = await makeFolder(app, owner)
  const gone = await makeFolder(app, owner)
  await call(app, 'DELETE', `/api/folders/${gone.id}`, { headers: owner.headers })
  const { rows: before } = await system.pool.query('SELECT max(seq) AS seq FROM outbox')
  const count = await republishFolders(system.database)
  const { rows } = await system.pool.query('SELECT subject, payload FROM outbox WHERE seq > $1', [before[0].seq])
  expect(rows).toHaveLength(count)
  expect(rows.filter((row) => row.subject === 'folders.folder.deleted')).toHaveLength(
    (await system.pool.query('SELECT FROM deleted_folders')).rowCount ?? 0,
  )
  const { rows: original } = await system.pool.query('SELECT payload FROM outbox WHERE seq <= $1', [before[0].seq])
  for (const row of rows) expect(original.some((event) => event.payload.equals(row.payload))).toBe(true)
  expect(kept.id).not.toBe(gone.id)
})
