import { randomBytes } from 'node:crypto'
import { createLogger, type PartStore } from '@skyfolio/kit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { removeDueObjects } from '../src/files/object-removals.ts'
import { readSession, uploadOf } from '../src/upload-sessions/rows.ts'
import { ask, complete, declare, open, store } from './session-support.ts'
import { jpeg, startTestMedia, type TestMedia, user } from './support.ts'

/*
 * What a session is after a process has ended, or the store has failed, right after each of its steps. A crash shows in an error of
 * the step, or in a row as the process would have left it.
 */

let media: TestMedia
let original: { parts: PartStore; get: TestMedia['store']['get'] }
beforeAll(async () => {
  media = await startTestMedia()
  original = { parts: { ...media.store.parts }, get: media.store.get }
})
afterEach(() => {
  Object.assign(media.store.parts, original.parts)
  media.store.get = original.get
})
afterAll(() => media.close())

let lastUser = 0
/** A session of a new user with all parts of a photo. */
async function stored() {
  lastUser += 1
  const me = user(lastUser)
  const bytes = await jpeg()
  const { id } = await open(media, me, bytes)
  await store(media, lastUser, id, bytes)
  return { me, userId: lastUser, bytes, id }
}

/** The next call of a method of the parts fails after it has done its work. */
function crashAfter(method: 'begin' | 'complete' | 'abort'): void {
  const work = original.parts[method] as (...args: unknown[]) => Promise<unknown>
  Object.assign(media.store.parts, {
    async [method](...args: unknown[]) {
      media.store.parts[method] = work as never
      await work.apply(original.parts, args)
      throw new Error('the process has ended')
    },
  })
}

/** Calls `work` before the next inspection of an object. */
function beforeInspection(work: () => Promise<unknown>): void {
  media.store.get = async (...args) => {
    media.store.get = original.get
    await work()
    return original.get(...args)
  }
}

const photosOf = (userId: number) => media.db.photo.findMany({ where: { userId } })
const read = async (me: object, id: string) => (await ask(media, me, 'GET', `/${id}`)).body
const lease = (id: string, seconds: number) =>
  media.pool.query(
    `UPDATE upload_sessions SET state = 'completing', lease_id = gen_random_uuid(),
      lease_until = now() + $2 * interval '1 second' WHERE id = $1`,
    [id, seconds],
  )

async function incomplete(): Promise<string[]> {
  const ids: string[] = []
  for await (const { id } of media.store.incomplete()) ids.push(id)
  return ids
}

test('after the beginning at the store nothing of a session exists, and creating it again succeeds', async () => {
  const before = await incomplete()
  crashAfter('begin')
  const file = declare(randomBytes(10))
  expect((await ask(media, user(1000), 'POST', '', { files: [file] })).status).toBe(500)
  expect((await ask(media, user(1000), 'GET')).body.sessions).toEqual([])
  expect(await incomplete()).toHaveLength(before.length + 1)
  expect((await ask(media, user(1000), 'POST', '', { files: [file] })).status).toBe(201)
})

test('a request of which one file fails at the store leaves no other upload there', async () => {
  const before = await incomplete()
  const { begin } = original.parts
  media.store.parts.begin = async (key, size) => {
    if (size === 11) throw new Error('the store fails')
    return begin(key, size)
  }
  const files = [10, 11, 12].map((size) => declare(randomBytes(size)))
  expect((await ask(media, user(1001), 'POST', '', { files })).status).toBe(500)
  expect(await incomplete()).toEqual(before)
})

test('a lease blocks other completions and cancelling until it has expired', async () => {
  const { me, userId, id } = await stored()
  await lease(id, 30)
  expect((await complete(media, me, id)).headers.get('retry-after')).toBe('2')
  await lease(id, 20)
  const busy = await complete(media, me, id)
  expect([busy.status, busy.body.code]).toEqual([409, 'upload_busy'])
  expect(Number(busy.headers.get('retry-after'))).toBeGreaterThan(15)
  expect((await ask(media, me, 'DELETE', `/${id}`)).body.code).toBe('upload_busy')
  expect(await read(me, id)).toMatchObject({ state: 'open', missing: [] })
  await lease(id, -1)
  expect((await complete(media, me, id)).status).toBe(201)
  expect(await photosOf(userId)).toHaveLength(1)
})

test('a session that is being completed keeps its form, and another file with its SHA-256 has to wait', async () => {
  const { me, userId, bytes, id } = await stored()
  await lease(id, 30)
  const file = declare(bytes)
  const again = await ask(media, me, 'POST', '', { files: [file], description: 'Later' })
  expect(again.body.results).toMatchObject([{ state: 'open', session: { id } }])
  expect(await readSession(media.db, userId, id)).toMatchObject({ description: null, state: 'completing' })

  const files = [{ ...file, size: file.size - 1 }, declare(randomBytes(10))]
  const { status, body } = await ask(media, me, 'POST', '', { files })
  expect([status, body.results]).toMatchObject([
    201,
    [{ state: 'rejected', code: 'too_many_uploads' }, { state: 'open' }],
  ])
  await lease(id, -1)
  expect((await complete(media, me, id)).status).toBe(201)
})

