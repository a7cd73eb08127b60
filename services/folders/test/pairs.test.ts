import { type App, createPublicNames, sendRequest } from '@skyfolio/kit'
import { folderAccess } from '@skyfolio/proto'
import { TEST_LINK_KEYS } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deletePhoto } from '../src/events.ts'
import { call, makeFolder, newUser, newVoter, openTestSystem, putPhoto, type TestSystem } from './support.ts'
import { countedVotes } from './votes-support.ts'

let system: TestSystem
let app: App

beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
})
afterAll(() => system.close())

/** A folder with a JPEG and a DNG that are no pair yet. */
async function folderOfTwo(fields: object = { isPublic: true }) {
  const owner = newUser()
  const folder = await makeFolder(app, owner, fields)
  const jpeg = await putPhoto(system, { userId: owner.userId, folderId: folder.id })
  const file = {
    userId: owner.userId,
    folderId: folder.id,
    filename: 'stored.dng',
    filesize: 25,
    width: 4032,
    height: 3024,
  }
  const raw = await putPhoto(system, file)
  let revision = 1
  /** Handles media's events of the pair. */
  async function setPaired(isPaired: boolean): Promise<void> {
    revision += 1
    const [rawOf, jpegOf] = isPaired ? [jpeg, raw] : []
    await putPhoto(system, { ...file, id: raw, isRaw: isPaired, pairedWith: rawOf }, revision)
    await putPhoto(system, { id: jpeg, userId: owner.userId, folderId: folder.id, pairedWith: jpegOf }, revision)
  }
  return { owner, folder, jpeg, raw, setPaired, url: `/api/share/${folder.shareCode}` }
}

test('a pair is one photo of a share and of its folder, and has its raw file by a public name', async () => {
  const { owner, folder, jpeg, raw, setPaired, url } = await folderOfTwo()
  const shared = async () => (await call(app, 'GET', url)).body.photos
  const countOf = async () =>
    (await call(app, 'GET', `/api/folders/${folder.id}`, { headers: owner.headers })).body.photoCount
  expect([(await shared()).length, await countOf()]).toEqual([2, 2])
  await setPaired(true)
  const filename = createPublicNames(TEST_LINK_KEYS).sign({
    ...{ photoId: raw, folderId: folder.id, linkRevision: 1, kind: 'original', extension: 'dng' },
  })
  const file = { id: raw, filename, filesize: 25, width: 4032, height: 3024 }
  expect(await shared()).toMatchObject([{ id: jpeg, pairedWith: raw, raw: file }])
  expect(JSON.stringify(await shared())).not.toContain('stored.dng')
  expect(await countOf()).toBe(1)
  expect((await call(app, 'GET', `${url}/photos/${jpeg}`)).body).toMatchObject({ raw: file })
  expect((await call(app, 'GET', `${url}/photos/${raw}`)).status).toBe(404)
  await setPaired(false)
  expect(await shared()).toMatchObject([
    { pairedWith: null, raw: null },
    { pairedWith: null, raw: null },
  ])
})

test('a raw file that was deleted is no file of its JPEG any more', async () => {
  const { owner, raw, setPaired, url } = await folderOfTwo()
  await setPaired(true)
  await system.database.$transaction((tx) => deletePhoto(tx, { photoId: raw, userId: owner.userId, revision: 9 }))
  expect((await call(app, 'GET', url)).body.photos).toMatchObject([{ pairedWith: null, raw: null }])
})

test('a vote for a raw file is rejected and told which photo stands for it', async () => {
  const { folder, jpeg, raw, setPaired } = await folderOfTwo()
  await setPaired(true)
  const voter = newVoter(app)
  const { status, body } = await voter.rank(folder.id, raw, 'first')
  expect(status).toBe(409)
  expect(body).toEqual({
    code: 'photo_paired',
    message: `This is the raw file of photo ${jpeg}. Please rank that photo.`,
  })
  expect((await voter.rank(folder.id, jpeg, 'first')).body.rankings.first).toBe(jpeg)
})

test('strangers learn nothing of a pair in a private folder, or of a private one', async () => {
  const { owner, folder, jpeg, raw, setPaired } = await folderOfTwo({ isPublic: false })
  await setPaired(true)
  expect((await newVoter(app).rank(folder.id, raw, 'first')).status).toBe(404)
  expect((await newVoter(app, () => owner.headers).rank(folder.id, raw, 'first')).body.message).toContain(`${jpeg}`)
  const shared = await folderOfTwo()
  const hidden = {
    userId: shared.owner.userId,
    folderId: shared.folder.id,
    ownIsPublic: false,
    ownVisibilityRevision: 9,
  }
  await putPhoto(system, { ...hidden, id: shared.raw, isRaw: true, pairedWith: shared.jpeg }, 5)
  expect((await newVoter(app).rank(shared.folder.id, shared.raw, 'first')).status).toBe(404)
})

test('a pair of a JPEG with votes and a raw file without changes no ballot', async () => {
  const { owner, folder, jpeg, setPaired } = await folderOfTwo()
  const voter = newVoter(app)
  await voter.rank(folder.id, jpeg, 'second')
  const before = await system.pool.query('SELECT * FROM ballots')
  const tallies = async () => (await call(app, 'GET', `/api/folders/${folder.id}/rankings`, owner)).body.tallies
  const counted = await tallies()
  await setPaired(true)
  expect((await system.pool.query('SELECT * FROM ballots')).rows).toEqual(before.rows)
  expect(await tallies()).toEqual(counted)
})

test('votes of a raw file rest while it is one of a pair, and count again when it is separated', async () => {
  const { owner, folder, raw, setPaired } = await folderOfTwo()
  const voter = newVoter(app)
  await voter.rank(folder.id, raw, 'first')
  await setPaired(true)
  expect(await countedVotes(system, folder.id)).toEqual({})
  const table = async () => (await call(app, 'GET', `/api/folders/${folder.id}/rankings.csv`, owner)).body
  expect((await table()).trim().split('\n')).toHaveLength(2)
  await setPaired(false)
  expect(await countedVotes(system, folder.id)).toEqual({ [raw]: { first: 1, second: 0, third: 0 } })
  expect((await table()).trim().split('\n')).toHaveLength(3)
})

test('media learns for which photos votes of a folder are, but for excluded ones', async () => {
  const { owner, folder, jpeg, raw } = await folderOfTwo()
  const voted = async (...photoIds: number[]) =>
    (await sendRequest(system.nats, folderAccess, { folderId: folder.id, photoIds }, { timeoutMs: 2_000 }))
      .votedPhotoIds
  const voter = newVoter(app)
  await voter.rank(folder.id, raw, 'first')
  expect([await voted(raw, jpeg), await voted(jpeg), await voted()]).toEqual([[raw], [], []])
  const [ballot] = (await call(app, 'GET', `/api/folders/${folder.id}/voters`, owner)).body
  const path = `/api/folders/${folder.id}/voters/${ballot.voter}`
  await call(app, 'PATCH', path, { headers: owner.headers, body: { excluded: true } })
  expect(await voted(raw)).toEqual([])
})
