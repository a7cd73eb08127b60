import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestMedia, type TestMedia, user } from './support.ts'

let media: TestMedia
let folders: ReturnType<TestMedia['folders']>
beforeAll(async () => {
  media = await startTestMedia()
  folders = media.folders()
})
beforeEach(async () => {
  await media.db.photo.deleteMany()
  await media.pool.query('UPDATE user_usage SET map_counted = false')
  await media.pool.query('DELETE FROM photo_cells')
})
afterAll(() => media.close())

const me = user(1)

interface Point {
  x: number
  y: number
  count: number
  photo: { id: number; title: string; thumbnailUrl: string | null; yaw: number | null }
}
const tile = async (path: string, who = me) =>
  (await media.json<{ points: Point[] }>(`/api/photos/map/${path}`, who)).points
const extent = (query = '', who = me) => media.json<object>(`/api/photos/map/extent${query}`, who)

/** A photo for each position, in degrees; `folderId` and others of all of them. */
async function photosAt(positions: (readonly [number, number])[], more: object = {}, userId = 1): Promise<number[]> {
  const before = await media.db.photo.count()
  const data = positions.map(([latitude, longitude], index) => {
    const name = `${before + index}-${userId}`
    return {
      ...{ userId, title: `p${index}`, filename: `${name}.jpg`, originalName: 'x.jpg', filesize: 1, sha256: name },
      ...{ latitude, longitude, ...more },
    }
  })
  return (await media.db.photo.createManyAndReturn({ data })).map(({ id }) => id)
}

test('shows a photo where it is, with what its marker needs', async () => {
  const [id] = await photosAt([[0, 0]], { thumbnail: 't.webp', metadata: { drone: { FlightYawDegree: -12.5 } } })
  expect(await tile('0/0/0')).toEqual([
    {
      x: 2048,
      y: 2048,
      count: 1,
      photo: { id, title: 'p0', thumbnailUrl: '/api/uploads/t.webp', smallUrl: null, thumbhash: null, yaw: -12.5 },
    },
  ])
  expect(await tile('1/1/1')).toMatchObject([{ x: 0, y: 0 }])
  expect(await tile('1/0/1')).toEqual([])
  expect(await tile('0/0/0', user(2))).toEqual([])
  expect(await extent()).toMatchObject({ count: 1, without: 0 })
})

test('an unchanged tile is not sent again', async () => {
  await photosAt([[48.1, 11.5]])
  const first = await media.call('/api/photos/map/0/0/0', me)
  const etag = first.headers.get('etag') ?? ''
  expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'private, no-cache'])
  const again = () => media.call('/api/photos/map/0/0/0', me, { headers: { 'if-none-match': etag } })
  expect((await again()).status).toBe(304)
  await photosAt([[48.2, 11.5]])
  expect((await again()).status).toBe(200)
})
