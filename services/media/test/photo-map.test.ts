import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { seededRandom } from '../scripts/gallery-rows.ts'
import { worldX, worldY } from '../src/gallery/web-mercator.ts'
import type { PhotoPosition } from '../src/photos/corrections.ts'
import { startTestMedia, type TestMedia, user } from './support.ts'

let media: TestMedia
beforeAll(async () => {
  media = await startTestMedia()
  const folders = media.folders()
  folders.set(FOLDER, 1, false)
  folders.set(FOREIGN_FOLDER, 2, false)
})
beforeEach(async () => {
  await media.db.photo.deleteMany()
})
afterAll(() => media.close())

const FOLDER = 7
const FOREIGN_FOLDER = 8
const me = user(1)
const DULUTH = { city: 'Duluth', state: 'Minnesota' }

interface Point {
  x: number
  y: number
  count: number
  place: string | null
  photo: {
    id: number
    title: string
    place: string | null
    thumbnailUrl: string | null
    smallUrl: string | null
    yaw: number | null
  }
}
interface Extent {
  west: number | null
  south: number | null
  east: number | null
  north: number | null
  count: number
  without: number
}
type Place = readonly [latitude: number, longitude: number]

const tile = async (path: string, who = me) =>
  (await media.json<{ points: Point[] }>(`/api/photos/map/${path}`, who)).points
const extent = (query = '', who = me) => media.json<Extent>(`/api/photos/map/extent${query}`, who)
const countOf = (points: Point[]) => points.reduce((sum, { count }) => sum + count, 0)

let made = 0
/** A photo at each place, in degrees. */
async function photosAt(places: readonly Place[], more: object = {}, userId = 1): Promise<number[]> {
  const data = places.map(([latitude, longitude], index) => {
    made += 1
    const name = `map-${made}`
    return {
      ...{ userId, title: `p${index}`, filename: `${name}.jpg`, originalName: 'x.jpg', filesize: 1, sha256: name },
      ...{ latitude, longitude, status: 'ready', ...more },
    }
  })
  return (await media.db.photo.createManyAndReturn({ data })).map(({ id }) => id)
}

test('shows a photo where it is, with what its marker needs', async () => {
  const [id] = await photosAt([[0, 0]], { ...{ thumbnail: 't.webp', metadata: { heading: -12.5 } }, ...DULUTH })
  expect(await tile('0/0/0')).toEqual([
    {
      x: 2048,
      y: 2048,
      count: 1,
      place: 'Duluth, Minnesota',
      photo: {
        ...{ id, title: 'p0', place: 'Duluth, Minnesota' },
        ...{ thumbnailUrl: '/api/uploads/t.webp', smallUrl: null, thumbhash: null, yaw: -12.5 },
      },
    },
  ])
  expect(await tile('1/1/1')).toMatchObject([{ x: 0, y: 0 }])
  expect(await tile('1/0/1')).toEqual([])
  expect(await tile('0/0/0', user(2))).toEqual([])
})

test('the marker of a DNG that has only a small preview shows it', async () => {
  await photosAt([[46.8, -92]], { preview: 'preview.webp' })
  await photosAt([[0, 0]], { small: 's.webp', thumbnail: 't.webp', preview: 'large.webp' })
  const smallOf = async (path: string) => (await tile(path)).map(({ photo }) => photo.smallUrl)
  expect(await smallOf('5/7/11')).toEqual(['/api/uploads/preview.webp'])
  expect(await smallOf('5/16/16')).toEqual(['/api/uploads/s.webp'])
})

test.each([
  ['their place', [DULUTH, DULUTH, {}], 'Duluth, Minnesota'],
  ['their state', [DULUTH, { city: 'Ely', state: 'Minnesota' }, DULUTH], 'Minnesota'],
  ['nothing', [DULUTH, { city: 'Superior', state: 'Wisconsin' }], null],
  ['nothing', [{}, {}], null],
])('photos at one point share %s', async (_, places, place) => {
  for (const more of places) await photosAt([[46.8, -92]], more)
  expect(await tile('5/7/11')).toMatchObject([{ count: places.length, place }])
  // A filtered list is read in another way.
  expect(await tile('5/7/11?q=p0')).toMatchObject([{ count: places.length, place }])
})

