import { createLogger } from '@skyfolio/kit'
import { identityHeaders } from '@skyfolio/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { groupChangedPhotos } from '../src/flights/group-flights.ts'
import type { FlightResponse, TrackPoint } from '../src/flights/read-flights.ts'
import type { Prisma } from '../src/generated/client.ts'
import { admin, startTestMedia, type TestMedia, user, visitor } from './support.ts'

/* Lists, tracks, filters and files of flights. */

const SERIAL = 'hash-of-a-serial-number'

let media: TestMedia
let folders: ReturnType<TestMedia['folders']>
beforeAll(async () => {
  media = await startTestMedia()
  folders = media.folders()
})
beforeEach(async () => {
  await media.db.photo.deleteMany()
})
afterAll(() => media.close())

const me = user(1)
const logged: string[] = []
const logger = createLogger('test', 'warn', { write: (line: string) => void logged.push(line) })
async function group(): Promise<void> {
  await groupChangedPhotos(media.pool, logger)
  expect(logged.splice(0)).toEqual([])
}

let made = 0
type Row = Prisma.PhotoCreateManyInput
function photo(dateTaken: string | null, more: Partial<Row> = {}): Row {
  made += 1
  return {
    ...{ userId: 1, title: `Photo ${made}`, originalName: 'x.jpg', filesize: 1, status: 'ready', aircraft: SERIAL },
    ...{ filename: `${made}.jpg`, sha256: `${made}`, latitude: 46.5, longitude: 7.25, thumbnail: `t${made}.webp` },
    dateTaken,
    ...more,
  }
}

const add = async (...data: Row[]): Promise<number[]> =>
  (await media.db.photo.createManyAndReturn({ data })).map(({ id }) => id)

/** Adds so many photos, one a second, from noon of 2026-01-01 on. */
async function addMany(count: number): Promise<number[]> {
  const { rows } = await media.pool.query(
    `INSERT INTO photos (user_id, title, filename, original_name, filesize, sha256, status, latitude, longitude, date_taken)
    SELECT 1, 'x', 'many-' || n, 'x.jpg', 1, 'many-' || n, 'ready', 46.5, 7.25,
      to_char(timestamp '2026-01-01 12:00:00' + n * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS')
    FROM generate_series(1, $1) AS n RETURNING id`,
    [count],
  )
  return rows.map(({ id }) => id)
}

/** Flights of three photos, one flight a day from 2026-01-01 on. */
async function addFlights(count: number, more: Partial<Row> = {}): Promise<number[]> {
  const days = Array.from({ length: count }, (_, day) =>
    new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10),
  )
  const ids = await add(
    ...days.flatMap((day) => [0, 1, 2].map((minute) => photo(`${day}T10:0${minute}:00+02:00`, more))),
  )
  await group()
  return ids
}

async function list(path: string, who = me) {
  const response = await media.call(path, who)
  return {
    status: response.status,
    flights: (await response.json()) as FlightResponse[],
    total: response.headers.get('x-total-count'),
    isPending: response.headers.get('x-flights-pending') === 'true',
    next: response.headers.get('link')?.match(/^<([^>]+)>; rel="next"$/)?.[1],
  }
}

const exported = async (query: string, who = me) => {
  const response = await media.call(`/api/photos/track?${query}`, who)
  return { response, text: await response.text() }
}

test('lists flights in pages, newest first', async () => {
  const ids = await addFlights(7)
  await addFlights(1, { userId: 2 })
  const first = await list('/api/flights?limit=3')
  expect(first).toMatchObject({ total: '7', isPending: false })
  const second = await list(first.next ?? '')
  const third = await list(second.next ?? '')
  expect(third.next).toBeUndefined()
  const flights = [first, second, third].flatMap((page) => page.flights)
  expect(flights.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6].map((flight) => ids[flight * 3]).reverse())
  expect(flights.at(-1)).toEqual({
    id: ids[0],
    ...{ startedAt: '2026-01-01T10:00:00', endedAt: '2026-01-01T10:02:00', durationSeconds: 120 },
    ...{ distanceMetres: 0, greatestHeight: null, photoCount: 3, place: { city: null, state: null } },
    bounds: { west: 7.25, south: 46.5, east: 7.25, north: 46.5 },
    covers: expect.arrayContaining([expect.stringMatching(/^\/api\/uploads\/t\d+\.webp$/)]),
  })
  const invalid = ['nonsense', '2026-99-01T00:00:00 1', '2026-02-30T00:00:00 1', '0000-01-01T00:00:00 1']
  for (const cursor of invalid.map((text) => Buffer.from(text).toString('base64url'))) {
    expect((await media.call(`/api/flights?cursor=${cursor}`, me)).status).toBe(400)
  }
})

