import { hash } from 'node:crypto'
import { create, fromBinary } from '@bufbuild/protobuf'
import type { App } from '@skyfolio/kit'
import { sendRequest } from '@skyfolio/kit'
import { FolderChangedSchema, FolderDeletedSchema, folderAccess, GetAccessRequestSchema } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deletePhoto } from '../src/events.ts'
import {
  asUser,
  call,
  makeFolder,
  makeLink,
  newUser,
  newVoter,
  openTestSystem,
  putPhoto,
  type TestSystem,
} from './support.ts'

let system: TestSystem
let app: App

beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
})
afterAll(() => system.close())

interface PublishedEvent {
  revision: number
  name?: string
  isPublic?: boolean
  visibilityRevision?: number
  coverPhotoId?: number
  deletedOf?: number
}

/** The events recorded for a folder, in order. */
async function eventsOf(folderId: number): Promise<PublishedEvent[]> {
  const { rows } = await system.pool.query<{ subject: string; payload: Buffer }>(
    "SELECT subject, payload FROM outbox WHERE subject LIKE 'folders.folder.%' ORDER BY seq",
  )
  return rows.flatMap(({ subject, payload }): PublishedEvent[] => {
    if (subject === 'folders.folder.deleted') {
      const { folderId: id, userId, revision } = fromBinary(FolderDeletedSchema, payload)
      return id === folderId ? [{ deletedOf: userId, revision }] : []
    }
    const { folder, revision } = fromBinary(FolderChangedSchema, payload)
    if (folder?.id !== folderId) return []
    const { name, isPublic, visibilityRevision, coverPhotoId } = folder
    return [{ name, isPublic, visibilityRevision, ...(coverPhotoId && { coverPhotoId }), revision }]
  })
}

test('a new folder is private, has an unguessable code, and is returned completely', async () => {
  const user = newUser()
  const made = await call(app, 'POST', '/api/folders', { headers: user.headers, body: { name: '  Lake  ' } })
  expect(made.status).toBe(201)
  expect(made.body).toEqual({
    id: expect.any(Number),
    userId: user.userId,
    name: 'Lake',
    description: null,
    isPublic: false,
    shareCode: expect.stringMatching(/^[\w-]{22}$/),
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    photoCount: 0,
    covers: [],
    coverPhotoId: null,
    votingOpen: true,
    showMap: false,
  })
  expect((await call(app, 'GET', `/api/folders/${made.body.id}`, { headers: user.headers })).body).toEqual(made.body)
})

test.each([
  [{}, 'Folder name is required'],
  [{ name: '' }, 'Folder name is required'],
  [{ name: ' \t ' }, 'Folder name is required'],
  [{ name: null }, 'Folder name is required'],
  [{ name: 'x'.repeat(121) }, 'Folder name must be at most 120 characters'],
  [{ name: '湖'.repeat(121) }, 'Folder name must be at most 120 characters'],
])('rejects a name of %j with a sentence', async (body, sentence) => {
  const rejected = await call(app, 'POST', '/api/folders', { headers: newUser().headers, body })
  expect(rejected.status).toBe(400)
  expect(rejected.body).toMatchObject({ message: sentence, fields: { name: sentence } })
})

test.each([
  { name: 'ok', description: 'x'.repeat(2001) },
  { name: 'ok', description: '🛩'.repeat(2001) },
  { name: 'ok', description: 5 },
  { name: 'ok', isPublic: 'yes' },
  { name: 'with\u0000nul' },
])('fields that cannot be kept are rejected (%#)', async (body) => {
  expect((await call(app, 'POST', '/api/folders', { headers: newUser().headers, body })).status).toBe(400)
})

