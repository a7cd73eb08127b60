import { fromBinary } from '@bufbuild/protobuf'
import type { Identity } from '@skyfolio/kit'
import { AuditRecordedSchema } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestMedia, type TestMedia, user, visitor } from './support.ts'

let media: TestMedia
let folders: ReturnType<TestMedia['folders']>
beforeAll(async () => {
  media = await startTestMedia()
  folders = media.folders()
  folders.set(PUBLIC_FOLDER, OWNER, true)
  folders.set(PRIVATE_FOLDER, OWNER, false)
})
afterAll(() => media.close())

const OWNER = 1
const PUBLIC_FOLDER = 11
const PRIVATE_FOLDER = 12

let lastAdmin = 900

function newAdmin(): Partial<Identity> & { userId: number } {
  lastAdmin += 1
  return { ...user(lastAdmin), userId: lastAdmin, isAdmin: true }
}

/** What is recorded of an administrator, in order. */
async function recorded(admin: { userId: number }) {
  const rows = await media.db.outbox.findMany({ where: { subject: 'media.audit.recorded' }, orderBy: { seq: 'asc' } })
  return rows
    .map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
    .filter(({ actorId }) => actorId === admin.userId)
    .map(({ action, ownerId, subjectId }) => ({ action, ownerId, subjectId }))
}

async function status(path: string, who: Partial<Identity>, method = 'GET'): Promise<number> {
  const response = await media.call(path, who, { method })
  await response.arrayBuffer()
  return response.status
}

test('the log records once that an administrator gets bytes which nobody else would, and not what everybody sees', async () => {
  const admin = newAdmin()
  const open = await media.upload(OWNER, { folderId: String(PUBLIC_FOLDER) })
  const hidden = await media.upload(OWNER, { folderId: String(PRIVATE_FOLDER) })
  const loose = await media.upload(OWNER, { isPublic: 'true' })
  const own = await media.upload(admin.userId)
  for (const { url, id } of [open, hidden, loose, own]) {
    expect(await status(url, admin)).toBe(200)
    expect(await status(`/api/photos/${id}/image`, admin)).toBe(200)
    expect(await status(url, admin, 'HEAD')).toBe(200)
  }
  expect(await recorded(admin)).toEqual([
    { action: 'photo.viewed', ownerId: OWNER, subjectId: hidden.id },
    { action: 'photo.viewed', ownerId: OWNER, subjectId: loose.id },
  ])
  expect(await status(hidden.url, visitor)).toBe(404)
  expect(await status(hidden.url, user(OWNER))).toBe(200)
  expect(await recorded({ userId: OWNER })).toEqual([])
})

test('a view that cannot be recorded gets no bytes', async () => {
  const admin = newAdmin()
  const { url } = await media.upload(OWNER)
  await media.pool.query('ALTER TABLE outbox RENAME TO hidden_outbox')
  const refused = await status(url, admin)
  await media.pool.query('ALTER TABLE hidden_outbox RENAME TO outbox')
  expect(refused).toBe(500)
  expect(await status(url, admin)).toBe(200)
  expect(await recorded(admin)).toHaveLength(1)
})

test("an administrator's list of another's folder is recorded, the owner's is not", async () => {
  const admin = newAdmin()
  for (const who of [admin, admin, user(OWNER)]) {
    expect(await status(`/api/folders/${PRIVATE_FOLDER}/photos`, who)).toBe(200)
  }
  expect(await status(`/api/folders/${PRIVATE_FOLDER}/photos`, user(2))).toBe(404)
  expect(await recorded(admin)).toEqual([{ action: 'folder.viewed', ownerId: OWNER, subjectId: PRIVATE_FOLDER }])
  expect([await recorded({ userId: OWNER }), await recorded({ userId: 2 })]).toEqual([[], []])
})

test("deletions of others' photos are recorded with them, one by one and in bulk", async () => {
  const admin = newAdmin()
  const photos = [await media.upload(OWNER), await media.upload(OWNER), await media.upload(2)]
  const own = await media.upload(admin.userId)
  const ids = [...photos, own].map(({ id }) => id)
  expect(await status(`/api/photos/${ids[0]}`, admin, 'DELETE')).toBe(204)
  expect(await status(`/api/photos/${ids[0]}`, admin, 'DELETE')).toBe(404)
  const body = { ids: ids.slice(1), action: 'delete' }
  await media.json('/api/photos/bulk', admin, 'POST', body)
  const entries = await recorded(admin)
  expect(entries.map(({ action }) => action)).toEqual(['photo.deleted', 'photo.deleted', 'photo.deleted'])
  const of = entries.map(({ ownerId, subjectId }) => [ownerId, subjectId])
  expect(of.sort()).toEqual(photos.map(({ id }, index) => [index < 2 ? OWNER : 2, id]).sort())
})

test('an administrator needs a recent password to delete photos of others, alone or among own ones, and not for own ones', async () => {
  const admin = newAdmin()
  const late = { ...admin, confirmedAt: Date.now() - 16 * 60_000 }
  const own = await Promise.all(Array.from({ length: 3 }, () => media.upload(admin.userId)))
  const foreign = await media.upload(OWNER)
  const [first = 0, ...others] = own.map(({ id }) => id)
  const remove = async (ids: number[], who: Partial<Identity>) => {
    const body = JSON.stringify({ ids, action: 'delete' })
    const headers = { 'content-type': 'application/json' }
    const response = await media.call('/api/photos/bulk', who, { method: 'POST', body, headers })
    return [response.status, await response.json()]
  }
  const refused = [403, expect.objectContaining({ code: 'password_required' })]
  expect(await status(`/api/photos/${foreign.id}`, late, 'DELETE')).toBe(403)
  // Own photos, and ids without a photo, come in an earlier transaction than the other's photo.
  const missing = Array.from({ length: 150 }, (_, index) => 2_000_000_000 + index)
  expect(await remove([...others, ...missing, foreign.id], late)).toEqual(refused)
  expect(await media.db.photo.count({ where: { id: { in: [...others, foreign.id] } } })).toBe(3)
  expect(await recorded(admin)).toEqual([])

  expect(await status(`/api/photos/${first}`, late, 'DELETE')).toBe(204)
  expect(await remove(others, late)).toEqual([200, { done: others, photos: others.length, failed: [] }])
  expect(await remove([foreign.id], admin)).toEqual([200, { done: [foreign.id], photos: 1, failed: [] }])
})

test('while folders does not respond, an administrator still sees photos, and that is recorded', async () => {
  const admin = newAdmin()
  const { url, id } = await media.upload(OWNER, { folderId: String(PUBLIC_FOLDER) })
  await folders.stop()
  // What folders said at the upload holds for a moment.
  await waitFor(
    async () => {
      expect(await status(url, admin)).toBe(200)
      return (await recorded(admin)).length > 0
    },
    { what: 'the view is recorded' },
  )
  folders = media.folders()
  folders.set(PUBLIC_FOLDER, OWNER, true)
  expect(await recorded(admin)).toEqual([{ action: 'photo.viewed', ownerId: OWNER, subjectId: id }])
})
