import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { createLogger } from '@skyfolio/kit'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { originalKey } from '../src/files/object-keys.ts'
import { removeDueObjects } from '../src/files/object-removals.ts'
import type { PhotoResponse } from '../src/photos/photo-response.ts'
import { jpeg, PHOTO_EVENTS, startTestMedia, type TestMedia, user } from './support.ts'

let media: TestMedia
let folders: ReturnType<TestMedia['folders']>
let put: TestMedia['store']['put']
beforeAll(async () => {
  media = await startTestMedia()
  folders = media.folders()
  put = media.store.put
})
afterEach(async () => {
  media.store.put = put
  for (const key of await media.keys()) await media.store.remove(key)
  await media.db.objectRemoval.deleteMany()
  await media.db.photo.deleteMany()
})
afterAll(() => media.close())

const me = user(1)
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

function send(bytes: Buffer, fields: Record<string, string> = {}, who = me) {
  return media.send('/api/upload-photo', who, [...Object.entries(fields), ['photo', { name: 'again.jpg', bytes }]])
}

function sendMany(files: Buffer[], fields: Record<string, string> = {}) {
  const entries = files.map((bytes, index): [string, { name: string; bytes: Buffer }] => [
    'photos',
    { name: `${index}.jpg`, bytes },
  ])
  return media.send('/api/upload-photos', me, [...Object.entries(fields), ...entries])
}

/** Executes the scheduled removals, and returns the objects that remain. */
async function keysAfterRemovals(): Promise<string[]> {
  await removeDueObjects({ db: media.db, store: media.store, logger: createLogger('duplicates', 'silent') })
  expect(await media.db.objectRemoval.count()).toBe(0)
  return media.keys()
}

/** Delays stored files until `count` of them are stored, so that their requests end together. */
function meetAfterPut(count: number): void {
  let arrived = 0
  media.store.put = async (...args) => {
    const stored = await put(...args)
    arrived += 1
    await waitFor(() => arrived >= count, { what: `${count} files are stored` })
    return stored
  }
}

/** Runs something after a file was stored and before its upload commits. */
function beforeCommit(work: () => Promise<unknown>): void {
  media.store.put = async (...args) => {
    const stored = await put(...args)
    await work()
    return stored
  }
}

test('returns the existing photo for a file that the user has, and stores it once', async () => {
  const bytes = await jpeg()
  const first = await media.upload(1, { description: 'The first' }, bytes)
  const events = await media.db.outbox.count({ where: PHOTO_EVENTS })
  const again = await send(bytes, { description: 'The second' })
  expect(again).toMatchObject({ status: 200, body: { ...first, duplicate: true } })
  expect(await media.photo(first.id)).toMatchObject({ revision: 1, description: 'The first' })
  expect(await media.db.outbox.count({ where: PHOTO_EVENTS })).toBe(events)
  expect(await keysAfterRemovals()).toEqual([originalKey(first.filename)])
})

test('creates a separate photo for the same file of another user', async () => {
  const bytes = await jpeg()
  const mine = await media.upload(1, {}, bytes)
  const theirs = await send(bytes, {}, user(2))
  expect(theirs).toMatchObject({ status: 201, body: { userId: 2 } })
  expect(theirs.body.id).not.toBe(mine.id)
  expect(await keysAfterRemovals()).toHaveLength(2)
})

test('reports each file of an upload in order, whatever its outcome', async () => {
  const [known, fresh] = [await jpeg(), await jpeg()]
  const photo = await media.upload(1, {}, known)
  const text = Buffer.from('These are notes, not a photo.')
  const { status, body } = await sendMany([text, fresh, known, fresh])
  expect(status).toBe(201)
  const [made, had] = body.photos
  expect(body.photos).toHaveLength(2)
  expect([made.duplicate, had.id, had.duplicate]).toEqual([undefined, photo.id, true])
  expect(body.files).toEqual([
    { photoId: null, duplicate: false, issue: expect.stringContaining('"0.jpg"') },
    { photoId: made.id, duplicate: false, issue: null },
    { photoId: photo.id, duplicate: true, issue: null },
    { photoId: made.id, duplicate: true, issue: null },
  ])
  expect(body.issues).toEqual([body.files[0].issue])
  expect(await keysAfterRemovals()).toHaveLength(2)

  const again = await sendMany([text, known])
  expect(again).toMatchObject({ status: 200, body: { photos: [{ id: photo.id, duplicate: true }] } })
  expect(again.body.issues).toHaveLength(1)
})

test('moves a known file into the chosen folder by the rules of a move, or leaves it without a choice', async () => {
  folders.set(10, 1, true, 3)
  folders.set(11, 1, false)
  const [open, closed] = [await jpeg(), await jpeg()]
  const photo = await media.upload(1, { folderId: '11' }, open)
  const secret = await media.upload(1, { isPublic: 'false' }, closed)
  expect((await send(open)).body).toMatchObject({ folderId: 11, isPublic: false })

  const { body } = await sendMany([open, closed], { folderId: '10' })
  expect(body.photos).toMatchObject([
    { id: photo.id, folderId: 10, isPublic: true },
    { id: secret.id, folderId: 10, isPublic: false },
  ])
  expect(await media.photo(photo.id)).toMatchObject({ revision: 2 })
  const [last] = await media.db.outbox.findMany({ where: PHOTO_EVENTS, orderBy: { seq: 'desc' }, take: 1 })
  expect(last?.subject).toBe('media.photo.changed')
  expect((await send(open, { folderId: '10' })).status).toBe(200)
  expect(await media.photo(photo.id)).toMatchObject({ revision: 2 })
})