test('so do those of a part of the map that has too many to be read one by one', async () => {
  const around = (latitude: number) => Array.from({ length: 600 }, (): Place => [latitude, -92])
  await photosAt([...around(46.8), ...around(46.9)], DULUTH)
  expect(await tile('0/0/0')).toMatchObject([{ count: 1200, place: 'Duluth, Minnesota' }])
  await photosAt([[47, -91.9]], { city: 'Two Harbors', state: 'Minnesota' })
  expect(await tile('0/0/0')).toMatchObject([{ count: 1201, place: 'Minnesota' }])
  await photosAt([[46, -91.9]], { city: 'Trego', state: 'Wisconsin' })
  expect(await tile('0/0/0')).toMatchObject([{ count: 1202, place: null }])
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

test.each([
  '0/1/0',
  '0/0/1',
  '3/8/0',
  '23/0/0',
  '-1/0/0',
  'x/0/0',
  '0/0/0?area=1,2,3',
  '0/0/0?near=1,2',
  '0/0/0?folder=x',
  'extent?area=0,9,1,8',
  'extent?near=0,0,-1',
])('%s is rejected with a sentence', async (path) => {
  const response = await media.call(`/api/photos/map/${path}`, me)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ message: expect.any(String) })
})

const EDGES: Place[] = [
  [90, 0],
  [-90, 0],
  [90, 180],
  [-90, -180],
  [0, 180],
  [0, -180],
  [0, 0],
  [85.06, 179.9999999],
]

test('photos at the poles and the date line are at the edges of the map, at every zoom', async () => {
  await photosAt(EDGES)
  for (const z of [0, 1, 5, 18, 21, 22]) {
    const last = 2 ** z - 1
    const middle = 2 ** z / 2
    const tiles = new Set([
      ...[0, last, middle].flatMap((x) => [0, last, middle].map((y) => `${Math.floor(x)}/${Math.floor(y)}`)),
    ])
    const points = (await Promise.all([...tiles].map((xy) => tile(`${z}/${xy}`)))).flat()
    expect(countOf(points), `zoom ${z}`).toBe(EDGES.length)
    for (const { x, y } of points) expect([x, y].every((place) => place >= 0 && place < 4096)).toBe(true)
  }
  expect(await extent()).toMatchObject({ count: EDGES.length, north: expect.closeTo(85.0511, 3) })
})

interface Wanted {
  z: number
  x: number
  y: number
}

/** What a tile should show of places: in each cell their number and mean place, rounded to pixels. */
function expectedPoints(places: Place[], { z, x, y }: Wanted, finest: number): string[] {
  const level = Math.min(26, finest, z + 3)
  const cells = Map.groupBy(
    places.map(([latitude, longitude]) => ({
      x: Math.min(2 ** 26 - 1, Math.floor(worldX(longitude))),
      y: Math.min(2 ** 26 - 1, Math.floor(worldY(latitude))),
      exact: { x: worldX(longitude), y: worldY(latitude) },
    })),
    (place) => `${Math.floor(place.x / 2 ** (26 - level))} ${Math.floor(place.y / 2 ** (26 - level))}`,
  )
  const size = 2 ** (26 - z)
  return [...cells.values()].flatMap((members) => {
    const mean = (of: 'x' | 'y') => members.reduce((sum, member) => sum + member[of], 0.5 * members.length)
    const [meanX, meanY] = [mean('x') / members.length, mean('y') / members.length]
    if (Math.floor(meanX / size) !== x || Math.floor(meanY / size) !== y) return []
    const place = members.length === 1 && members[0] ? members[0].exact : { x: meanX, y: meanY }
    const [left, top] = [place.x / size - x, place.y / size - y].map((part) => Math.floor(part * 256))
    return `${members.length} at ${left} ${top}`
  })
}

const shown = (points: Point[]) => points.map(({ x, y, count }) => `${count} at ${x >> 4} ${y >> 4}`).sort()

/** The tiles of a zoom that contain some of the places. */
function tilesWith(places: Place[], z: number, most: number): Wanted[] {
  const size = 2 ** (26 - z)
  const names = places.map(([latitude, longitude]) => [
    Math.floor(worldX(longitude) / size),
    Math.floor(worldY(latitude) / size),
  ])
  const distinct = new Map(names.map(([x = 0, y = 0]) => [`${x}/${y}`, { z, x, y }]))
  return [...distinct.values()].slice(0, most)
}