test('normalizes a name to one line of visible characters', async () => {
  const user = newUser()
  const name = async (name: string) =>
    (await call(app, 'POST', '/api/folders', { headers: user.headers, body: { name } })).body
  expect((await name('Lake\r\nCon\u202Estance')).name).toBe('Lake Constance')
  expect((await name('👩‍✈️ Flüge')).name).toBe('👩‍✈️ Flüge')
  for (const invisible of ['\u200b', '\u202e \u2066', '\u00ad\u200d']) {
    expect(await name(invisible)).toMatchObject({ message: 'Folder name is required' })
  }
})

test('stores a name of 120 characters and a description of 2000, also beyond the basic plane', async () => {
  const body = { name: '🛩'.repeat(120), description: '🛩'.repeat(2000) }
  const made = await call(app, 'POST', '/api/folders', { headers: newUser().headers, body })
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject(body)
})

test('a change keeps absent fields, and an empty description becomes null', async () => {
  const user = newUser()
  const { id } = await makeFolder(app, user, { description: 'Summer' })
  const renamed = await call(app, 'PUT', `/api/folders/${id}`, { headers: user.headers, body: { name: 'River' } })
  expect(renamed.body).toMatchObject({ name: 'River', description: 'Summer', isPublic: false })
  const cleared = await call(app, 'PUT', `/api/folders/${id}`, { headers: user.headers, body: { description: ' ' } })
  expect(cleared.body).toMatchObject({ name: 'River', description: null })
})

test('only its owner sets whether a folder offers visitors a map, and other changes keep that', async () => {
  const user = newUser()
  const { id } = await makeFolder(app, user)
  const put = (body: object, { headers } = user) => call(app, 'PUT', `/api/folders/${id}`, { headers, body })
  expect((await put({ showMap: true }, newUser())).status).toBe(404)
  expect((await put({ showMap: true })).body).toMatchObject({ showMap: true, isPublic: false })
  expect((await put({ name: 'River' })).body).toMatchObject({ showMap: true })
  expect((await put({ showMap: 'no' })).status).toBe(400)
  expect((await put({ showMap: false })).body).toMatchObject({ showMap: false, name: 'River' })
})

test('publishes every change with its revision, and only a flip changes the visibility revision', async () => {
  const user = newUser()
  const { id } = await makeFolder(app, user)
  const put = (body: object) => call(app, 'PUT', `/api/folders/${id}`, { headers: user.headers, body })
  await put({ name: 'River' })
  await put({ isPublic: true })
  await put({ isPublic: true, name: 'River' })
  await call(app, 'DELETE', `/api/folders/${id}`, { headers: user.headers })
  expect(await eventsOf(id)).toEqual([
    { name: 'Lake', isPublic: false, revision: 1, visibilityRevision: 1 },
    { name: 'River', isPublic: false, revision: 2, visibilityRevision: 1 },
    { name: 'River', isPublic: true, revision: 3, visibilityRevision: 3 },
    { deletedOf: user.userId, revision: 4 },
  ])
})

test('toggling without a value flips, and with one is idempotent', async () => {
  const user = newUser()
  const { id } = await makeFolder(app, user)
  const toggle = async (body?: object) =>
    (await call(app, 'PATCH', `/api/folders/${id}/toggle-public`, { headers: user.headers, body })).body.isPublic
  expect([await toggle(), await toggle(), await toggle({})]).toEqual([true, false, true])
  expect([await toggle({ isPublic: true }), await toggle({ isPublic: true })]).toEqual([true, true])
  expect(await toggle({ isPublic: false })).toBe(false)
})