test('creates one photo for a file sent many times at once, and returns it each time', async () => {
  const bytes = await jpeg()
  meetAfterPut(4)
  const responses = await Promise.all([send(bytes), send(bytes), send(bytes), send(bytes)])
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201])
  expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1)
  expect(await media.db.photo.count()).toBe(1)
  const photo = await media.photo(responses[0]?.body.id)
  expect(await keysAfterRemovals()).toEqual([originalKey(photo.filename)])
  const stored = await media.store.get(originalKey(photo.filename))
  expect(stored && (await buffer(stored.body)).equals(bytes)).toBe(true)
})

test('accepts the same files in different orders at once without deadlock or second photo', async () => {
  const files = await Promise.all(Array.from({ length: 8 }, () => jpeg()))
  const responses = await Promise.all([sendMany(files), sendMany(files.toReversed())])
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 201])
  expect(await media.db.photo.count()).toBe(8)
  expect(await keysAfterRemovals()).toHaveLength(8)
})

test('creates a new photo for a file whose photo is deleted while it is sent', async () => {
  const bytes = await jpeg()
  const photo = await media.upload(1, {}, bytes)
  beforeCommit(() => media.call(`/api/photos/${photo.id}`, me, { method: 'DELETE' }))
  const response = await send(bytes)
  expect(response.status).toBe(201)
  expect(response.body.id).not.toBe(photo.id)
  expect(await keysAfterRemovals()).toEqual([originalKey(response.body.filename)])
})

test.each([
  ['is deleted', true, 201],
  ['is not deleted in the end', false, 200],
])(
  'an upload waits for a deletion that runs: when the photo %s the response is right',
  async (_what, commits, status) => {
    const bytes = await jpeg()
    const photo = await media.upload(1, {}, bytes)
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    let deleted = () => {}
    const hasDeleted = new Promise<void>((resolve) => {
      deleted = resolve
    })
    const deletion = media.db
      .$transaction(async (tx) => {
        await tx.photo.delete({ where: { id: photo.id } })
        deleted()
        await ended
        if (!commits) throw new Error('rolled back')
      })
      .catch(() => {})
    await hasDeleted
    const sending = send(bytes)
    await waitFor(
      async () => {
        const waiting = await media.db.$queryRaw<unknown[]>`
        SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
        return waiting.length > 0
      },
      { what: 'the upload waits for the deletion' },
    )
    end()
    await deletion
    const response = await sending
    expect(response.status).toBe(status)
    expect(response.body.id === photo.id).toBe(!commits)
  },
)

test('leaves a known file in place when the folder is deleted while it is sent, and reports it', async () => {
  folders.set(12, 1, true)
  folders.set(13, 1, false)
  await folders.announce(12)
  const bytes = await jpeg()
  const photo = await media.upload(1, { folderId: '13' }, bytes)
  beforeCommit(() => folders.announceDeleted(12, 1))
  const response = await send(bytes, { folderId: '12' })
  expect(response).toMatchObject({ status: 200, body: { id: photo.id, folderId: 13, duplicate: true } })
  expect(response.body.issues).toEqual(['The folder was deleted meanwhile. The photos stay where they were.'])
  expect(await media.photo(photo.id)).toMatchObject({ revision: 1 })
})

test('restores a missing original from an upload and processes the photo again', async () => {
  media.startWorker()
  const bytes = await jpeg()
  const { id } = await media.upload(1, {}, bytes)
  const before = await media.processed(id)
  await media.store.remove(originalKey(before.filename))
  const known = () => media.json<{ known: object }>('/api/photos/known', me, 'POST', { hashes: [sha256(bytes)] })
  expect((await known()).known).toEqual({})

  const answer = await send(bytes)
  expect(answer).toMatchObject({ status: 200, body: { id, duplicate: true, status: 'processing' } })
  expect(answer.body.thumbnailUrl).not.toBeNull()
  const after = await media.processed(id)
  expect(after.status).toBe('ready')
  const response = await media.call(`/api/uploads/${after.filename}`, me)
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
  expect((await known()).known).toEqual({ [sha256(bytes)]: id })
  await waitFor(async () => (await media.keys()).length === 3, { what: 'the old renditions are removed' })
})

test('returns known files by their hashes, to their owner only', async () => {
  const [mine, theirs, nobodys] = [await jpeg(), await jpeg(), await jpeg()]
  const photo = await media.upload(1, {}, mine)
  await media.upload(2, {}, theirs)
  const hashes = [mine, theirs, nobodys].map(sha256)
  const known = await media.json('/api/photos/known', me, 'POST', { hashes })
  expect(known).toMatchObject({ known: { [hashes[0] ?? '']: photo.id }, quota: { limit: null } })
  expect(Object.keys((known as { known: object }).known)).toHaveLength(1)
  const rejected = [Array(501).fill(hashes[0]), ['x'], [hashes[0]?.toUpperCase()]]
  for (const wrong of rejected)
    expect(await media.json('/api/photos/known', me, 'POST', { hashes: wrong })).toMatchObject({
      code: expect.any(String),
    })
})

test('rejects a second photo of a file in the database', async () => {
  const photo = await media.upload(1)
  const { id: _id, metadata: _metadata, tags: _tags, ...row } = await media.photo(photo.id)
  await expect(media.db.photo.create({ data: { ...row, filename: 'other.jpg' } })).rejects.toThrow('Unique constraint')
})

test('returns a known file as a photo of the list', async () => {
  const bytes = await jpeg()
  await media.upload(1, {}, bytes)
  const { duplicate, ...shown } = (await send(bytes)).body
  expect(duplicate).toBe(true)
  const [listed, ...others] = await media.json<PhotoResponse[]>('/api/photos', me)
  expect(others).toEqual([])
  // Its values may differ: a worker of an earlier test may process the photo.
  expect(listed?.id).toBe(shown.id)
  expect(Object.keys(listed ?? {})).toEqual(Object.keys(shown))
})