/** Places in clusters of all sizes, on both sides of the equator and of the date line. */
function scattered(count: number, seed: number): Place[] {
  const random = seededRandom(seed)
  const centres: Place[] = [
    [48.137, 11.575],
    [-33.86, 151.2],
    [0.0001, 179.9],
    [40.71, -74],
  ]
  return Array.from({ length: count }, () => {
    const [latitude, longitude] = centres[Math.floor(random() * centres.length)] ?? [0, 0]
    const spread = 10 ** -Math.floor(random() * 6)
    const near = (degrees: number) => Number((degrees + (random() - 0.5) * spread * 0.15).toFixed(7))
    return [near(latitude), near(longitude)]
  })
}

test('the points of tiles are the mean places in their cells, of few photos and of counted ones', async () => {
  const [few, many] = [scattered(200, 3), scattered(2600, 4)]
  await photosAt(few, {}, 2)
  await photosAt(many.slice(0, 1300), { folderId: FOLDER })
  await photosAt(many.slice(1300))
  await photosAt([[48.137, 11.575]], { purpose: 'metadata' })
  for (const z of [0, 3, 4, 9, 14, 18, 19, 22]) {
    for (const wanted of tilesWith(few, z, 2)) {
      const path = `${wanted.z}/${wanted.x}/${wanted.y}`
      expect(shown(await tile(path, user(2))), path).toEqual(expectedPoints(few, wanted, 26).sort())
    }
    for (const wanted of tilesWith(many, z, 2)) {
      const path = `${wanted.z}/${wanted.x}/${wanted.y}`
      expect(shown(await tile(path)), path).toEqual(expectedPoints(many, wanted, 26).sort())
      const inFolder = shown(await tile(`${path}?folder=${FOLDER}`))
      expect(inFolder, path).toEqual(expectedPoints(many.slice(0, 1300), wanted, 26).sort())
      const withoutFolder = shown(await tile(`${path}?folder=none`))
      expect(withoutFolder, path).toEqual(expectedPoints(many.slice(1300), wanted, 26).sort())
      const filtered = shown(await tile(`${path}?q=p&folder=none`))
      expect(filtered, path).toEqual(expectedPoints(many.slice(1300), wanted, 26).sort())
    }
  }
  expect(await tile(`0/0/0?folder=${FOREIGN_FOLDER}`)).toEqual([])
})

test('very many photos at one place are one point, in exactly one tile of each zoom', async () => {
  const place = [10.0000001, 10.0000001] as const
  await photosAt(Array.from({ length: 1100 }, () => place))
  const [beside] = await photosAt([[10.00002, 10.00002]])
  for (const z of [0, 12, 18, 19, 20, 21, 22]) {
    const tiles = tilesWith([place, [10.00002, 10.00002]], Math.min(z, 21), 4)
    // The four parts of the tiles of zoom 21.
    const all =
      z < 22
        ? tiles
        : tiles.flatMap(({ x, y }) =>
            [0, 1, 2, 3].map((part) => ({ z, x: 2 * x + (part & 1), y: 2 * y + (part >> 1) })),
          )
    const points = (await Promise.all(all.map(({ x, y }) => tile(`${z}/${x}/${y}`)))).flat()
    expect(countOf(points), `zoom ${z}`).toBe(1101)
  }
  await media.call(`/api/photos/${beside}`, me, { method: 'DELETE' })
  expect(await tile('0/0/0')).toMatchObject([{ count: 1100 }])
})

test('counted cells follow corrections, moves and deletions', async () => {
  const places = scattered(1200, 5)
  const ids = await photosAt(places)
  expect(countOf(await tile('0/0/0'))).toBe(1200)
  const patch = (id: number | undefined, body: object) => media.json(`/api/photos/${id}`, me, 'PATCH', body)
  await patch(ids[0], { latitude: -80, longitude: 0 })
  await patch(ids[1], { latitude: null, longitude: null })
  await media.call(`/api/photos/${ids[2]}`, me, { method: 'DELETE' })
  await media.json('/api/photos/bulk', me, 'POST', { ids: ids.slice(3, 5), action: 'move', folderId: FOLDER })
  expect(await tile('3/4/7')).toMatchObject([{ count: 1, photo: { id: ids[0] } }])
  expect(countOf(await tile('0/0/0'))).toBe(1198)
  expect(countOf(await tile(`0/0/0?folder=${FOLDER}`))).toBe(2)
  expect(countOf(await tile('0/0/0?folder=none'))).toBe(1196)
  expect(await extent()).toMatchObject({ count: 1198, without: 1 })
})

