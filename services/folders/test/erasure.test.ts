import { fromBinary } from '@bufbuild/protobuf'
import { type App, createLogger, emit, startRelay } from '@skyfolio/kit'
import { ErasureChangedSchema, events, FolderDeletedSchema } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eraseUser } from '../src/folders/remove-folder.ts'
import { deleteUser } from '../src/projection/users.ts'
import { compactTallies } from '../src/voting/change-ballots.ts'
import { call, makeFolder, newUser, newVoter, openTestSystem, putPhoto, type TestSystem } from './support.ts'
import { expectExactTallies, fillBallots } from './votes-support.ts'

let system: TestSystem
let app: App

beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
  await system.start()
})
afterAll(() => system.close())

async function publishDeletion(userId: number): Promise<void> {
  await system.database.$transaction((tx) => emit(tx, events.userDeleted, { userId }))
  const relay = startRelay({ pool: system.pool, nats: system.nats, logger: createLogger('test', 'silent') })
  await relay.flush()
  await relay.stop()
}

async function payloads(subject: string): Promise<Uint8Array[]> {
  const { rows } = await system.pool.query('SELECT payload FROM outbox WHERE subject = $1 ORDER BY seq', [subject])
  return rows.map(({ payload }) => payload)
}

async function reported(userId: number) {
  const all = (await payloads('folders.erasure.changed')).map((payload) => fromBinary(ErasureChangedSchema, payload))
  return all.filter((message) => message.userId === userId)
}

const isErased = (userId: number, times = 1) =>
  waitFor(async () => (await reported(userId)).filter(({ complete }) => complete).length === times, { what: 'erased' })

/** Every row of every table except the outbox, as text. */
async function everything(): Promise<string> {
  const { rows: tables } = await system.pool.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'outbox'",
  )
  const texts = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await system.pool.query(`SELECT '${name} ' || t::text AS row FROM "${name}" AS t`)
      return rows.map(({ row }) => row)
    }),
  )
  return texts.flat().join('\n')
}

test('erases folders, votes and photos of a deleted user, nothing of others, and reports that it is complete', async () => {
  const [owner, other] = [newUser(), newUser()]
  const secret = { name: 'Grandmothers garden', description: 'Behind the blue house' }
  const mine = await makeFolder(app, owner, { ...secret, isPublic: true })
  const alsoMine = await makeFolder(app, owner, { name: 'Grandmothers cellar' })
  const theirs = await makeFolder(app, other, { isPublic: true })
  const place = { latitude: '46.786670', longitude: '-92.100490', city: 'Duluth', metadata: { Make: 'Hasselblad' } }
  const photo = await putPhoto(system, { userId: owner.userId, folderId: mine.id, title: 'Grandmother', ...place })
  const loose = await putPhoto(system, { userId: owner.userId, title: 'Grandmother alone', ...place })
  const kept = await putPhoto(system, { userId: other.userId, folderId: theirs.id, title: 'Kept' })
  const voter = newVoter(app)
  await voter.rank(mine.id, photo, 'first')
  await voter.rank(theirs.id, kept, 'first')
  await call(app, 'DELETE', `/api/folders/${mine.id}/votes`, { headers: owner.headers })
  await voter.rank(mine.id, photo, 'second')

  await publishDeletion(owner.userId)
  await isErased(owner.userId)
  expect(await everything()).not.toMatch(/Grandmother|blue house|46\.78|92\.10|Duluth|Hasselblad/)
  const count = async (sql: string) => (await system.pool.query(sql, [[mine.id, alsoMine.id]])).rowCount
  for (const table of ['ballots', 'tallies', 'tally_changes', 'voting_log']) {
    expect(await count(`SELECT FROM ${table} WHERE folder_id = ANY ($1)`), table).toBe(0)
  }
  expect(await count('SELECT FROM deleted_folders WHERE id = ANY ($1)')).toBe(2)
  const { rows } = await system.pool.query('SELECT id FROM photos WHERE deleted AND id = ANY ($1) ORDER BY id', [
    [photo, loose],
  ])
  expect(rows).toEqual([{ id: photo }, { id: loose }])
  const deletions = (await payloads('folders.folder.deleted')).map((payload) =>
    fromBinary(FolderDeletedSchema, payload),
  )
  expect(deletions.map(({ folderId }) => folderId).filter((id) => [mine.id, alsoMine.id].includes(id))).toHaveLength(2)

  const share = await call(app, 'GET', `/api/share/${theirs.shareCode}?fingerprint=${voter.fingerprint}`)
  expect(share.body).toMatchObject({ photos: [{ title: 'Kept' }], voteCounts: { [`${kept}`]: 'first' } })
})

