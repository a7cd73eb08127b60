import { createLogger } from '@skyfolio/kit'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { groupChangedPhotos, regroupChanges } from '../src/flights/group-flights.ts'
import type { Prisma } from '../src/generated/client.ts'
import { startTestMedia, type TestMedia } from './support.ts'

/* How photos are grouped into flights. What the routes make of them is in flight-routes.test.ts. */

const silent = createLogger('test', 'silent')

let media: TestMedia
beforeAll(async () => {
  media = await startTestMedia()
})
beforeEach(async () => {
  await media.db.photo.deleteMany()
  await groupAll()
})
afterAll(() => media.close())

const groupAll = () => groupChangedPhotos(media.pool, silent)

interface Sample {
  userId: number
  aircraft: string | null
  /** Of the day 2026-06-01. */
  minute: number
  /** Degrees to the north; one is about 111 km. */
  latitude: number | null
}

let made = 0
function toRow({ userId, aircraft, minute, latitude }: Sample): Prisma.PhotoCreateManyInput {
  made += 1
  const [hours, minutes] = [Math.floor(minute / 60), minute % 60].map((value) => String(value).padStart(2, '0'))
  return {
    ...{ userId, aircraft, title: 'x', originalName: 'x.jpg', filesize: 1, filename: `${made}.jpg`, sha256: `${made}` },
    ...{ latitude, longitude: latitude === null ? null : 10, dateTaken: `2026-06-01T${hours}:${minutes}:00` },
    status: 'ready',
  }
}

const add = async (...samples: Sample[]): Promise<number[]> =>
  (await media.db.photo.createManyAndReturn({ data: samples.map(toRow) })).map(({ id }) => id)
const at = (minute: number, latitude = 46, aircraft: string | null = 'a'): Sample => ({
  ...{ userId: 1, aircraft, minute, latitude },
})

test('a photo of which only the last change is known is in no flight', async () => {
  const changed = { ...toRow(at(5)), metadata: { ModifyDate: '2026-06-01T00:05:00' } }
  await media.db.photo.createMany({ data: [toRow(at(0)), changed, toRow(at(10))] })
  await groupAll()
  expect(Object.keys(await stored())).toHaveLength(2)
})

/** The flight of each photo, as it is stored. */
async function stored(): Promise<Record<number, number>> {
  const { rows } = await media.pool.query('SELECT photo_id, flight_id FROM flight_photos ORDER BY photo_id')
  return Object.fromEntries(rows.map(({ photo_id, flight_id }) => [photo_id, flight_id]))
}

/** The flight of each photo by the rule, determined from nothing but the photos. */
async function expected(): Promise<Record<number, number>> {
  const photos = await media.db.photo.findMany({
    where: { purpose: 'gallery', latitude: { not: null }, dateTaken: { not: null } },
  })
  const known = photos.map((photo) => ({
    id: photo.id,
    group: `${photo.userId} ${photo.aircraft}`,
    time: Date.parse(`${photo.dateTaken}Z`) / 1000,
    latitude: Number(photo.latitude),
  }))
  known.sort((a, b) => a.group.localeCompare(b.group) || a.time - b.time || a.id - b.id)
  const flights: (typeof known)[] = []
  for (const photo of known) {
    const last = flights.at(-1)?.at(-1)
    // All on one meridian.
    const metres = last ? (Math.abs(photo.latitude - last.latitude) * Math.PI * 6371008.8) / 180 : 0
    const continues = last?.group === photo.group && photo.time - last.time <= 900 && metres <= 5000
    if (continues) flights.at(-1)?.push(photo)
    else flights.push([photo])
  }
  return Object.fromEntries(
    flights.flatMap((flight) => flight.map(({ id }) => [id, Math.min(...flight.map((photo) => photo.id))])),
  )
}

const sample = fc.record<Sample>({
  userId: fc.constantFrom(1, 2),
  aircraft: fc.constantFrom('a', 'b', null),
  minute: fc.integer({ min: 0, max: 120 }),
  latitude: fc.constantFrom(46, 46.01, 46.04, 46.09, null),
})
type Step =
  | { do: 'add'; samples: Sample[] }
  | { do: 'correct'; which: number; to: Omit<Sample, 'userId'> }
  | { do: 'undate'; which: number }
  | { do: 'delete'; which: number }
  | { do: 'group' }