test('the extent shows all photos on the shorter way around the world', async () => {
  const none = { west: null, south: null, east: null, north: null, count: 0, without: 0 }
  expect(await extent()).toEqual(none)
  await photosAt([
    [10, 170],
    [-10, -160],
  ])
  await media.db.photo.create({
    data: { userId: 1, title: '', filename: 'n', originalName: 'n', filesize: 1, sha256: 'n', status: 'ready' },
  })
  const close = (value: number) => expect.closeTo(value, 4)
  const both = { west: close(170), east: close(200), south: close(-10), north: close(10), count: 2, without: 1 }
  expect(await extent()).toEqual(both)
  expect(await extent('?q=p')).toEqual({ ...both, without: 0 })
  expect(await extent('?area=160,0,-170,20')).toMatchObject({
    west: close(170),
    east: close(170),
    count: 1,
    without: 0,
  })
  expect(await extent(`?folder=${FOREIGN_FOLDER}`)).toEqual(none)
  expect(await extent('', user(2))).toEqual(none)
})

test('the extent of counted photos is nearly exact', async () => {
  const around = scattered(1100, 6).filter(([latitude]) => latitude > 45)
  await photosAt(Array.from({ length: 1100 }, (_, index) => around[index % around.length] ?? [0, 0]))
  const found = await extent()
  const [lats, lons] = [around.map(([latitude]) => latitude), around.map(([, longitude]) => longitude)]
  const exact = { west: Math.min(...lons), east: Math.max(...lons), south: Math.min(...lats), north: Math.max(...lats) }
  const most = 0.04 * (exact.east - exact.west)
  for (const edge of ['east', 'north'] as const) {
    expect((found[edge] ?? 0) - exact[edge]).toBeGreaterThan(-1e-6)
    expect((found[edge] ?? 0) - exact[edge]).toBeLessThan(most)
  }
  for (const edge of ['west', 'south'] as const) {
    expect(exact[edge] - (found[edge] ?? 0)).toBeGreaterThan(-1e-6)
    expect(exact[edge] - (found[edge] ?? 0)).toBeLessThan(most)
  }
})

const LISTS: [string, (place: Place) => boolean][] = [
  ['area=11,48,12,49', ([lat, lon]) => lat >= 48 && lat <= 49 && lon >= 11 && lon <= 12],
  ['area=179.9,-1,-179.9,1', ([lat, lon]) => Math.abs(lat) <= 1 && (lon >= 179.9 || lon <= -179.9)],
  ['area=-180,-90,180,90', () => true],
  [
    'area=11.5749,48.1369,11.5751,48.1371',
    ([lat, lon]) => Math.abs(lat - 48.137) <= 1e-4 && Math.abs(lon - 11.575) <= 1e-4,
  ],
]

test.each(LISTS)('lists, counts and months of %s have the photos there, in order', async (query, isThere) => {
  const places = scattered(1500, 8)
  const ids = await photosAt(places)
  await photosAt(places.slice(0, 100), {}, 2)
  const wanted = ids.filter((_, index) => isThere(places[index] ?? [0, 0]))
  expect(wanted.length).toBeGreaterThan(10)
  for (const sort of ['oldest', 'newest']) {
    const listed: number[] = []
    let path: string | undefined = `/api/photos?${query}&limit=400&sort=${sort}&countTo=9999`
    while (path) {
      const response = await media.call(path, me)
      listed.push(...((await response.json()) as { id: number }[]).map(({ id }) => id))
      expect(response.headers.get('x-total-count')).toBe(String(wanted.length))
      path = response.headers.get('link')?.match(/^<([^>]+)>; rel="next"$/)?.[1]
    }
    expect(listed).toEqual(sort === 'oldest' ? wanted : wanted.toReversed())
  }
  const filter = Object.fromEntries([query.split('=')])
  const counted = await media.json<{ count: number }>('/api/photos/count', me, 'POST', { filter })
  expect(counted.count).toBe(wanted.length)
  const { months } = await media.json<{ months: { count: number }[] }>(`/api/photos/months?${query}`, me)
  expect(months.map(({ count }) => count)).toEqual([wanted.length])
  const rare = await media.json<{ id: number }[]>(`/api/photos?${query}&q=p12&limit=500`, me)
  const titled = wanted.filter((id) => `p${ids.indexOf(id)}`.includes('p12'))
  expect(rare.map(({ id }) => id)).toEqual(titled.toReversed())
  expect(countOf(await tile(`0/0/0?${query}`))).toBe(wanted.length)
})

