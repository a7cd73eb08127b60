import { type App, createLogger, emit, sendRequest, startRelay } from '@skyfolio/kit'
import { events, folderAccess } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteUser, saveUser } from '../src/projection/users.ts'
import { call, makeFolder, newUser, newVoter, openTestSystem, putPhoto, type TestSystem, visitor } from './support.ts'

let system: TestSystem
let app: App
let replica: App

beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
  replica = await system.start()
})
afterAll(() => system.close())

const suspend = (id: number, suspended: boolean, revision: number) =>
  system.database.$transaction((tx) => saveUser(tx, { id, suspended, displayName: null, revision }))

async function folderRow(id: number) {
  const { rows } = await system.pool.query('SELECT * FROM folders WHERE id = $1', [id])
  return rows[0]
}

test('a folder disappears within a second of the event that its owner is suspended, and comes back as it was', async () => {
  const owner = newUser()
  const { id, shareCode } = await makeFolder(app, owner, { isPublic: true })
  const photo = await putPhoto(system, { userId: owner.userId, folderId: id })
  const voter = newVoter(app)
  await voter.rank(id, photo, 'first')
  const before = await folderRow(id)
  const relay = startRelay({ pool: system.pool, nats: system.nats, logger: createLogger('test', 'silent') })
  const publish = async (suspended: boolean, revision: number) => {
    const message = { user: { id: owner.userId, suspended }, revision }
    await system.database.$transaction((tx) => emit(tx, events.userChanged, message))
    relay.wake()
  }
  const statuses = async () => {
    const paths = [
      `/api/share/${shareCode}?fingerprint=${voter.fingerprint}`,
      `/api/share/${shareCode}/photos/${photo}`,
      `/api/share/${shareCode}/cameras`,
      `/api/folders/share/${shareCode}`,
      `/api/folders/share/${shareCode}/photos`,
      `/share-cards/${shareCode}`,
      `/api/folders/${id}/rankings?fingerprint=${voter.fingerprint}`,
    ]
    const responses = await Promise.all([app, replica].flatMap((one) => paths.map((path) => call(one, 'GET', path))))
    return [...new Set(responses.map(({ status }) => status))]
  }
  expect(await statuses()).toEqual([200])

  await publish(true, 2)
  await waitFor(async () => (await statuses()).join() === '404', { what: 'nobody sees it', timeoutMs: 1_000 })
  expect((await voter.rank(id, photo, 'second')).status).toBe(404)
  const access = await sendRequest(system.nats, folderAccess, { folderId: id }, { timeoutMs: 2_000 })
  expect(access).toMatchObject({ found: true, isPublic: true, ownerSuspended: true, revision: before.revision })

  await publish(false, 3)
  await waitFor(async () => (await statuses()).join() === '200', { what: 'it is back', timeoutMs: 1_000 })
  const { contents_version: version, ...after } = await folderRow(id)
  const { contents_version: versionBefore, ...same } = before
  expect(after).toEqual(same)
  expect(Number(version)).toBe(Number(versionBefore) + 2)
  expect((await call(app, 'GET', `/api/share/${shareCode}?fingerprint=${voter.fingerprint}`)).body.voteCounts).toEqual({
    [`${photo}`]: 'first',
  })
  await relay.stop()
})

test('the result of a folder is the same while its owner is suspended, also with votes for private photos', async () => {
  const owner = newUser()
  const { id } = await makeFolder(app, owner, { isPublic: true })
  const [shown, hidden] = [
    await putPhoto(system, { userId: owner.userId, folderId: id }),
    await putPhoto(system, { userId: owner.userId, folderId: id }),
  ]
  const voter = newVoter(app)
  await voter.rank(id, shown, 'first')
  await voter.rank(id, hidden, 'second')
  const own = { ownIsPublic: false, ownVisibilityRevision: 9 }
  await putPhoto(system, { id: hidden, userId: owner.userId, folderId: id, ...own }, 2)
  const standings = async () =>
    (await call(app, 'GET', `/api/folders/${id}/rankings`, { headers: owner.headers })).body.tallies
  const before = await standings()
  expect(before).toMatchObject([{ photoId: shown, first: 1 }])
  await suspend(owner.userId, true, 2)
  expect(await standings()).toEqual(before)
})

