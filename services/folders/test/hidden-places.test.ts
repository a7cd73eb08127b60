import type { MessageInitShape } from '@bufbuild/protobuf'
import type { App } from '@skyfolio/kit'
import type { PhotoSchema } from '@skyfolio/proto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, makeFolder, makeLink, newUser, openTestSystem, putPhoto, type TestSystem, visitor } from './support.ts'

// What a link hides of photos: it is in no answer to visitors, whatever the route.

let system: TestSystem
let app: App
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
})
afterAll(() => system.close())

const PLACE = {
  latitude: '46.786671',
  longitude: '-92.100491',
  altitude: 251.5625,
  city: 'Twoharbors',
  county: 'Lakecounty',
  state: 'Northshore',
}
const DRONE = {
  AbsoluteAltitude: 301.4375,
  RelativeAltitude: 39.8125,
  GimbalPitchDegree: -89.9375,
  RtkStdLat: 0.0078125,
}
const CAMERA = {
  ...{ Make: 'Makerian', Model: 'Modelian', LensModel: 'Lensian', FNumber: 2.8125, ISO: 137, FocalLength: 24.1875 },
  DateTimeOriginal: '2024-05-06T07:08:09',
}
/** Of the camera, but it tells about the place. */
const HEADING = { heading: 123.0625 }
const ZONE = '+05:45'
const PANORAMA = { ProjectionType: 'equirectangular', PoseHeadingDegrees: 77.5625 }
const METADATA = {
  ...CAMERA,
  ...HEADING,
  DateTimeOriginal: `${CAMERA.DateTimeOriginal}${ZONE}`,
  GPSLatitude: 46.786671,
  GPSPosition: 'secret',
  drone: DRONE,
  panorama: PANORAMA,
}

const textsOf = (values: object) => Object.values(values).map(String)
const PLACE_TEXTS = [...textsOf(PLACE), ...textsOf(DRONE), '46.78', '92.10']
const CAMERA_TEXTS = textsOf(CAMERA)

async function folderOfPair() {
  const owner = newUser()
  const { id: folderId } = await makeFolder(app, owner, { isPublic: true })
  const common = {
    userId: owner.userId,
    folderId,
    preview: 'p.webp',
    thumbnail: 't.webp',
    dateTaken: `2024-01-02T01:02:03${ZONE}`,
    ...PLACE,
    metadata: METADATA,
  }
  const put = (fields: MessageInitShape<typeof PhotoSchema>, revision = 1) =>
    putPhoto(system, { ...common, ...fields }, revision)
  const jpeg = await put({})
  const raw = await put({ filename: 'stored.dng', isRaw: true, pairedWith: jpeg })
  await put({ id: jpeg, pairedWith: raw }, 2)
  await call(app, 'PUT', `/api/folders/${folderId}`, { headers: owner.headers, body: { coverPhotoId: jpeg } })
  return { owner, folderId, jpeg, raw }
}

async function readAll(code: string, photo: number) {
  const paths = {
    share: `/api/share/${code}`,
    folder: `/api/folders/share/${code}`,
    photos: `/api/folders/share/${code}/photos`,
    photo: `/api/share/${code}/photos/${photo}`,
    cameras: `/api/share/${code}/cameras`,
    card: `/share-cards/${code}`,
  }
  const answers = await Promise.all(
    Object.entries(paths).map(async ([name, path]) => {
      const { status, body } = await call(app, 'GET', path)
      expect(status, path).toBe(200)
      return [name, body] as const
    }),
  )
  return Object.fromEntries(answers)
}

const NO_PLACE = { latitude: null, longitude: null, altitude: null, city: null, county: null, state: null }