test('near finds what is in a circle, by metres', async () => {
  const metre = 360 / 40_030_173
  const [centre, north, east, corner, pole] = await photosAt([
    [60, 10],
    [60 + 99 * metre, 10],
    [60, 10 + 99 * metre * 2],
    [60 + 80 * metre, 10 + 80 * metre * 2],
    [90, -170],
  ])
  const near = async (query: string) =>
    (await media.json<{ id: number }[]>(`/api/photos?near=${query}&sort=oldest`, me)).map(({ id }) => id)
  expect(await near('60,10,100')).toEqual([centre, north, east])
  expect(await near('60,10,115')).toEqual([centre, north, east, corner])
  expect(await near('60,10,50')).toEqual([centre])
  expect(await near('89.999,10,200')).toEqual([pole])
  expect(await near('0,0,20050000')).toEqual([centre, north, east, corner, pole])
})

test('sets one position for many photos, or moves each from its own', async () => {
  const [one, two, named, foreign] = [
    ...(await photosAt([
      [48, 11],
      [49, 179.9999],
    ])),
    ...(await photosAt([[10, 10]], { city: 'Mine', corrected: ['city'] })),
    ...(await photosAt([[1, 1]], {}, 2)),
  ]
  const bare = await photosAt([], {})
  expect(bare).toEqual([])
  const { id: without } = await media.db.photo.create({
    data: { userId: 1, title: '', filename: 'w', originalName: 'w', filesize: 1, sha256: 'w' },
  })
  const bulk = (body: object) => media.json('/api/photos/bulk', me, 'POST', { action: 'position', ...body })
  const moveBy = { latitude: 0.5, longitude: 0.0002 }
  expect(await bulk({ ids: [one, two, without, foreign], moveBy })).toEqual({
    done: [one, two],
    photos: 2,
    failed: [without, foreign].map((id) => ({ id, message: 'The photo was not found, or has no position.' })),
  })
  const position = async (id = 0) => {
    const { latitude, longitude, corrected, revision } = await media.photo(id)
    return [Number(latitude), Number(longitude), corrected, revision]
  }
  expect(await position(one)).toEqual([48.5, 11.0002, ['position'], 2])
  expect(await position(two)).toEqual([49.5, -179.9999, ['position'], 2])
  const austin = { latitude: 30.2672, longitude: -97.7431 }
  const all = [one, two, named, without]
  expect(await bulk({ ids: all, ...austin })).toEqual({ done: all, photos: all.length, failed: [] })
  expect(await media.photo(without)).toMatchObject({ city: 'Austin', state: 'Texas' })
  expect(await media.photo(named ?? 0)).toMatchObject({ city: 'Mine', state: 'Texas', corrected: ['city', 'position'] })
  // Nothing is changed again.
  expect(await bulk({ ids: all, ...austin })).toEqual({ done: all, photos: all.length, failed: [] })
  expect((await position(without))[3]).toBe(2)
  expect(await position(foreign)).toEqual([1, 1, [], 1])
})

test.each([
  [{}],
  [{ latitude: 1 }],
  [{ latitude: 91, longitude: 0 }],
  [{ latitude: 1, longitude: 1, moveBy: { latitude: 1, longitude: 1 } }],
  [{ moveBy: { latitude: 1 } }],
])('a bulk change to the position %j is rejected', async (body) => {
  const [id = 0] = await photosAt([[1, 2]])
  const response = await media.call('/api/photos/bulk', me, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ids: [id], action: 'position', ...body }),
  })
  expect(response.status).toBe(400)
  expect(await media.photo(id)).toMatchObject({ revision: 1 })
})

/** Photos without a position. */
async function unplaced(count: number, more: object = {}, userId = 1): Promise<number[]> {
  const data = Array.from({ length: count }, () => {
    made += 1
    const name = `map-${made}`
    return {
      ...{ userId, title: 'bare', filename: name, originalName: 'x.jpg', filesize: 1, sha256: name, status: 'ready' },
      ...more,
    }
  })
  return (await media.db.photo.createManyAndReturn({ data })).map(({ id }) => id)
}