test('a visitor who votes on a shared photo elsewhere learns nothing of a folder whose owner is suspended', async () => {
  const [owner, other] = [newUser(), newUser()]
  const suspended = await makeFolder(app, owner, { isPublic: true })
  const shared = await makeFolder(app, other, { isPublic: true })
  const photo = await putPhoto(system, { userId: owner.userId, folderId: suspended.id })
  const voter = newVoter(app)
  expect((await voter.rank(shared.id, photo, 'first')).status).toBe(409)
  await suspend(owner.userId, true, 2)
  expect((await voter.rank(shared.id, photo, 'first')).status).toBe(404)
})

test('older events change nothing, and an event with the same revision corrects damaged folders', async () => {
  const owner = newUser()
  const { id } = await makeFolder(app, owner, { isPublic: true })
  await suspend(owner.userId, true, 5)
  await suspend(owner.userId, false, 4)
  expect((await folderRow(id)).owner_suspended).toBe(true)
  await system.pool.query('UPDATE folders SET owner_suspended = false WHERE id = $1', [id])
  await suspend(owner.userId, true, 5)
  expect((await folderRow(id)).owner_suspended).toBe(true)
  const { rows } = await system.pool.query('SELECT suspended, revision FROM users WHERE id = $1', [owner.userId])
  expect(rows).toEqual([{ suspended: true, revision: 5 }])
})

test('after the deletion of a user no event brings the user back, and no folder is created', async () => {
  const owner = newUser()
  await system.database.$transaction((tx) => deleteUser(tx, owner.userId))
  await suspend(owner.userId, false, 99)
  const made = await call(app, 'POST', '/api/folders', { headers: owner.headers, body: { name: 'Late' } })
  expect([made.status, made.body.code]).toEqual([409, 'account_erasing'])
  expect((await call(app, 'GET', '/api/folders', { headers: owner.headers })).body).toEqual([])
})

test('property: whatever changes a folder at the same moment, it ends with the state of its owner', async () => {
  const action = fc.constantFrom('create', 'rename', 'flip', 'photo', 'delete')
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 4, maxLength: 10 }), fc.boolean(), async (actions, last) => {
      const owner = newUser()
      const folders = [
        await makeFolder(app, owner, { isPublic: true }),
        await makeFolder(app, owner, { isPublic: true }),
      ]
      const photo = await putPhoto(system, { userId: owner.userId, folderId: folders[0]?.id })
      const send = (method: Parameters<typeof call>[1], path: string, body?: object) =>
        call(app, method, `/api/folders${path}`, { headers: owner.headers, ...(body && { body }) })
      const perform = (what: (typeof actions)[number], index: number) => {
        const folder = folders[index % 2]?.id ?? 0
        if (what === 'create') return send('POST', '', { name: `New ${index}`, isPublic: true })
        if (what === 'rename') return send('PUT', `/${folder}`, { name: `Name ${index}` })
        if (what === 'flip') return send('PATCH', `/${folder}/toggle-public`)
        if (what === 'delete') return send('DELETE', `/${folder}`)
        return putPhoto(system, { id: photo, userId: owner.userId, folderId: folder }, index + 2)
      }
      await Promise.all([
        ...actions.map(perform),
        suspend(owner.userId, true, 2),
        suspend(owner.userId, !last, 3),
        suspend(owner.userId, last, 4),
      ])
      const { rows } = await system.pool.query('SELECT owner_suspended AS state FROM folders WHERE user_id = $1', [
        owner.userId,
      ])
      expect(rows.every(({ state }) => state === last)).toBe(true)
    }),
    { numRuns: 15 },
  )
})

test('a suspension does not wait for votes in progress, nor votes on other folders for it', async () => {
  const [owner, other] = [newUser(), newUser()]
  const folder = await makeFolder(app, owner, { isPublic: true })
  const open = await makeFolder(app, other, { isPublic: true })
  const photo = await putPhoto(system, { userId: other.userId, folderId: open.id })
  const client = await system.pool.connect()
  await client.query('BEGIN')
  // What a batch of votes holds of the folders in it.
  await client.query('SELECT FROM folders WHERE id = $1 FOR KEY SHARE', [folder.id])
  await suspend(owner.userId, true, 2)
  expect((await call(app, 'GET', `/api/share/${folder.shareCode}`, { headers: visitor() })).status).toBe(404)
  expect((await newVoter(app).rank(open.id, photo, 'first')).status).toBe(200)
  await client.query('COMMIT')
  client.release()
})