test('says that photos are still to be grouped', async () => {
  await addFlights(1)
  expect((await list('/api/flights')).isPending).toBe(false)
  await add(photo('2026-02-01T10:00:00'))
  expect(await list('/api/flights')).toMatchObject({ isPending: true, total: '1' })
  await group()
  expect(await list('/api/flights')).toMatchObject({ isPending: false, total: '2' })
})

test('returns a flight with its track, also by a former id, and to nobody else', async () => {
  const drone = { RelativeAltitude: -3.5, FlightYawDegree: 90, GimbalPitchDegree: -45 }
  const [later = 0] = await add(
    photo('2026-01-01T10:20:00', { metadata: { heading: 0, turned: true, drone }, altitude: 530 }),
  )
  const [earlier = 0] = await add(photo('2026-01-01T10:00:00'))
  await group()
  expect((await list('/api/flights')).flights.map(({ id }) => id)).toEqual([later, earlier])
  await add(photo('2026-01-01T10:10:00'))
  await group()

  for (const id of [later, earlier]) {
    const flight = await media.json<FlightResponse & { track: TrackPoint[] }>(`/api/flights/${id}`, me)
    expect(flight).toMatchObject({ id: later, photoCount: 3 })
    expect(flight.track.map(({ at }) => at)).toEqual([
      ...['2026-01-01T10:00:00', '2026-01-01T10:10:00', '2026-01-01T10:20:00'],
    ])
    expect(flight.track.at(-1)).toMatchObject({
      ...{ photoId: later, latitude: 46.5, longitude: 7.25, altitude: 530, relativeAltitude: -3.5 },
      ...{ yaw: 0, pitch: -45, roll: null, turned: true },
    })
    expect(flight.track[0]?.turned).toBe(false)
    for (const who of [user(2), admin]) expect((await media.call(`/api/flights/${id}`, who)).status).toBe(404)
    expect((await media.call(`/api/flights/${id}`, visitor)).status).toBe(401)
  }
  expect((await media.call('/api/flights/2147483647', me)).status).toBe(404)
})

test('a long track is thinned and keeps its ends', async () => {
  const ids = await addMany(10_002)
  await group()
  const { track, photoCount } = await media.json<FlightResponse & { track: TrackPoint[] }>(`/api/flights/${ids[0]}`, me)
  expect([photoCount, track[0]?.photoId, track.at(-1)?.photoId]).toEqual([10_002, ids[0], ids.at(-1)])
  expect(track.length).toBeLessThanOrEqual(5001)
  expect(track.length).toBeGreaterThan(3000)
})

test('the flight is a filter of lists, months, counts, bulk changes and downloads', async () => {
  folders.set(10, 1, false)
  await folders.announce(10)
  const ids = await addFlights(3)
  const others = await addFlights(1, { userId: 2 })
  const flight = ids.slice(3, 6)
  const filter = { flight: String(flight[0]) }
  const listed = (query: string, who = me) => media.json<{ id: number }[]>(`/api/photos?${query}`, who)
  const idsOf = async (query: string, who = me) => (await listed(query, who)).map(({ id }) => id)
  for (const sort of ['oldest', 'taken-oldest']) expect(await idsOf(`flight=${flight[0]}&sort=${sort}`)).toEqual(flight)
  // By any photo of the flight.
  expect(await idsOf(`flight=${flight[2]}&sort=oldest&limit=2`)).toEqual(flight.slice(0, 2))
  expect(await idsOf(`flight=${flight[0]}&q=photo`)).toHaveLength(3)
  expect(await idsOf(`flight=${flight[0]}&folder=none&q=Photo&limit=10`)).toHaveLength(3)
  expect(await idsOf(`flight=${flight[0]}&folder=10`)).toEqual([])
  expect(await idsOf(`flight=${flight[0]}`, user(2))).toEqual([])
  expect(await idsOf(`flight=${others[0]}`)).toEqual([])

  const page = await media.call(`/api/photos?flight=${flight[0]}&limit=2`, me)
  expect(page.headers.get('x-total-count')).toBe('3')
  const next = page.headers.get('link')?.match(/^<([^>]+)>/)?.[1] ?? ''
  expect(await idsOf(next.split('?')[1] ?? '')).toHaveLength(1)
  expect(await media.json(`/api/photos/months?flight=${flight[0]}&sort=taken-newest`, me)).toEqual({
    months: [{ month: '2026-01', count: 3 }],
  })
  expect(await media.json('/api/photos/count', me, 'POST', { filter })).toMatchObject({ count: 3 })
  const moved = await media.json('/api/photos/bulk', me, 'POST', { filter, action: 'move', folderId: 10 })
  expect(moved).toMatchObject({ done: expect.arrayContaining(flight), failed: [] })
  expect(await idsOf('folder=10')).toHaveLength(3)
})