test('a completion is repeated with the sentence about a folder that was deleted meanwhile', async () => {
  const { me, userId, id } = await stored()
  const folder = { id: 1, userId, isPublic: true, revision: 1, visibilityRevision: 1, deleted: true }
  await media.db.folder.create({ data: folder })
  await media.pool.query('UPDATE upload_sessions SET folder_id = 1 WHERE id = $1', [id])
  const first = await complete(media, me, id)
  expect(first.body).toMatchObject({ folderId: null, issues: [expect.stringContaining('folder was deleted')] })
  expect(await complete(media, me, id)).toMatchObject({ status: first.status, body: first.body })
})

test('after the object was made the next completion goes on', async () => {
  const { me, userId, id } = await stored()
  crashAfter('complete')
  expect((await complete(media, me, id)).status).toBe(500)
  expect(await read(me, id)).toMatchObject({ state: 'open', missing: [] })
  expect((await complete(media, me, id)).status).toBe(201)
  expect(await photosOf(userId)).toHaveLength(1)
})

test('an object that was made and never became a photo goes with its session', async () => {
  const { me, userId, id } = await stored()
  const session = await readSession(media.db, userId, id)
  if (!session) throw new Error('no session')
  crashAfter('complete')
  await complete(media, me, id)
  // The sweep of objects without rows, or a rejection, may have scheduled it.
  expect(await media.store.head(uploadOf(session).key)).not.toBeNull()
  expect((await ask(media, me, 'DELETE', `/${id}`)).status).toBe(204)
  await removeDueObjects({ db: media.db, store: media.store, logger: createLogger('sessions', 'silent') })
  expect(await media.store.head(uploadOf(session).key)).toBeNull()
})

test('an inspection that fails changes nothing', async () => {
  const { me, id } = await stored()
  beforeInspection(async () => {
    throw Object.assign(new Error('the store fails'), { code: 'ECONNREFUSED' })
  })
  expect((await complete(media, me, id)).status).toBe(503)
  expect((await complete(media, me, id)).status).toBe(201)
})

test('a completion that has lost its lease commits nothing', async () => {
  const { me, userId, id } = await stored()
  beforeInspection(() => lease(id, 30))
  expect((await complete(media, me, id)).body.code).toBe('upload_busy')
  expect(await photosOf(userId)).toEqual([])
  await lease(id, -1)
  expect((await complete(media, me, id)).status).toBe(201)
})

test('one of two completions at once makes the photo', async () => {
  const { me, userId, id } = await stored()
  const responses = await Promise.all([complete(media, me, id), complete(media, me, id)])
  expect(responses.map(({ status }) => status).sort()).toEqual([201, 409])
  expect((await complete(media, me, id)).status).toBe(201)
  expect(await photosOf(userId)).toHaveLength(1)
})

test('cancelling is repeated after the abort', async () => {
  const { me, id } = await stored()
  crashAfter('abort')
  expect((await ask(media, me, 'DELETE', `/${id}`)).status).toBe(500)
  expect((await ask(media, me, 'DELETE', `/${id}`)).status).toBe(204)
  expect((await ask(media, me, 'GET', `/${id}`)).status).toBe(404)
})

test('an upload that the store has forgotten begins again', async () => {
  const { me, userId, bytes, id } = await stored()
  const forget = async () => {
    const session = await readSession(media.db, userId, id)
    if (session) await media.store.parts.abort(uploadOf(session))
  }
  await forget()
  expect(await read(me, id)).toMatchObject({ state: 'open', missing: [1] })
  await store(media, userId, id, bytes)
  await forget()
  const response = await complete(media, me, id)
  expect([response.status, response.body.code, response.body.missing]).toEqual([409, 'parts_missing', [1]])
  await store(media, userId, id, bytes)
  expect((await complete(media, me, id)).status).toBe(201)
})

test('an expired session is gone, but lasts longer when its file is declared before the sweep', async () => {
  const { me, bytes, id } = await stored()
  await media.pool.query(`UPDATE upload_sessions SET expires_at = now() - interval '1 minute' WHERE id = $1`, [id])
  expect((await ask(media, me, 'GET', `/${id}`)).status).toBe(404)
  expect((await complete(media, me, id)).status).toBe(404)
  expect(await open(media, me, bytes)).toMatchObject({ id, missing: [] })
  expect((await complete(media, me, id)).status).toBe(201)
})

test('a user whose erasure has begun gets neither sessions nor photos', async () => {
  const { me, userId, id } = await stored()
  await media.db.deletedUser.create({ data: { userId } })
  expect((await complete(media, me, id)).status).toBe(404)
  expect((await ask(media, me, 'POST', '', { files: [declare(randomBytes(10))] })).status).toBe(404)
  expect(await photosOf(userId)).toEqual([])
  expect((await ask(media, me, 'GET')).body.sessions).toMatchObject([{ id }])
})
