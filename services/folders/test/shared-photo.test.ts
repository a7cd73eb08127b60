import type { App } from '@skyfolio/kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, makeFolder, newUser, openTestSystem, putPhoto, type TestSystem, visitor } from './support.ts'

let system: TestSystem
let app: App
let replica: App

beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
  replica = await system.start()
})
afterAll(() => system.close())

async function publicFolder(photos = 2) {
  const owner = newUser()
  const folder = await makeFolder(app, owner, { isPublic: true, description: 'Summer' })
  const ids: number[] = []
  for (let number = 0; number < photos; number += 1) {
    ids.push(await putPhoto(system, { userId: owner.userId, folderId: folder.id }))
  }
  return { owner, folder, ids, url: `/api/share/${folder.shareCode}` }
}

const flip = (owner: { headers: Record<string, string> }, id: number, isPublic: boolean) =>
  call(app, 'PATCH', `/api/folders/${id}/toggle-public`, { headers: owner.headers, body: { isPublic } })

/** Metadata of a drone photo as published by media. */
const METADATA = {
  Make: 'DJI',
  Model: 'FC300S',
  ExposureTime: 0.0025,
  ISO: 100,
  DateTimeOriginal: '2024-05-06T07:08:09+02:00',
  turned: true,
  drone: { RelativeAltitude: 39.8, GimbalPitchDegree: -90, RtkFlag: 50 },
  panorama: { ProjectionType: 'equirectangular', InitialViewHeadingDegrees: 90 },
}

test('a single photo of a share has its metadata, which lists omit', async () => {
  const { owner, folder, url } = await publicFolder(0)
  const id = await putPhoto(system, { userId: owner.userId, folderId: folder.id, metadata: METADATA })
  const { status, body, headers } = await call(app, 'GET', `${url}/photos/${id}`)
  const [listed] = (await call(app, 'GET', url)).body.photos
  expect([status, headers['cache-control']]).toEqual([200, 'private, no-cache'])
  expect(body).toEqual({ ...listed, metadata: METADATA })
  expect(listed).not.toHaveProperty('metadata')

  const without = await putPhoto(system, { userId: owner.userId, folderId: folder.id })
  expect((await call(app, 'GET', `${url}/photos/${without}`)).body).toMatchObject({ id: without, metadata: null })
})

test('never sends metadata that is not listed as public or has the wrong type', async () => {
  const { owner, folder, url } = await publicFolder(0)
  const metadata = {
    ...METADATA,
    Make: { name: 'DJI' },
    SerialNumber: '0K1CE3',
    OwnerName: 'Ann',
    Artist: 'Ann',
    drone: { ...METADATA.drone, RtkFlag: '50', SerialNumber: '0K1CE3', SelfData: { address: 'Lake Street' } },
    panorama: { ...METADATA.panorama, PoseRollDegrees: '0', StitchingSoftware: 'Ann' },
  }
  const id = await putPhoto(system, { userId: owner.userId, folderId: folder.id, metadata })
  const { body } = await call(app, 'GET', `${url}/photos/${id}`)
  const { Make, ...camera } = METADATA
  const { RtkFlag, ...drone } = METADATA.drone
  expect(body.metadata).toEqual({ ...camera, drone })
})

const AT = { latitude: '46.8426071', longitude: '-91.9945599' }