const which = fc.nat({ max: 1000 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('add' as const), samples: fc.array(sample, { minLength: 1, maxLength: 6 }) }),
  fc.record({ do: fc.constant('correct' as const), which, to: sample }),
  fc.record({ do: fc.constant('undate' as const), which }),
  fc.record({ do: fc.constant('delete' as const), which }),
  fc.record({ do: fc.constant('group' as const) }),
)

async function perform(action: Step): Promise<void> {
  if (action.do === 'group') return groupAll()
  if (action.do === 'add') return void (await add(...action.samples))
  const ids = (await media.db.photo.findMany({ select: { id: true }, orderBy: { id: 'asc' } })).map(({ id }) => id)
  const id = ids[action.which % Math.max(1, ids.length)]
  if (id === undefined) return
  if (action.do === 'delete') return void (await media.db.photo.delete({ where: { id } }))
  if (action.do === 'undate') return void (await media.db.photo.update({ where: { id }, data: { dateTaken: null } }))
  const { aircraft, latitude, longitude, dateTaken } = toRow({ userId: 1, ...action.to })
  await media.db.photo.update({ where: { id }, data: { aircraft, latitude, longitude, dateTaken } })
}

test('any order of uploads, corrections and deletions gives the flights that all photos at once give', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      await media.db.photo.deleteMany()
      for (const action of steps) await perform(action)
      await groupAll()
      const flights = await stored()
      expect(flights).toEqual(await expected())
      const rows = await media.db.flight.findMany({ select: { id: true, photos: true }, orderBy: { id: 'asc' } })
      const counts = Map.groupBy(Object.values(flights), (id) => id)
      expect(rows).toEqual(
        [...counts].map(([id, photos]) => ({ id, photos: photos.length })).sort((a, b) => a.id - b.id),
      )
    }),
    { numRuns: 40 },
  )
})

test('a change looks at the flights beside it and at no others', async () => {
  // 50 flights of 20 photos each, an hour apart: a photo a minute.
  const samples = Array.from({ length: 1000 }, (_, index) => at(0, 46 + (index % 20) * 0.001, 'a'))
  const rows = samples.map(toRow).map((row, index) => ({
    ...row,
    dateTaken: new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 20) * 3_600_000 + (index % 20) * 60_000)
      .toISOString()
      .slice(0, 19),
  }))
  const ids = (await media.db.photo.createManyAndReturn({ data: rows })).map(({ id }) => id)
  await groupAll()
  expect(await media.db.flight.count()).toBe(50)

  // In the middle of the 11th flight.
  await media.db.photo.delete({ where: { id: ids[210] } })
  expect(await regroupChanges(media.pool, 1)).toEqual({ examined: 19, moved: 0, flights: 1 })
  // The first of the 21st, whose id the flight had: its neighbour is the 20th.
  await media.db.photo.delete({ where: { id: ids[400] } })
  expect(await regroupChanges(media.pool, 1)).toEqual({ examined: 39, moved: 19, flights: 2 })
  // Far away from the other photos of the 31st.
  await media.db.photo.update({ where: { id: ids[610] }, data: { latitude: 47 } })
  expect(await regroupChanges(media.pool, 1)).toEqual({ examined: 20, moved: 10, flights: 3 })
  // What flights do not depend on.
  await media.db.photo.update({ where: { id: ids[700] }, data: { title: 'y', revision: 2 } })
  expect(await media.db.flightChange.count()).toBe(0)
})

test('a gap and a distance end a flight only when they are longer than the rule says', async () => {
  const [first, second, third, fourth] = await add(at(0), at(15), at(31), at(32, 46.1))
  await groupAll()
  expect(await stored()).toEqual({
    [first ?? 0]: first,
    [second ?? 0]: first,
    [third ?? 0]: third,
    [fourth ?? 0]: fourth,
  })
})