test('lists, counts and selects the photos without a position, also with other filters', async () => {
  await photosAt([[48, 11]], { title: 'barely placed', folderId: FOLDER })
  const inFolder = await unplaced(2, { folderId: FOLDER, dateTaken: '2026-05-05T10:00:00' })
  const others = await unplaced(2, { city: 'Austin', state: 'Texas', metadata: { Model: 'M3' } })
  await unplaced(1, {}, 2)
  // Their files may have one.
  await unplaced(3, { folderId: FOLDER, status: 'processing' })
  const all = [...inFolder, ...others]
  const ids = async (path: string) => (await media.json<{ id: number }[]>(path, me)).map(({ id }) => id)
  const list = (query: string, sort = 'oldest') => ids(`/api/photos?position=none&sort=${sort}&${query}`)
  expect(await list('')).toEqual(all)
  expect(await list('', 'taken-oldest')).toEqual(all)
  expect(await list('q=bare')).toEqual(all)
  expect(await list(`folder=${FOLDER}`)).toEqual(inFolder)
  expect(await list('folder=none')).toEqual(others)
  expect(await list('location=Austin,+Texas')).toEqual(others)
  expect(await list('camera=M3')).toEqual(others)
  expect(await list('takenFrom=2026-05-05')).toEqual(inFolder)
  expect(await list('area=0,0,90,90')).toEqual([])
  expect(await ids(`/api/folders/${FOLDER}/photos?position=none&sort=oldest`)).toEqual(inFolder)
  expect(await media.json(`/api/photos/${others[0]}/index?position=none&sort=oldest`, me)).toEqual({ index: 2 })
  expect(await media.json('/api/photos/months?position=none', me)).toMatchObject({ months: [{ count: 4 }] })
  expect(await media.json('/api/photos/count', me, 'POST', { filter: { position: 'none' } })).toMatchObject({
    count: 4,
  })
  expect(await extent('?position=none')).toMatchObject({ count: 0, without: 4, west: null })
  expect(await extent()).toMatchObject({ count: 1, without: 4 })
  expect(await extent(`?folder=${FOLDER}`)).toMatchObject({ count: 1, without: 2 })
  expect(await extent('?folder=none')).toMatchObject({ count: 0, without: 2 })
  expect(await extent('?q=bare')).toMatchObject({ count: 1, without: 4 })
  expect(await tile('0/0/0?position=none')).toEqual([])
  expect((await media.call('/api/photos?position=some', me)).status).toBe(400)
})

test('finds for each photo the one with a position that was taken last before it, within ten minutes', async () => {
  const at = (time: string) => ({ dateTaken: `2026-05-05T${time}`, title: time })
  await photosAt([[47, 10]], at('09:49:59'))
  const [early] = await photosAt([[48, 11]], at('09:50:00'))
  const [late] = await photosAt([[48.1234567, -11.5]], at('09:58:30+02:00'))
  await photosAt([[1, 1]], at('10:00:01'))
  await photosAt([[2, 2]], at('09:59:59'), 2)
  const file = { dateTaken: '2026-05-05T09:59:00', metadata: { ModifyDate: '2026-05-05T09:59:00' } }
  await photosAt([[3, 3]], file)
  const ids = [
    ...(await unplaced(1, at('10:00:00'))),
    ...(await unplaced(1, at('09:57:00'))),
    ...(await unplaced(1, at('09:40:00'))),
    ...(await unplaced(1, { dateTaken: '2026-02-30T10:00' })),
    ...(await unplaced(1)),
    ...(await unplaced(1, file)),
    ...(await unplaced(1, at('10:00:00'), 2)),
  ]
  const found = await media.json('/api/photos/placed-before', me, 'POST', { ids })
  expect(found).toEqual([
    {
      id: ids[0],
      before: { id: late, title: '09:58:30+02:00', latitude: '48.1234567', longitude: '-11.5000000', seconds: 90 },
    },
    { id: ids[1], before: expect.objectContaining({ id: early, seconds: 420 }) },
  ])
})

/** Decimal degrees, or no position. */
type Degrees = [latitude: number, longitude: number] | null