const switches = [true, false].flatMap((showPlaces) =>
  [true, false].flatMap((showCamera) =>
    (['original', 'web', 'none'] as const).map((downloads) => ({ showPlaces, showCamera, downloads })),
  ),
)
test.each(switches)('what a link shows with %j', async ({ showPlaces, showCamera, downloads }) => {
  const { owner, folderId, jpeg, raw } = await folderOfPair()
  const { code } = await makeLink(app, owner, folderId, { showPlaces, showCamera, downloads, showMap: true })
  const all = await readAll(code, jpeg)
  const text = JSON.stringify(all)
  for (const value of PLACE_TEXTS) expect(text.includes(value), value).toBe(showPlaces)
  for (const value of CAMERA_TEXTS) expect(text.includes(value), value).toBe(showCamera)
  expect(text.includes(String(HEADING.heading))).toBe(showPlaces && showCamera)
  expect(text.includes(`T01:02:03${ZONE}`)).toBe(showPlaces)
  expect(text.includes(`T07:08:09${ZONE}`)).toBe(showPlaces && showCamera)
  for (const value of ['GPS', 'stored.dng']) expect(text).not.toContain(value)

  expect(all.folder).toMatchObject({ showPlaces, showCamera, downloads, showMap: showPlaces })
  expect(all.share).toMatchObject({ folder: all.folder, photos: all.photos })
  expect(all.photos).toMatchObject([{ id: jpeg, pairedWith: raw, ...(showPlaces ? PLACE : NO_PLACE) }])
  const hasRaw = showPlaces && showCamera && downloads === 'original'
  const rawFile = hasRaw ? { id: raw } : null
  for (const photo of [all.photos[0], all.photo]) {
    expect(photo.raw === null).toBe(!hasRaw)
    expect(photo).toMatchObject({ ...(showPlaces ? PLACE : NO_PLACE), raw: rawFile })
  }
  const dated = { ...HEADING, DateTimeOriginal: `${CAMERA.DateTimeOriginal}${ZONE}` }
  const camera = { ...CAMERA, ...(showPlaces && dated) }
  const metadata = { ...(showCamera && camera), ...(showPlaces && { drone: DRONE }), panorama: PANORAMA }
  expect(all.photo.metadata).toEqual(metadata)
  expect(all.cameras.length).toBe(showPlaces && showCamera ? 1 : 0)
  const { city, state } = showPlaces ? PLACE : NO_PLACE
  for (const picture of [all.card.cover, all.card.chosen, ...all.card.pictures])
    expect(picture).toMatchObject({ city, state })
})

test('a link that hides nothing shows all beside one that hides everything, and each change takes effect at once', async () => {
  const { owner, folderId, jpeg } = await folderOfPair()
  const [main] = (await call(app, 'GET', `/api/folders/${folderId}/links`, { headers: owner.headers })).body
  const hidden = { showPlaces: false, showCamera: false }
  const { code } = await makeLink(app, owner, folderId, { ...hidden, kind: 'browse' })
  const shows = async (code: string) => {
    const text = JSON.stringify(await readAll(code, jpeg))
    return [PLACE_TEXTS, CAMERA_TEXTS].map((values) => values.filter((value) => text.includes(value)).length)
  }
  const everything = [PLACE_TEXTS.length, CAMERA_TEXTS.length]
  expect([await shows(main.code), await shows(code)]).toEqual([everything, [0, 0]])
  const change = (body: object) =>
    call(app, 'PATCH', `/api/folders/${folderId}/links/${main.id}`, { headers: owner.headers, body })
  const former = (await call(app, 'GET', `/api/share/${main.code}`)).headers.etag as string
  await change({ showPlaces: false })
  expect(await shows(main.code)).toEqual([0, CAMERA_TEXTS.length])
  const again = await call(app, 'GET', `/api/share/${main.code}`, {
    headers: { ...visitor(), 'if-none-match': former },
  })
  expect(again.status).toBe(200)
  await change({ showPlaces: true, showCamera: false })
  expect(await shows(main.code)).toEqual([PLACE_TEXTS.length, 0])
  expect(await shows(code)).toEqual([0, 0])
})

test('without a panorama a photo whose link hides places and camera data has no metadata', async () => {
  const owner = newUser()
  const { id: folderId } = await makeFolder(app, owner, { isPublic: true })
  const metadata = { ...CAMERA, drone: DRONE }
  const photo = await putPhoto(system, { userId: owner.userId, folderId, metadata })
  const { code } = await makeLink(app, owner, folderId, { showPlaces: false, showCamera: false })
  expect((await call(app, 'GET', `/api/share/${code}/photos/${photo}`)).body).toMatchObject({ metadata: null })
})