/** The elements of an XML document as `name` or `name: text`, with their attributes; throws where it is not well-formed. */
function readXml(text: string): { name: string; attributes: string; text: string; path: string }[] {
  const found: { name: string; attributes: string; text: string; path: string }[] = []
  const open: typeof found = []
  const body = text.replace(/^<\?xml[^>]*\?>\n/, '')
  expect(body).not.toMatch(/&(?!(amp|lt|gt|quot|apos);)/)
  for (const [, closing, name = '', attributes = '', content = ''] of body.matchAll(/<(\/?)([\w]+)([^>]*)>([^<]*)/g)) {
    if (closing) expect(open.pop()?.name).toBe(name)
    else {
      const element = {
        name,
        attributes: attributes.trim(),
        text: content,
        path: open.map((one) => one.name).join('/'),
      }
      found.push(element)
      open.push(element)
    }
  }
  expect(open).toEqual([])
  return found
}

const HOSTILE = `<b>&"']]>\u0000\u0007\u{1F681}\uD800`
const READABLE = '&lt;b&gt;&amp;&quot;&apos;]]&gt;\u{1F681}\uFFFD'

async function addForExport(): Promise<number[]> {
  const ids = await add(
    photo('2026-01-01T10:00:00+02:00', { title: 'Hostile', altitude: 0, city: 'Oulu', state: 'Finland' }),
    photo('2026-01-01T10:01:00', { latitude: 46.51, altitude: 12.5 }),
    photo('2026-01-02T10:00:00', { title: 'Alone' }),
    photo(null, { title: 'Without a date' }),
    photo('2026-01-02T10:00:00', { title: 'Without a position', latitude: null, longitude: null }),
    photo('2026-01-01T10:00:00', { title: 'Of somebody else', userId: 2 }),
  )
  await group()
  return ids
}

test('exports GPX 1.1: waypoints, then tracks of flights', async () => {
  const [first = 0] = await addForExport()
  // PostgreSQL has no zero bytes and no lone surrogates.
  const title = HOSTILE.replace('\0', '').replace('\uD800', '')
  await media.db.photo.update({ where: { id: first }, data: { title } })
  const { response, text } = await exported('format=gpx&name=Week%2047')
  expect(response.headers.get('content-type')).toContain('application/gpx+xml')
  expect(response.headers.get('content-disposition')).toContain('attachment; filename="Week 47.gpx"')
  const elements = readXml(text)
  expect(elements[0]).toMatchObject({ name: 'gpx', attributes: expect.stringContaining('version="1.1"') })
  const children = elements.filter(({ path }) => path === 'gpx').map(({ name }) => name)
  expect(children).toEqual(['metadata', 'wpt', 'wpt', 'wpt', 'wpt', 'trk'])
  const within = (path: string) =>
    elements.filter((one) => one.path === path).map(({ name, text }) => `${name}: ${text}`)
  expect(within('gpx/wpt').slice(0, 4)).toEqual([
    'ele: 0',
    'time: 2026-01-01T08:00:00.000Z',
    `name: ${READABLE.replace('\uFFFD', '')}`,
    'desc: Taken 2026-01-01T10:00:00+02:00 by the camera&apos;s clock',
  ])
  const points = elements.filter(({ path }) => path === 'gpx/trk/trkseg').map(({ attributes }) => attributes)
  expect(points).toEqual(['lat="46.5" lon="7.25"', 'lat="46.51" lon="7.25"'])
  expect(text).not.toContain(SERIAL)
})

test('numbers of GPX have no exponents', async () => {
  await add(photo('2026-01-01T10:00:00', { latitude: 0.0000001, longitude: -0.0000003, altitude: 0.0000002 }))
  const { text } = await exported('format=gpx')
  expect(text).toContain('<wpt lat="0.0000001" lon="-0.0000003"><ele>0.0000002</ele>')
})