async function place(who: typeof me, ...positions: [id: number, degrees: Degrees, corrected?: boolean][]) {
  const toPosition = (degrees: Degrees) => degrees && { latitude: degrees[0], longitude: degrees[1] }
  const body = {
    positions: positions.map(([id, degrees, corrected]) => ({ id, position: toPosition(degrees), corrected })),
  }
  const { before } = await media.json<{ before: PhotoPosition[] }>('/api/photos/positions', who, 'PUT', body)
  return before.map(({ id, position, corrected }): [number, Degrees, boolean?] => [
    id,
    position && [position.latitude, position.longitude],
    corrected,
  ])
}

test('gives many photos their own positions, with their places, and takes that back', async () => {
  const [one = 0, named = 0, foreign = 0] = [
    ...(await photosAt([[48.1234567, -179.9999999]])),
    ...(await photosAt([[10, 10]], { city: 'Mine', corrected: ['position', 'city'] })),
    ...(await photosAt([[1, 1]], {}, 2)),
  ]
  const { id: bare } = await media.db.photo.create({
    data: { userId: 1, title: '', filename: 'p', originalName: 'p', filesize: 1, sha256: 'p' },
  })
  const stateOf = async (id: number) => {
    const { latitude, longitude, city, state, corrected, revision } = await media.photo(id)
    return [latitude && Number(latitude), longitude && Number(longitude), city, state, corrected, revision]
  }
  const austin: Degrees = [30.2672, -97.7431]
  const change: [number, Degrees][] = [
    [one, austin],
    [named, austin],
    [bare, [0, 0]],
    [foreign, null],
  ]
  const before: [number, Degrees, boolean][] = [
    [one, [48.1234567, -179.9999999], false],
    [named, [10, 10], true],
    [bare, null, false],
  ]
  expect(await place(me, ...change)).toEqual(before)
  const placed = [
    [...austin, 'Austin', 'Texas', ['position'], 2],
    [...austin, 'Mine', 'Texas', ['city', 'position'], 2],
    [0, 0, null, null, ['position'], 2],
  ]
  const states = () => Promise.all([one, named, bare].map(stateOf))
  expect(await states()).toEqual(placed)
  // Nothing is changed again.
  await place(me, ...change)
  expect(await states()).toEqual(placed)

  await place(me, ...before)
  expect(await states()).toEqual([
    [48.1234567, -179.9999999, null, null, [], 3],
    [10, 10, 'Mine', 'Bauchi', ['city', 'position'], 3],
    [null, null, null, null, [], 3],
  ])
  expect(await stateOf(foreign)).toEqual([1, 1, null, null, [], 1])
})

test('gives no more photos positions than its answer can take back, with both files of each pair', async () => {
  const jpegs = await photosAt(Array(101).fill([1, 1]))
  const raws = await photosAt(Array(101).fill([2, 2]))
  const { db } = media
  for (const [index, id] of jpegs.entries()) {
    const raw = raws[index] as number
    await db.photo.update({ where: { id }, data: { pairedWith: raw } })
    await db.photo.update({ where: { id: raw }, data: { purpose: 'raw', pairedWith: id } })
  }
  const positions = jpegs.map((id) => ({ id, position: null }))
  const rejected = await media.json('/api/photos/positions', me, 'PUT', { positions })
  expect(rejected).toMatchObject({ code: 'invalid_fields' })
  const before = await place(me, ...jpegs.slice(1).map((id): [number, Degrees] => [id, null]))
  expect(before).toHaveLength(200)
  expect(await place(me, ...before)).toHaveLength(200)
  const restored = await place(me, [raws[1] as number, [2, 2]])
  expect(restored.map(([, degrees]) => degrees)).toEqual([
    [1, 1],
    [2, 2],
  ])
})

test.each([
  [{}],
  [{ positions: [{ id: 1 }] }],
  [{ positions: [{ id: 1, position: { latitude: 1 } }] }],
  [{ positions: [{ id: 1, position: { latitude: 90.1, longitude: 0 } }] }],
  [{ positions: [{ id: 1, position: { latitude: 0, longitude: -180.1 } }] }],
  [{ positions: Array.from({ length: 201 }, (_, id) => ({ id: id + 1, position: null })) }],
])('positions are rejected: %j', async (body) => {
  const response = await media.call('/api/photos/positions', me, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(400)
})