test('applies concurrent flips one after another', async () => {
  const user = newUser()
  const { id } = await makeFolder(app, user)
  await Promise.all(
    Array.from({ length: 8 }, () => call(app, 'PATCH', `/api/folders/${id}/toggle-public`, { headers: user.headers })),
  )
  const revisions = (await eventsOf(id)).map((event) => event.revision)
  expect(revisions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect((await call(app, 'GET', `/api/folders/${id}`, { headers: user.headers })).body.isPublic).toBe(false)
})

test('a user has a limited number of folders, however many requests come at the same time', async () => {
  const limited = await system.start({ maxFolders: 3 })
  const user = newUser()
  const create = (name: string) => call(limited, 'POST', '/api/folders', { headers: user.headers, body: { name } })
  const first = await create('Printed')
  const made = await Promise.all(Array.from({ length: 12 }, (_, index) => create(`Lake ${index}`)))
  expect(made.map(({ status }) => status).toSorted()).toEqual([201, 201, ...Array(10).fill(409)])
  expect(made.find(({ status }) => status === 409)?.body).toEqual({
    code: 'too_many_folders',
    message: 'You have 3 folders, the most that an account can have. Delete a folder to create another.',
  })
  expect((await call(limited, 'GET', '/api/folders', { headers: user.headers })).body).toHaveLength(3)

  // The existing folder is returned, also at the limit; other users are not concerned.
  expect(await create('Printed')).toMatchObject({ status: 200, body: { id: first.body.id } })
  await makeFolder(limited, newUser())
  expect((await call(limited, 'DELETE', `/api/folders/${first.body.id}`, { headers: user.headers })).status).toBe(204)
  expect((await create('Sea')).status).toBe(201)
})

test("'Printed' exists once for a user, whoever asks at the same time", async () => {
  const user = newUser()
  const body = { name: 'Printed' }
  const made = await Promise.all(
    Array.from({ length: 10 }, () => call(app, 'POST', '/api/folders', { headers: user.headers, body })),
  )
  expect(new Set(made.map((one) => one.body.id)).size).toBe(1)
  expect(made.map((one) => one.status).sort()).toEqual([...Array(9).fill(200), 201])
  expect(await eventsOf(made[0]?.body.id)).toHaveLength(1)

  const { id } = await makeFolder(app, user)
  const renamed = await call(app, 'PUT', `/api/folders/${id}`, { headers: user.headers, body })
  expect(renamed.status).toBe(409)
  expect((await call(app, 'POST', '/api/folders', { headers: newUser().headers, body })).status).toBe(201)
})

test("lists the user's folders, newest first, with counts and the four newest covers", async () => {
  const user = newUser()
  const first = await makeFolder(app, user, { name: 'First' })
  await makeFolder(app, user, { name: 'Second' })
  await makeFolder(app, newUser(), { name: 'Another user' })
  const folderId = first.id
  for (let number = 1; number <= 6; number += 1) {
    await putPhoto(system, {
      userId: user.userId,
      folderId,
      thumbnail: number < 6 ? `t${folderId}-${number}` : undefined,
    })
  }
  const { body } = await call(app, 'GET', '/api/folders', { headers: user.headers })
  expect(body.map((folder: { name: string; photoCount: number }) => [folder.name, folder.photoCount])).toEqual([
    ['Second', 0],
    ['First', 6],
  ])
  expect(body[1].covers).toEqual([5, 4, 3, 2].map((number) => `/api/uploads/t${folderId}-${number}`))
})

test('the chosen cover is the picture of its folder while its photo is there, else the newest photos are', async () => {
  const user = newUser()
  const { id: folderId } = await makeFolder(app, user)
  const other = await makeFolder(app, user, { name: 'Other' })
  const photo = (fields: object) => putPhoto(system, { userId: user.userId, folderId, ...fields })
  const ids = [await photo({ thumbnail: 'a.webp' }), await photo({ thumbnail: 'b.webp' })]
  const [chosen = 0] = ids
  const newest = ['/api/uploads/b.webp', '/api/uploads/a.webp']
  const path = `/api/folders/${folderId}`
  const put = (body: object) => call(app, 'PUT', path, { headers: user.headers, body })
  const covers = async () => {
    const { body } = await call(app, 'GET', path, { headers: user.headers })
    return [body.coverPhotoId, ...body.covers]
  }
  expect((await put({ coverPhotoId: chosen })).body).toMatchObject({
    coverPhotoId: chosen,
    covers: ['/api/uploads/a.webp'],
    photoCount: 2,
  })
  await put({ name: 'Harbour' })
  expect(await covers()).toEqual([chosen, '/api/uploads/a.webp'])

  await putPhoto(system, { id: chosen, userId: user.userId, folderId: other.id, thumbnail: 'a.webp' }, 2)
  expect(await covers()).toEqual([null, newest[0]])
  await putPhoto(system, { id: chosen, userId: user.userId, folderId, thumbnail: 'a.webp' }, 3)
  expect(await covers()).toEqual([chosen, '/api/uploads/a.webp'])
  await system.database.$transaction((tx) => deletePhoto(tx, { photoId: chosen, userId: user.userId, revision: 4 }))
  expect(await covers()).toEqual([null, newest[0]])

  expect((await put({ coverPhotoId: null })).status).toBe(200)
  expect((await eventsOf(folderId)).map(({ revision, coverPhotoId }) => [revision, coverPhotoId])).toEqual([
    [1, undefined],
    [2, chosen],
    [3, chosen],
    [4, undefined],
  ])
})

test('only a photo of the folder with a thumbnail can be its cover', async () => {
  const user = newUser()
  const { id: folderId } = await makeFolder(app, user)
  const elsewhere = await makeFolder(app, user, { name: 'Other' })
  const unusable = [
    await putPhoto(system, { userId: user.userId, folderId }),
    await putPhoto(system, { userId: user.userId, folderId: elsewhere.id, thumbnail: 'a.webp' }),
    await putPhoto(system, { userId: newUser().userId, thumbnail: 'b.webp' }),
    2 ** 31 - 1,
  ]
  for (const coverPhotoId of unusable) {
    const rejected = await call(app, 'PUT', `/api/folders/${folderId}`, {
      headers: user.headers,
      body: { coverPhotoId },
    })
    expect(rejected.status).toBe(400)
    expect(rejected.body.fields).toHaveProperty('coverPhotoId')
  }
  for (const coverPhotoId of [0, 'x', 1.5]) {
    const body = { coverPhotoId }
    expect((await call(app, 'PUT', `/api/folders/${folderId}`, { headers: user.headers, body })).status).toBe(400)
  }
})

test("another user's folder is 404; an administrator may see and delete it, not change it", async () => {
  const owner = newUser()
  const other = newUser()
  const admin = { headers: asUser(newUser().userId, { isAdmin: true }) }
  const { id } = await makeFolder(app, owner)
  const attempts = (headers: Record<string, string>) =>
    Promise.all([
      call(app, 'GET', `/api/folders/${id}`, { headers }),
      call(app, 'PUT', `/api/folders/${id}`, { headers, body: { name: 'Mine' } }),
      call(app, 'PATCH', `/api/folders/${id}/toggle-public`, { headers }),
      call(app, 'GET', `/api/folders/${id}/rankings`, { headers }),
    ])
  expect((await attempts(other.headers)).map((response) => response.status)).toEqual([404, 404, 404, 404])
  expect((await attempts(admin.headers)).map((response) => response.status)).toEqual([200, 404, 404, 404])
  expect((await call(app, 'GET', `/api/folders/${id}`, { headers: owner.headers })).body.name).toBe('Lake')
  expect((await call(app, 'DELETE', `/api/folders/${id}`, { headers: other.headers })).status).toBe(404)
  expect((await call(app, 'DELETE', `/api/folders/${id}`, { headers: admin.headers })).status).toBe(204)
})

test('folders require a session, and a forged identity is rejected', async () => {
  expect((await call(app, 'GET', '/api/folders')).status).toBe(401)
  expect((await call(app, 'POST', '/api/folders', { body: { name: 'Lake' } })).status).toBe(401)
  const forged = { 'x-skyfolio-identity': Buffer.from('[1,1]').toString('base64url').concat('.AAAA') }
  expect((await call(app, 'GET', '/api/folders', { headers: forged })).status).toBe(401)
})

test('deleting a folder deletes its votes, and it is 404 everywhere', async () => {
  const owner = newUser()
  const { id, shareCode } = await makeFolder(app, owner, { isPublic: true })
  const photoId = await putPhoto(system, { userId: owner.userId, folderId: id })
  await newVoter(app).rank(id, photoId, 'first')
  expect((await call(app, 'DELETE', `/api/folders/${id}`, { headers: owner.headers })).status).toBe(204)

  expect((await call(app, 'GET', `/api/folders/${id}`, { headers: owner.headers })).status).toBe(404)
  expect((await call(app, 'GET', `/api/share/${shareCode}`)).status).toBe(404)
  expect((await newVoter(app).rank(id, photoId, 'first')).status).toBe(404)
  expect((await call(app, 'DELETE', `/api/folders/${id}`, { headers: owner.headers })).status).toBe(404)
  for (const table of ['ballots', 'tallies', 'tally_changes']) {
    const left = await system.pool.query(`SELECT FROM ${table} WHERE folder_id = $1`, [id])
    expect(left.rowCount).toBe(0)
  }
})

test("responds to access requests from the folder's row", async () => {
  const owner = newUser()
  const { id } = await makeFolder(app, owner)
  await call(app, 'PATCH', `/api/folders/${id}/toggle-public`, { headers: owner.headers })
  const question = (folderId: number) =>
    sendRequest(system.nats, folderAccess, create(GetAccessRequestSchema, { folderId }), { timeoutMs: 2000 })
  expect(await question(id)).toMatchObject({
    found: true,
    userId: owner.userId,
    isPublic: true,
    revision: 2,
    visibilityRevision: 2,
  })
  expect(await question(2_000_000_000)).toMatchObject({ found: false })
})

test('responds to access requests with what each link that is open shows, by folder or share code', async () => {
  const owner = newUser()
  const { id, shareCode } = await makeFolder(app, owner, { name: 'Harbor' })
  const renewed = await call(app, 'POST', `/api/folders/${id}/share-code`, { headers: owner.headers })
  const view = await makeLink(app, owner, id, {
    ...{ kind: 'view', password: 'harbor-1234', showPlaces: false, showCamera: false, downloads: 'none' },
  })
  const expired = await makeLink(app, owner, id, { expiresAt: '2020-01-01T00:00:00Z' })
  const access = (question: object) => sendRequest(system.nats, folderAccess, question, { timeoutMs: 2000 })
  const codeHash = (code: string) => new Uint8Array(hash('sha256', code, 'buffer'))
  const [main] = (await call(app, 'GET', `/api/folders/${id}/links`, { headers: owner.headers })).body
  for (const question of [{ folderId: id }, { shareCode: view.code }, { shareCode: renewed.body.shareCode }]) {
    const { links, ...folder } = await access(question)
    expect(folder).toMatchObject({ found: true, folderId: id, name: 'Harbor', userId: owner.userId })
    const hidden = { showPlaces: false, showCamera: false, downloads: 'none' }
    expect(links.map(({ $typeName, codeHash, ...link }) => ({ ...link, codeHash: new Uint8Array(codeHash) }))).toEqual([
      {
        ...{ id: main.id, revision: 2, codeHash: codeHash(renewed.body.shareCode) },
        ...{ showPlaces: true, showCamera: true, downloads: 'original' },
      },
      { id: view.id, revision: 3, passwordRevision: 3, codeHash: codeHash(view.code), ...hidden },
    ])
  }
  for (const code of [shareCode, expired.code, 'unknown', '']) {
    expect(await access({ shareCode: code }), code).toMatchObject({ found: false })
  }
})

test('publishes events soon after the change', async () => {
  const { id } = await makeFolder(app, newUser())
  await waitFor(
    async () => {
      const { rows } = await system.pool.query('SELECT published_at FROM outbox ORDER BY seq')
      return (await eventsOf(id)).length === 1 && rows.every((row) => row.published_at !== null)
    },
    { what: 'published' },
  )
})