test('exports KML 2.2: points, then lines of flights', async () => {
  await addForExport()
  const { response, text } = await exported('format=kml')
  expect(response.headers.get('content-type')).toContain('application/vnd.google-earth.kml+xml')
  const elements = readXml(text)
  expect(elements[0]?.attributes).toBe('xmlns="http://www.opengis.net/kml/2.2"')
  const points = elements.filter(({ path }) => path.endsWith('/Point')).map(({ name, text }) => `${name}: ${text}`)
  expect(points).toEqual([
    ...['altitudeMode: absolute', 'coordinates: 7.25,46.5,0', 'altitudeMode: absolute', 'coordinates: 7.25,46.51,12.5'],
    ...['coordinates: 7.25,46.5', 'coordinates: 7.25,46.5'],
  ])
  const lines = elements.filter(({ name, path }) => name === 'coordinates' && path.endsWith('/LineString'))
  expect(lines.map(({ text }) => text.trim().split('\n'))).toEqual([['7.25,46.5,0', '7.25,46.51,12.5']])
})

test('exports GeoJSON by RFC 7946, cut at the date line', async () => {
  await addForExport()
  await add(
    photo('2026-03-01T10:00:00', { latitude: -17, longitude: 179.99, title: 'West of it' }),
    photo('2026-03-01T10:01:00', { latitude: -17.02, longitude: -179.99 }),
    photo('2026-03-01T10:02:00', { latitude: -17.02, longitude: 180 }),
  )
  await group()
  const { response, text } = await exported('format=geojson')
  expect(response.headers.get('content-type')).toContain('application/geo+json')
  const { type, features } = JSON.parse(text)
  expect(type).toBe('FeatureCollection')
  const [first] = features
  expect(first).toMatchObject({
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [7.25, 46.5, 0] },
    properties: { title: 'Hostile', city: 'Oulu', dateTaken: '2026-01-01T10:00:00+02:00', flight: first.properties.id },
  })
  const lines = features.slice(7).map(({ geometry }: { geometry: object }) => geometry)
  expect(lines).toEqual([
    {
      type: 'MultiLineString',
      coordinates: [
        [
          [7.25, 46.5],
          [7.25, 46.51],
        ],
      ],
    },
    {
      type: 'MultiLineString',
      coordinates: [
        [
          [179.99, -17],
          [180, expect.closeTo(-17.01)],
        ],
        [
          [-180, expect.closeTo(-17.01)],
          [-179.99, -17.02],
          [-180, -17.02],
        ],
        [
          [180, -17.02],
          [180, -17.02],
        ],
      ],
    },
  ])
})

test('exports a flight, a folder, a search, and nothing; only of the own photos', async () => {
  folders.set(20, 1, false)
  await folders.announce(20)
  const ids = await addFlights(2, { folderId: 20 })
  await addFlights(1, { aircraft: 'another' })
  const points = async (query: string, who = me) =>
    JSON.parse((await exported(`format=geojson&${query}`, who)).text).features.filter(
      (feature: { geometry: { type: string } }) => feature.geometry.type === 'Point',
    ).length
  expect(await points(`flight=${ids[0]}`)).toBe(3)
  expect(await points('folder=20')).toBe(6)
  expect(await points('q=nothing')).toBe(0)
  expect(await points('', user(2))).toBe(0)
  expect(await points('', admin)).toBe(0)
  expect((await exported('format=geojson', visitor)).response.status).toBe(401)
  expect((await exported('format=shp')).response.status).toBe(400)
  expect((await exported('format=gpx&q=nothing')).text).toMatch(/^<\?xml[\s\S]*<\/gpx>\n$/)
})

test('an export reads photos as fast as its client, and stops when the client goes', async () => {
  await addMany(6000)
  await group()
  const { text } = await exported('format=gpx')
  expect(text.match(/<wpt /g)).toHaveLength(6000)
  expect(text.match(/<trkpt /g)).toHaveLength(6000)
  expect(text.match(/<trk>/g)).toHaveLength(1)

  for (let round = 0; round < 4; round += 1) {
    const client = new AbortController()
    const response = await fetch(`${media.origin}/api/photos/track?format=gpx`, {
      headers: identityHeaders(me),
      signal: client.signal,
    })
    await response.body?.getReader().read()
    client.abort()
  }
  // More than one user may read at once: those that were abandoned have ended.
  expect((await exported('format=gpx&q=nothing')).response.status).toBe(200)
})

test('the aircraft is in no response', async () => {
  const ids = await addFlights(1)
  for (const path of ['/api/photos', '/api/flights', `/api/flights/${ids[0]}`, '/api/photos/track?format=geojson']) {
    expect(await (await media.call(path, me)).text()).not.toContain(SERIAL)
  }
})
