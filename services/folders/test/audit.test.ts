import { fromBinary } from '@bufbuild/protobuf'
import type { App } from '@skyfolio/kit'
import { AuditRecordedSchema } from '@skyfolio/proto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asUser, call, makeFolder, newUser, openTestSystem, type TestSystem } from './support.ts'

let system: TestSystem
let app: App

beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
})
afterAll(() => system.close())

function newAdmin() {
  const { userId } = newUser()
  return { userId, headers: asUser(userId, { isAdmin: true }) }
}

async function entriesOf(actorId: number) {
  const { rows } = await system.pool.query<{ payload: Buffer }>(
    "SELECT payload FROM outbox WHERE subject = 'folders.audit.recorded' ORDER BY seq",
  )
  const entries = rows.map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
  return entries.filter((entry) => entry.actorId === actorId)
}

test("an administrator's view of another's folder is recorded once in a while, and nobody else's view is", async () => {
  const [owner, admin] = [newUser(), newAdmin()]
  const [first, second] = [await makeFolder(app, owner), await makeFolder(app, owner)]
  const own = await makeFolder(app, admin)
  const get = async (id: number, { headers }: { headers: Record<string, string> }) =>
    (await call(app, 'GET', `/api/folders/${id}`, { headers })).status
  expect(await Promise.all([1, 2, 3].map(() => get(first.id, admin)))).toEqual([200, 200, 200])
  expect([await get(first.id, admin), await get(second.id, admin), await get(own.id, admin)]).toEqual([200, 200, 200])
  expect([await get(first.id, owner), await get(first.id, newUser()), await get(2_000_000_000, admin)]).toEqual([
    200, 404, 404,
  ])
  const entry = { action: 'folder.viewed', ownerId: owner.userId, detail: '' }
  expect(await entriesOf(admin.userId)).toMatchObject([
    { ...entry, subjectId: first.id },
    { ...entry, subjectId: second.id },
  ])
  expect(await entriesOf(owner.userId)).toEqual([])
})

test('an administrator who deletes a folder is recorded with the deletion, an owner is not', async () => {
  const [owner, admin] = [newUser(), newAdmin()]
  const [first, second] = [await makeFolder(app, owner), await makeFolder(app, owner)]
  const remove = (id: number, { headers }: { headers: Record<string, string> }) =>
    call(app, 'DELETE', `/api/folders/${id}`, { headers })
  await remove(first.id, owner)
  await remove(second.id, admin)
  expect((await remove(second.id, admin)).status).toBe(404)
  expect(await entriesOf(admin.userId)).toMatchObject([
    { action: 'folder.deleted', ownerId: owner.userId, subjectId: second.id },
  ])
  expect(await entriesOf(owner.userId)).toEqual([])
})

test("an administrator without a recent password deletes an own folder, and nobody else's", async () => {
  const [owner, admin] = [newUser(), newAdmin()]
  const [own, foreign] = [await makeFolder(app, admin), await makeFolder(app, owner)]
  const headers = asUser(admin.userId, { isAdmin: true, confirmedAt: Date.now() - 16 * 60_000 })
  const remove = async (id: number) => (await call(app, 'DELETE', `/api/folders/${id}`, { headers })).body
  expect(await remove(foreign.id)).toMatchObject({ code: 'password_required' })
  expect((await call(app, 'GET', `/api/folders/${foreign.id}`, { headers: owner.headers })).status).toBe(200)
  expect(await remove(own.id)).toBe('')
  expect(await entriesOf(admin.userId)).toEqual([])
})

test('a view that cannot be recorded shows nothing', async () => {
  const [owner, admin] = [newUser(), newAdmin()]
  const { id } = await makeFolder(app, owner, { name: 'Not to be seen' })
  await system.pool.query('ALTER TABLE outbox RENAME TO hidden_outbox')
  const refused = await call(app, 'GET', `/api/folders/${id}`, { headers: admin.headers })
  await system.pool.query('ALTER TABLE hidden_outbox RENAME TO outbox')
  expect(refused.status).toBe(500)
  expect(JSON.stringify(refused.body)).not.toContain('Not to be seen')
  expect((await call(app, 'GET', `/api/folders/${id}`, { headers: admin.headers })).status).toBe(200)
  expect(await entriesOf(admin.userId)).toHaveLength(1)
})