test('what arrives after the tombstone brings nothing back', async () => {
  const owner = newUser()
  const folder = await makeFolder(app, owner, { isPublic: true })
  const photo = await putPhoto(system, { userId: owner.userId, folderId: folder.id })
  await publishDeletion(owner.userId)
  await isErased(owner.userId)
  await putPhoto(system, { id: photo, userId: owner.userId, folderId: folder.id, title: 'Late' }, 9)
  await putPhoto(system, { userId: owner.userId, folderId: folder.id, title: 'Late and new' }, 1)
  const { rows } = await system.pool.query('SELECT id, title, deleted FROM photos WHERE user_id = $1', [owner.userId])
  expect(rows).toEqual([{ id: photo, title: '', deleted: true }])
  const made = await call(app, 'POST', '/api/folders', { headers: owner.headers, body: { name: 'Late' } })
  expect(made.status).toBe(409)
})

test('a deletion that is published again is confirmed again, and erases what a restore brought back', async () => {
  const owner = newUser()
  await makeFolder(app, owner)
  await publishDeletion(owner.userId)
  await isErased(owner.userId)
  await system.pool.query("INSERT INTO folders (user_id, name, is_public) VALUES ($1, 'Restored', true)", [
    owner.userId,
  ])
  await publishDeletion(owner.userId)
  await isErased(owner.userId, 2)
  expect((await system.pool.query('SELECT FROM folders WHERE user_id = $1', [owner.userId])).rowCount).toBe(0)
})

test('many ballots are erased in several transactions, also twice at the same time', async () => {
  const owner = newUser()
  const { id } = await makeFolder(app, owner, { isPublic: true })
  const photoId = await putPhoto(system, { userId: owner.userId, folderId: id })
  await fillBallots(system, { folderId: id, photoId, count: 12_000 })
  await system.database.$transaction((tx) => deleteUser(tx, owner.userId))
  await isErased(owner.userId)
  expect(await eraseUser(system.database, owner.userId, () => {})).toBe('complete')
  expect((await system.pool.query('SELECT FROM ballots WHERE folder_id = $1', [id])).rowCount).toBe(0)
  await compactTallies(system.database)
  await expectExactTallies(system)
})

test('votes, photo events and creations that race the erasure leave nothing behind', async () => {
  for (let round = 0; round < 5; round += 1) {
    const owner = newUser()
    const folder = await makeFolder(app, owner, { isPublic: true })
    const photos = await Promise.all(
      Array.from({ length: 4 }, () => putPhoto(system, { userId: owner.userId, folderId: folder.id })),
    )
    const voters = Array.from({ length: 10 }, () => newVoter(app))
    const deletion = system.database.$transaction((tx) => deleteUser(tx, owner.userId))
    await Promise.all([
      deletion,
      ...voters.map(async ({ rank }) => {
        for (const photo of photos) expect([200, 404, 503]).toContain((await rank(folder.id, photo, 'first')).status)
      }),
      ...photos.map((id) => putPhoto(system, { id, userId: owner.userId, folderId: folder.id, title: 'Late' }, 7)),
      putPhoto(system, { userId: owner.userId, folderId: folder.id, title: 'Late' }),
      call(app, 'POST', '/api/folders', { headers: owner.headers, body: { name: 'Late', isPublic: true } }),
      call(app, 'PUT', `/api/folders/${folder.id}`, { headers: owner.headers, body: { name: 'Late' } }),
    ])
    await isErased(owner.userId)
    await compactTallies(system.database)
    expect((await system.pool.query('SELECT FROM ballots WHERE folder_id = $1', [folder.id])).rowCount).toBe(0)
    expect((await system.pool.query('SELECT FROM folders WHERE user_id = $1', [owner.userId])).rowCount).toBe(0)
    const left = await system.pool.query('SELECT FROM photos WHERE user_id = $1 AND NOT deleted', [owner.userId])
    expect(left.rowCount).toBe(0)
    expect(await everything()).not.toContain('Late')
    await expectExactTallies(system)
  }
})