test('the cameras of a share are those of its visible photos with a position, and say only what the ground is computed from', async () => {
  const { owner, folder, url } = await publicFolder(1)
  const put = (fields: object) => putPhoto(system, { userId: owner.userId, folderId: folder.id, ...AT, ...fields })
  const ground = {
    ...{
      Model: 'FC300S',
      FocalLength: 3.61,
      FocalLengthIn35mmFormat: 20,
      DigitalZoomRatio: 2,
      heading: 45,
      turned: true,
    },
    drone: { RelativeAltitude: 39.8, GimbalPitchDegree: -89.9, GimbalRollDegree: 0 },
  }
  const full = await put({
    metadata: {
      ...METADATA,
      ...ground,
      SerialNumber: '0K1CE3',
      OwnerName: 'Ann',
      drone: { ...ground.drone, GimbalYawDegree: 45, SerialNumber: '0K1CE3' },
    },
  })
  const wrong = await put({ metadata: { Model: { name: 'Ann' }, turned: 'true', drone: { RelativeAltitude: '39.8' } } })
  const none = await put({})
  await put({ metadata: METADATA, longitude: undefined })
  await put({ metadata: METADATA, isRaw: true, pairedWith: full })
  await put({ metadata: METADATA, ownIsPublic: false, ownVisibilityRevision: 99 })
  await put({ metadata: METADATA, folderId: undefined })
  const { status, body, headers } = await call(app, 'GET', `${url}/cameras`)
  expect([status, headers['cache-control']]).toEqual([200, 'private, no-cache'])
  expect(body).toEqual([
    { id: full, metadata: ground },
    { id: wrong, metadata: null },
    { id: none, metadata: null },
  ])
})

test('the cameras of a share follow every change on every replica, and are 304 until then', async () => {
  const { owner, folder, url } = await publicFolder(0)
  const fields = { userId: owner.userId, folderId: folder.id, ...AT }
  const id = await putPhoto(system, { ...fields, metadata: METADATA })
  const read = (from: App, etag?: string) =>
    call(from, 'GET', `${url}/cameras`, { headers: { ...visitor(), ...(etag && { 'if-none-match': etag }) } })
  const { headers } = await read(app)
  const etag = String(headers.etag)
  expect([(await read(app, etag)).status, (await read(replica, etag)).status]).toEqual([304, 304])
  await putPhoto(system, { ...fields, id, metadata: { ...METADATA, turned: false } }, 2)
  for (const from of [app, replica]) {
    const { status, body } = await read(from, etag)
    expect([status, body[0].metadata.turned]).toEqual([200, false])
  }
  await putPhoto(system, { ...fields, id, ownIsPublic: false, ownVisibilityRevision: 99 }, 3)
  for (const from of [app, replica]) expect((await read(from)).body).toEqual([])
  await flip(owner, folder.id, false)
  for (const from of [app, replica]) expect((await read(from, etag)).status).toBe(404)
})

test('cameras that could not be read are read by the next request', async () => {
  const { owner, folder, url } = await publicFolder(0)
  const id = await putPhoto(system, { userId: owner.userId, folderId: folder.id, ...AT })
  await call(app, 'GET', url)
  await system.pool.query('ALTER VIEW photos_with_visibility RENAME TO gone')
  const { status } = await call(app, 'GET', `${url}/cameras`)
  await system.pool.query('ALTER VIEW gone RENAME TO photos_with_visibility')
  expect([status, (await call(app, 'GET', `${url}/cameras`)).body]).toEqual([500, [{ id, metadata: null }]])
})

test('a photo that visitors do not see in this share is 404 at once', async () => {
  const { owner, folder, ids, url } = await publicFolder()
  const elsewhere = await publicFolder()
  const [id] = ids
  const hidden = await putPhoto(system, {
    userId: owner.userId,
    folderId: folder.id,
    ownIsPublic: false,
    ownVisibilityRevision: 99,
  })
  const statusOf = async (path: string, from = app) => (await call(from, 'GET', path)).status
  expect(await statusOf(`${url}/photos/${id}`)).toBe(200)
  expect(await statusOf(`${url}/photos/${hidden}`)).toBe(404)
  expect(await statusOf(`${url}/photos/${elsewhere.ids[0]}`)).toBe(404)
  expect(await statusOf(`${url}/photos/2147483647`)).toBe(404)
  expect(await statusOf(`${url}/photos/none`)).toBe(400)
  expect(await statusOf(`/api/share/unknown/photos/${id}`)).toBe(404)
  expect(await statusOf(`/api/share/%00/photos/${id}`)).toBe(404)
  await flip(owner, folder.id, false)
  for (const from of [app, replica]) expect(await statusOf(`${url}/photos/${id}`, from)).toBe(404)
})