test('photos without a date or a position, and those of the metadata screen, are in no flight', async () => {
  const rows = [at(0), at(1), at(2), at(3)].map(toRow)
  await media.db.photo.createMany({
    data: [
      { ...rows[0], latitude: null, longitude: null },
      { ...rows[1], dateTaken: null },
      { ...rows[2], purpose: 'metadata' },
      { ...rows[3], dateTaken: '2026-02-30T00:00:00' },
    ] as Prisma.PhotoCreateManyInput[],
  })
  await groupAll()
  expect(await stored()).toEqual({})
})

test('make and model stand for the aircraft without a serial number', async () => {
  const camera = (Model: string) => ({ metadata: { Make: 'DJI', Model } })
  await media.db.photo.createMany({
    data: [
      { ...toRow(at(0, 46, null)), ...camera('FC3582') },
      { ...toRow(at(1, 46, null)), ...camera('L2D-20c') },
      { ...toRow(at(2, 46, null)), ...camera('FC3582') },
      { ...toRow(at(3, 46, 'serial')), ...camera('FC3582') },
    ],
  })
  await groupAll()
  expect((await media.db.flight.findMany({ orderBy: { id: 'asc' } })).map(({ photos }) => photos)).toEqual([2, 1, 1])
})

test('sums up a flight: times, distance, greatest height, place, bounds, covers', async () => {
  const heights = [10, -4.5, 120.25, null, 30]
  const rows = heights.map((RelativeAltitude, index) => ({
    ...toRow(at(index, 46 + index / 100)),
    ...(RelativeAltitude !== null && { metadata: { drone: { RelativeAltitude } } }),
    ...(index > 1 ? { city: 'Oulu', state: 'Finland' } : { city: index === 0 ? 'Kemi' : null }),
  }))
  const ids = (await media.db.photo.createManyAndReturn({ data: rows })).map(({ id }) => id)
  await groupAll()
  const [flight] = await media.db.flight.findMany()
  expect(flight).toMatchObject({
    ...{ id: ids[0], photos: 5, greatestHeight: 120.25, city: 'Oulu', state: 'Finland' },
    ...{ south: 46, north: 46.04, west: 10, east: 10, covers: [ids[0], ids[2], ids[3], ids[4]] },
  })
  expect(flight?.distance).toBeCloseTo(4 * 1111.95, 0)

  await media.db.photo.update({ where: { id: ids[2] }, data: { metadata: {} } })
  await groupAll()
  expect((await media.db.flight.findFirstOrThrow()).greatestHeight).toBe(30)
})

test('sums up a flight over the date line, and one at a pole', async () => {
  const row = (minute: number, latitude: number, longitude: number, aircraft: string) => ({
    ...toRow(at(minute, latitude, aircraft)),
    longitude,
  })
  await media.db.photo.createMany({
    data: [
      row(0, -17, 179.99, 'fiji'),
      row(1, -17, -179.99, 'fiji'),
      row(0, 89.999, 0, 'pole'),
      row(1, 89.999, 180, 'pole'),
      row(2, 89.999, -90, 'pole'),
      // Whose widths east of Greenwich and from it differ by a rounding.
      row(0, 46.8422816, -91.9945599, 'duluth'),
      row(1, 46.8428651, -91.9934553, 'duluth'),
    ],
  })
  await groupAll()
  const [fiji, pole, duluth] = await media.db.flight.findMany({ orderBy: { id: 'asc' } })
  expect(fiji).toMatchObject({ photos: 2, west: 179.99, east: 180.01 })
  expect(fiji?.distance).toBeCloseTo(2126.7, 0)
  expect(pole).toMatchObject({ photos: 3 })
  expect(duluth).toMatchObject({ photos: 2, west: -91.9945599, east: -91.9934553 })
})

test('two processes group a user one after the other', async () => {
  for (let round = 0; round < 5; round += 1) {
    await add(...Array.from({ length: 20 }, (_, index) => at(round * 20 + index)))
    await Promise.all([groupAll(), groupAll(), groupAll()])
  }
  await groupAll()
  expect(await stored()).toEqual(await expected())
})

test('no function of the database with an exception handler is run by a parallel query, which would fail', async () => {
  const { rows } = await media.pool.query(
    `SELECT proname FROM pg_proc WHERE pronamespace = current_schema::regnamespace AND proparallel <> 'u' AND prosrc ~ 'EXCEPTION WHEN'`,
  )
  expect(rows).toEqual([])
})
