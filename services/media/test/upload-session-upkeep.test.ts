import { randomBytes } from 'node:crypto'
import { createLogger, type ObjectStore } from '@skyfolio/kit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { originalKey } from '../src/files/object-keys.ts'
import { removeDueObjects } from '../src/files/object-removals.ts'
import { reconcile } from '../src/files/reconcile.ts'
import { partsOf, readSession, uploadOf } from '../src/upload-sessions/rows.ts'
import { eraseSessions, sweepSessions } from '../src/upload-sessions/upkeep.ts'
import { complete, open, store } from './session-support.ts'
import { jpeg, startTestMedia, type TestMedia, user } from './support.ts'

const MIB = 1024 * 1024

let media: TestMedia
let deps: Parameters<typeof sweepSessions>[0]
beforeAll(async () => {
  media = await startTestMedia()
  deps = { db: media.db, store: media.store, logger: createLogger('upkeep', 'silent') }
})
afterEach(async () => {
  await media.pool.query('DELETE FROM upload_sessions')
  await media.db.objectRemoval.deleteMany()
  await media.db.photo.deleteMany()
  for (const key of await media.keys()) await media.store.remove(key)
  for await (const upload of media.store.incomplete()) await upload.end()
})
afterAll(() => media.close())

const me = user(1)

async function rowOf(id: string) {
  const row = await readSession(media.db, 1, id)
  if (!row) throw new Error(`no session ${id}`)
  return row
}

/** Makes the object of a session, whose completion goes no further. */
async function assemble(id: string, bytes: Buffer): Promise<string> {
  await store(media, 1, id, bytes)
  const row = await rowOf(id)
  await media.store.parts.complete(uploadOf(row), partsOf(row))
  return originalKey(row.objectId)
}

const expire = (...ids: string[]) =>
  media.pool.query("UPDATE upload_sessions SET expires_at = now() - interval '1 s' WHERE id = ANY ($1)", [ids])
const lease = (id: string, seconds: number) =>
  media.pool.query(
    `UPDATE upload_sessions SET state = 'completing', lease_id = gen_random_uuid(),
      lease_until = now() + make_interval(secs => $2) WHERE id = $1`,
    [id, seconds],
  )
const expireLeases = () => media.pool.query("UPDATE upload_sessions SET lease_until = now() - interval '1 s'")

async function ids(): Promise<string[]> {
  const { rows } = await media.pool.query<{ id: string }>('SELECT id FROM upload_sessions ORDER BY id')
  return rows.map(({ id }) => id)
}

async function countUploads(): Promise<number> {
  let count = 0
  for await (const _ of media.store.incomplete()) count += 1
  return count
}

test('after their time sessions are deleted with what is stored of them, and no others', async () => {
  const files = await Promise.all([jpeg(), jpeg(), jpeg(), jpeg()])
  const [assembled, done, refused, leased] = await Promise.all(files.map((bytes) => open(media, me, bytes)))
  const large = randomBytes(6 * MIB)
  const [partly, kept] = [await open(media, me, large), await open(media, me, randomBytes(MIB))]
  await store(media, 1, partly.id, large, [2])
  const orphan = await assemble(assembled.id, files[0] as Buffer)
  await store(media, 1, done.id, files[1] as Buffer)
  const photo = (await complete(media, me, done.id)).body
  await media.pool.query("UPDATE upload_sessions SET state = 'failed' WHERE id = $1", [refused.id])
  await lease(leased.id, 60)
  await expire(assembled.id, done.id, refused.id, leased.id, partly.id)
  expect(await media.keys()).toEqual([orphan, originalKey(photo.filename)].sort())

  expect((await Promise.all([sweepSessions(deps), sweepSessions(deps)])).reduce((sum, count) => sum + count)).toBe(4)
  expect(await ids()).toEqual([leased.id, kept.id].sort())
  await removeDueObjects(deps)
  expect(await media.keys()).toEqual([originalKey(photo.filename)])
  // Of the leased, the kept and, as nobody completed it, the refused one.
  expect(await countUploads()).toBe(3)

  await expireLeases()
  expect(await sweepSessions(deps)).toBe(1)
  expect(await ids()).toEqual([kept.id])
})

test('thousands of abandoned sessions go in one sweep', async () => {
  await media.pool.query(
    `INSERT INTO upload_sessions (id, user_id, name, size, sha256, part_bytes, part_hashes, object_id, upload_id, expires_at)
     SELECT md5(n::text), n % 9, 'a.jpg', 5, md5(n::text) || md5(n::text), 5, '', md5(n::text), md5(n::text), now() - interval '1 s'
     FROM generate_series(1, 1050) AS n`,
  )
  expect(await sweepSessions(deps)).toBe(1050)
  expect(await ids()).toEqual([])
})

test('in an outage of the store sessions wait, and one that cannot be freed does not hold up the others', async () => {
  const [first, second] = [await open(media, me, await jpeg()), await open(media, me, await jpeg())]
  await expire(first.id, second.id)
  const failing = (abort: ObjectStore['parts']['abort']) => ({
    ...deps,
    store: { ...media.store, parts: { ...media.store.parts, abort } },
  })
  const outage = failing(async () => {
    throw Object.assign(new Error('no response'), { code: 'ECONNREFUSED' })
  })
  await expect(sweepSessions(outage)).rejects.toThrow('no response')
  expect(await ids()).toHaveLength(2)
  await expireLeases()
  const { rows } = await media.pool.query('SELECT upload_id FROM upload_sessions WHERE id = $1', [first.id])
  const stubborn = failing(async (upload) => {
    if (upload.uploadId === rows[0].upload_id) throw new Error('refused')
    await media.store.parts.abort(upload)
  })
  expect(await sweepSessions(stubborn)).toBe(1)
  expect(await ids()).toEqual([first.id])
  await expireLeases()
  expect(await sweepSessions(deps)).toBe(1)
})

test('the comparison with the store leaves open sessions alone, however old their uploads are', async () => {
  const bytes = await jpeg()
  const [kept, assembled] = [await open(media, me, randomBytes(MIB)), await open(media, me, bytes)]
  const key = await assemble(assembled.id, bytes)
  await lease(assembled.id, -1)
  await media.store.parts.begin(originalKey(`${'0'.repeat(32)}`), 5)
  async function* incomplete() {
    for await (const upload of media.store.incomplete()) yield { ...upload, startedAt: new Date(0) }
  }
  const old = { ...deps, store: { ...media.store, incomplete } }
  const found = await reconcile(old, { orphanAgeMs: -1, dryRun: false })
  expect(found).toMatchObject({ orphans: 0, incompleteUploads: 1 })
  expect(await countUploads()).toBe(1)
  await media.db.objectRemoval.create({ data: { key } })
  await removeDueObjects(deps)
  expect(await media.keys()).toEqual([key])
  expect(await media.store.parts.list(uploadOf(await rowOf(kept.id)))).toEqual([])
})

test('the sessions of a deleted user go, one that is being completed when that has ended', async () => {
  const bytes = await jpeg()
  const [mine, busy] = [await open(media, me, bytes), await open(media, me, await jpeg())]
  await assemble(mine.id, bytes)
  const theirs = await open(media, user(2), bytes)
  await lease(busy.id, 60)
  expect(await eraseSessions(deps, 1)).toBe('being completed')
  expect(await ids()).toEqual([busy.id, theirs.id].sort())
  await expireLeases()
  expect(await eraseSessions(deps, 1)).toBe('erased')
  expect(await ids()).toEqual([theirs.id])
  await removeDueObjects(deps)
  expect(await media.keys()).toEqual([])
  expect(await countUploads()).toBe(1)
})
