import { openPool, unavailable } from '@skyfolio/kit'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seededRandom } from '../scripts/gallery-rows.ts'
import type { Database } from '../src/database.ts'
import { changeMany } from '../src/gallery/bulk-change.ts'
import { readFilter } from '../src/gallery/filter.ts'
import { countListed, findByCounts, findIndex, findPositions } from '../src/gallery/list-positions.ts'
import { isByTaken, MAX_COUNT, SORTS, type Sort } from '../src/gallery/list-query.ts'
import { worldX, worldY } from '../src/gallery/web-mercator.ts'
import type { Prisma } from '../src/generated/client.ts'
import { readExtent } from '../src/photo-map/map-extent.ts'
import { readTile } from '../src/photo-map/map-tile.ts'
import { deletePhotos } from '../src/photos/delete-photos.ts'
import type { PhotoResponse } from '../src/photos/photo-response.ts'
import { admin, startTestMedia, type TestMedia, user, visitor } from './support.ts'

let media: TestMedia
let folders: ReturnType<TestMedia['folders']>
beforeAll(async () => {
  media = await startTestMedia()
  folders = media.folders()
})
afterAll(() => media.close())

let made = 0
function row(userId: number, more: Partial<Prisma.PhotoCreateManyInput> = {}): Prisma.PhotoCreateManyInput {
  made += 1
  const name = `upkeep-${made}`
  return { userId, title: 'x', filename: `${name}.jpg`, originalName: 'x.jpg', filesize: 1, sha256: name, ...more }
}

async function add(userId: number, count: number, more: Partial<Prisma.PhotoCreateManyInput> = {}): Promise<number[]> {
  const data = Array.from({ length: count }, () => row(userId, more))
  return (await media.db.photo.createManyAndReturn({ data })).map(({ id }) => id)
}

/** The stored counts and sums, and what they should be. */
async function counts() {
  const kept = {
    places: await media.db.$queryRaw`SELECT user_id, city, state, count FROM photo_places ORDER BY 1, 2, 3`,
    cameras: await media.db.$queryRaw`SELECT user_id, camera, count FROM photo_cameras ORDER BY 1, 2`,
    sums: await media.db.$queryRaw`
      SELECT user_id, purpose, folder_id, year, photos, bytes FROM photo_sums ORDER BY 1, 2, 3, 4`,
    usage: await media.db.$queryRaw`
      SELECT user_id, photos, locations, bytes FROM user_usage WHERE (photos, locations, bytes) <> (0, 0, 0) ORDER BY 1`,
    hours: await media.db.$queryRaw`SELECT user_id, hour, photos FROM photo_hours ORDER BY 1, 2`,
    taken: await media.db.$queryRaw`SELECT user_id, day, photos FROM photo_taken_days ORDER BY 1, 2`,
    cells: await media.db.$queryRaw`
      SELECT user_id, scope, level, cell, photos, sum_x, sum_y FROM photo_cells ORDER BY 1, 2, 3, 4`,
  }
  const real = {
    places: await media.db.$queryRaw`
      SELECT user_id, coalesce(city, '') AS city, coalesce(state, '') AS state, count(*)::int AS count FROM photos
      WHERE purpose = 'gallery' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    cameras: await media.db.$queryRaw`
      SELECT user_id, metadata ->> 'Model' AS camera, count(*)::int AS count FROM photos
      WHERE purpose = 'gallery' AND metadata ->> 'Model' IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2`,
    sums: await media.db.$queryRaw`
      SELECT user_id, purpose, coalesce(folder_id, 0) AS folder_id,
        coalesce(left(date_taken, 4)::int, extract(year FROM created_at)::int) AS year, count(*)::int AS photos,
        sum(filesize) AS bytes
      FROM photos GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
    usage: await media.db.$queryRaw`
      SELECT user_id, count(*) FILTER (WHERE purpose = 'gallery')::int AS photos,
        count(DISTINCT (coalesce(city, ''), coalesce(state, '')))
          FILTER (WHERE purpose = 'gallery' AND location IS NOT NULL)::int AS locations, sum(filesize) AS bytes
      FROM photos GROUP BY 1 ORDER BY 1`,
    hours: await media.db.$queryRaw`
      SELECT user_id, date_trunc('hour', created_at, 'UTC') AS hour, count(*)::int AS photos
      FROM photos WHERE purpose = 'gallery' GROUP BY 1, 2 ORDER BY 1, 2`,
    taken: await media.db.$queryRaw`
      SELECT user_id, coalesce(left(date_taken, 10), '') COLLATE "C" AS day, count(*)::int AS photos
      FROM photos WHERE purpose = 'gallery' GROUP BY 1, 2 ORDER BY 1, 2`,
    cells: await media.db.$queryRaw`
      SELECT user_id, scope, level, map_key(latitude, longitude) >> (52 - 2 * level) AS cell, count(*)::int AS photos,
        sum(map_x(longitude))::bigint AS sum_x, sum(map_y(latitude))::bigint AS sum_y
      FROM photos CROSS JOIN LATERAL (VALUES (0), (coalesce(folder_id, -1))) AS scopes (scope)
        CROSS JOIN (VALUES (6), (11), (16), (21)) AS levels (level)
      WHERE purpose = 'gallery' AND latitude IS NOT NULL
      GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
  }
  return { kept, real }
}

/** A jump by the counts of hours, and the same by counting photos, at one moment. */
function jump(userId: number, sort: Sort, skip: number) {
  return media.db.$transaction(
    async (tx) => {
      const byHours = await findByCounts(tx, userId, { sort, skip, take: 9 })
      const order = sort === 'newest' ? 'desc' : 'asc'
      const counted = await tx.photo.findMany({
        where: { userId, purpose: 'gallery' },
        orderBy: [{ createdAt: order }, { id: order }],
        skip,
        take: 9,
        select: { id: true, createdAt: true },
      })
      return { byHours, counted }
    },
    { isolationLevel: 'RepeatableRead' },
  )
}

type Bulk = { done: number[]; failed: { id: number; message: string }[] }
const bulk = (body: object, who = user(1)) => media.json<Bulk>('/api/photos/bulk', who, 'POST', body)

test('keeps counts and sums exact while photos are added, moved, changed and deleted concurrently', async () => {
  folders.set(50, 1, false)
  await folders.announce(50)
  const random = seededRandom(9)
  const cities = ['Austin', 'Boston', '', null, 'Chicago']
  const place = () => ({ city: cities[Math.floor(random() * 5)] ?? null, state: random() < 0.5 ? 'S' : null })
  const metadata = () =>
    [{ Model: 'FC3582' }, { Model: 'L2D-20c', ISO: 100 }, { Make: 'DJI' }][Math.floor(random() * 3)]
  // In few hours, one of them before 1970, and with the same time for several photos.
  const createdAt = () => new Date((Math.floor(random() * 6) - 1) * 3_600_000 + Math.floor(random() * 3) * 1_799_999)
  const ids = (await Promise.all([1, 2, 3].map((userId) => add(userId, 60, place())))).flat()
  const some = (count: number) => Array.from({ length: count }, () => ids[Math.floor(random() * ids.length)] ?? 0)

  // In few cells, and at the edges of the map.
  const position = () => {
    if (random() < 0.2) return { latitude: null, longitude: null }
    const latitude = random() < 0.2 ? [90, -90, 0][Math.floor(random() * 3)] : 48 + Math.floor(random() * 3) / 1e4
    return { latitude, longitude: random() < 0.2 ? (random() < 0.5 ? 180 : -180) : 11 + Math.floor(random() * 3) / 10 }
  }
  const takenIn = () => (random() < 0.3 ? null : `${2015 + Math.floor(random() * 3)}-06-01T12:00:00`)

  const work: (() => Promise<unknown>)[] = Array.from({ length: 12 }, () => [
    () => add(1 + Math.floor(random() * 3), 7, { ...place(), metadata: metadata(), createdAt: createdAt() }),
    () => media.db.photo.updateMany({ where: { id: { in: some(9) }, userId: 2 }, data: { createdAt: createdAt() } }),
    () => add(1 + Math.floor(random() * 3), 4, position()),
    () => media.db.photo.updateMany({ where: { id: { in: some(5) }, userId: 1 }, data: position() }),
    () => bulk({ ids: some(9), action: 'position', moveBy: { latitude: 0.0001, longitude: -0.1 } }),
    async () => {
      const { byHours, counted } = await jump(
        1 + Math.floor(random() * 3),
        random() < 0.5 ? 'newest' : 'oldest',
        Math.floor(random() * 120),
      )
      expect(byHours).toEqual(counted)
    },
    // Like the worker: one photo at a time, each in its own transaction.
    async () => {
      for (const id of some(6))
        await media.db.photo.updateMany({
          where: { id },
          data: { ...place(), metadata: metadata(), dateTaken: takenIn(), status: 'ready' },
        })
    },
    // Several statements of one transaction, its photos locked first.
    () =>
      media.db.$transaction(async (tx) => {
        const userId = 1 + Math.floor(random() * 3)
        const chosen = await tx.$queryRaw<{ id: number }[]>`
          SELECT id FROM photos WHERE id = ANY (${some(20)}) AND user_id = ${userId} ORDER BY id FOR UPDATE`
        for (const { id } of chosen) await tx.photo.updateMany({ where: { id }, data: place() })
      }),
    () => media.db.photo.updateMany({ where: { id: { in: some(1) } }, data: { userId: 2 } }),
    () => media.db.photo.updateMany({ where: { id: { in: some(1) } }, data: { filesize: Math.ceil(random() * 1e9) } }),
    () => media.db.photo.updateMany({ where: { id: { in: some(1) }, folderId: null }, data: { purpose: 'metadata' } }),
    () => media.db.photo.updateMany({ where: { id: { in: some(1) } }, data: { purpose: 'gallery' } }),
    () => media.db.photo.create({ data: row(3, { purpose: 'metadata', filesize: 12 }) }),
    () => deletePhotos(media.db, some(5), { userId: 1, isAdmin: true, confirmedAt: Date.now() }),
    () => bulk({ ids: some(9), action: 'move', folderId: 50 }),
    () => bulk({ ids: some(3), action: 'delete' }, user(2)),
  ]).flat()
  const waiting = work.values()
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const one of waiting) await one()
    }),
  )
  const { kept, real } = await counts()
  expect(kept).toEqual(real)

  await media.db.photo.deleteMany()
  expect((await counts()).kept).toEqual({
    places: [],
    cameras: [],
    sums: [],
    usage: [],
    hours: [],
    taken: [],
    cells: [],
  })
})

test('keeps photos of the metadata screen out of all lists and operations of the gallery', async () => {
  await media.db.photo.deleteMany()
  folders.set(51, 1, true)
  const shown = await media.upload(1)
  const hidden = await media.upload(1)
  await media.db.photo.update({
    where: { id: hidden.id },
    data: {
      purpose: 'metadata',
      ownIsPublic: true,
      title: shown.title,
      city: 'Nome',
      state: 'Alaska',
      metadata: { Model: 'L2D-20c' },
    },
  })
  const ids = [shown.id, hidden.id]
  const listed = async (path: string) => {
    const response = await media.call(path, user(1))
    return [((await response.json()) as PhotoResponse[]).map(({ id }) => id), response.headers.get('x-total-count')]
  }
  for (const query of [
    '',
    '?limit=5',
    `?q=${shown.title}`,
    `?ids=${ids}`,
    '?from=today&limit=5',
    '?limit=5&sort=oldest',
  ]) {
    expect(await listed(`/api/photos${query}`)).toEqual([[shown.id], '1'])
  }
  expect(await listed('/api/photos?q=alaska')).toEqual([[], '0'])
  expect(await listed('/api/photos?location=Nome,%20Alaska')).toEqual([[], '0'])
  expect(await media.json('/api/photos/places', user(1))).toEqual([])
  expect(await listed('/api/photos?camera=L2D-20c')).toEqual([[], '0'])
  expect(await media.json('/api/photos/cameras', user(1))).toEqual([])
  const { sha256 } = await media.photo(hidden.id)
  expect(await media.json('/api/photos/known', user(1), 'POST', { hashes: [sha256] })).toMatchObject({ known: {} })
  expect(await media.json('/api/photos/status', user(1), 'POST', { ids })).toHaveLength(1)

  const before = await media.photo(hidden.id)
  for (const action of [
    { action: 'move', folderId: 51 },
    { action: 'privacy', isPublic: true },
  ]) {
    expect((await bulk({ ids, ...action })).done).toEqual([shown.id])
    expect((await bulk({ filter: {}, ...action })).done).toEqual([shown.id])
  }
  const change = async (method: string, path: string, who = user(1), body = '{}') =>
    (
      await media.call(path, who, {
        method,
        ...(method !== 'DELETE' && { body, headers: { 'content-type': 'application/json' } }),
      })
    ).status
  expect(await change('PATCH', `/api/photos/${hidden.id}/folder`, user(1), '{"folderId":51}')).toBe(404)
  expect(await change('PATCH', `/api/photos/${hidden.id}/privacy`, user(1), '{"isPublic":true}')).toBe(404)
  for (const who of [user(1), admin]) expect(await change('DELETE', `/api/photos/${hidden.id}`, who)).toBe(404)
  expect(await media.photo(hidden.id)).toEqual(before)
  await expect(media.db.photo.update({ where: { id: hidden.id }, data: { folderId: 51 } })).rejects.toThrow()

  for (const path of [hidden.url, `/api/photos/${hidden.id}/image`]) {
    const statuses = await Promise.all(
      [user(1), admin, user(2), visitor].map(async (who) => (await media.call(path, who)).status),
    )
    expect(statuses).toEqual([200, 200, 404, 404])
  }
})

test('does not treat a file of the metadata screen as a duplicate of a gallery photo', async () => {
  const { sha256 } = await media.photo((await media.upload(4)).id)
  const data = [row(4, { sha256, purpose: 'metadata' }), row(4, { sha256, purpose: 'metadata' })]
  await media.db.photo.createMany({ data })
  await expect(media.db.photo.create({ data: row(4, { sha256 }) })).rejects.toThrow('Unique constraint')
})

test('selects photos for a bulk change by a filter, without the exceptions', async () => {
  folders.set(52, 5, true)
  const austin = await add(5, 240, { city: 'Austin', state: 'Texas', title: 'Bridge' })
  const waco = await add(5, 3, { city: 'Waco', state: 'Texas' })
  const foreign = await add(6, 2, { city: 'Austin', state: 'Texas', title: 'Bridge' })
  const [first = 0, second = 0, ...others] = austin
  const filter = { q: 'BRIDGE', location: 'Austin, Texas', from: 'today' }

  const request = { filter, except: [first, second, 4_000_000_0], action: 'move', folderId: 52 }
  const moved = await bulk(request, user(5))
  expect([moved.done.toSorted((a, b) => a - b), moved.failed]).toEqual([others, []])
  expect(await media.db.photo.count({ where: { folderId: 52 } })).toBe(others.length)
  expect((await bulk(request, user(5))).done).toHaveLength(others.length)
  expect(await media.db.photo.count({ where: { folderId: 52, revision: 2 } })).toBe(others.length)

  // An administrator's filter selects the administrator's own photos.
  expect(await bulk({ filter, action: 'delete' }, admin)).toEqual({ done: [], photos: 0, failed: [] })
  const deleted = await bulk({ filter: { q: 'texas' }, except: [...waco], action: 'delete' }, user(5))
  expect(deleted.done).toHaveLength(austin.length)
  expect(await media.db.photo.findMany({ where: { userId: 5 }, select: { id: true } })).toHaveLength(waco.length)
  expect(await media.db.photo.count({ where: { id: { in: foreign } } })).toBe(2)
  expect((await bulk({ filter: {}, action: 'privacy', isPublic: true }, user(5))).done).toHaveLength(waco.length)
})

test('names the photos that a bulk change had no time for, and changes them on the next request', async () => {
  const ids = await add(7, 120)
  const deps = { db: media.db, folders: null as never, relay: { wake() {} } } as unknown as Parameters<
    typeof changeMany
  >[0]
  const by = { userId: 7, isAdmin: false, confirmedAt: null }
  const none = await changeMany(deps, ids, by, { action: 'delete' }, 0)
  expect(none.done).toEqual([])
  expect(none.failed[119]).toEqual({ id: ids[119], message: 'There was not enough time. Please try again.' })
  expect((await changeMany(deps, ids, by, { action: 'delete' })).done).toEqual(ids)
})

test('reports what was done when an outage stops a bulk change', async () => {
  const ids = await add(77, 150)
  let asked = 0
  const refresh = async () => {
    asked += 1
    if (asked > 1) throw unavailable('Folders are away.')
  }
  const warnings: object[] = []
  const deps = {
    db: media.db,
    folders: { refresh },
    relay: { wake() {} },
    logger: { warn: (what: object) => warnings.push(what) },
  } as unknown as Parameters<typeof changeMany>[0]
  const response = await changeMany(
    deps,
    ids,
    { userId: 77, isAdmin: false, confirmedAt: null },
    { action: 'privacy', isPublic: true },
  )
  expect(response.done).toEqual(ids.slice(0, 100))
  expect(response.failed).toEqual(ids.slice(100).map((id) => ({ id, message: 'Folders are away.' })))
  expect(warnings).toHaveLength(1)
})

test('never deletes photos that were added after the confirmed count', async () => {
  await add(9, 3, { city: 'Tulsa' })
  const [spared = 0] = await add(9, 1, { city: 'Tulsa' })
  const elsewhere = await add(9, 1)
  const list = { filter: { q: 'tulsa' }, except: [spared] }
  const agreed = await media.json<{ count: number; lastId: number }>('/api/photos/count', user(9), 'POST', list)
  expect(agreed.count).toBe(3)
  const uploaded = await add(9, 2, { city: 'Tulsa' })
  const request = { ...list, agreed, action: 'delete' }

  // The place of an existing photo was set meanwhile.
  await media.db.photo.updateMany({ where: { id: { in: elsewhere } }, data: { city: 'Tulsa' } })
  expect(await bulk(request, user(9))).toMatchObject({ code: 'more_photos' })
  await media.db.photo.updateMany({ where: { id: { in: elsewhere } }, data: { city: null } })

  expect((await bulk(request, user(9))).done).toHaveLength(3)
  const left = await media.db.photo.findMany({ where: { userId: 9 }, orderBy: { id: 'asc' } })
  expect(left.map(({ id }) => id)).toEqual([spared, ...elsewhere, ...uploaded])
})

test.each([
  ['neither ids nor a filter', { action: 'delete' }, 400],
  ['ids and a filter', { ids: [1], filter: {}, action: 'delete' }, 400],
  ['a date that is none', { filter: { from: 'x' }, action: 'delete' }, 400],
  ['an agreement of no photo', { filter: {}, agreed: { count: 9, lastId: 'x' }, action: 'delete' }, 400],
  ['a filter that is none', { filter: { q: 5 }, action: 'delete' }, 400],
  ['too many exceptions', { filter: {}, except: Array.from({ length: 5001 }, () => 1), action: 'delete' }, 400],
  ['an unknown folder and no photo', { filter: { q: 'no such photo' }, action: 'move', folderId: 404 }, 404],
])('rejects a bulk change with %s', async (_what, body, status) => {
  const ids = await add(8, 2)
  const response = await media.call('/api/photos/bulk', user(8), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(status)
  expect(await media.db.photo.count({ where: { id: { in: ids }, revision: 1 } })).toBe(2)
})

/** Counts the rows of photos that the work reads, by whatever plan. */
async function touched(work: (db: Database) => Promise<unknown>): Promise<number> {
  return media.db.$transaction(async (tx) => {
    const read = async () => {
      const [row] = await tx.$queryRaw<[{ rows: bigint }]>`
        SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_xact_user_tables WHERE relname = 'photos'`
      return Number(row.rows)
    }
    const before = await read()
    await work(tx as unknown as Database)
    return (await read()) - before
  })
}

test('reads little more than it returns for each filter in a lopsided gallery', async () => {
  const LARGE = 20_000
  const pool = openPool(media.env.DATABASE_URL ?? '')
  await add(10, 50)
  // The user's recent photos are all at one place; other places and titles are far back, and frequent for another user.
  const chunks = Array.from({ length: 8 }, (_, index) => index * 2500)
  for (const [owner, start] of [10, 11].flatMap((owner) => chunks.map((start) => [owner, start]))) {
    await pool.query(
      `INSERT INTO photos (user_id, title, filename, original_name, filesize, sha256, city, state, created_at, date_taken,
         latitude, longitude, metadata, status)
       SELECT owner, CASE WHEN n % 5000 = 4999 THEN 'Needle' WHEN n > 15000 THEN 'Wedding' ELSE 'DJI_' || n END,
         owner || '-skewed-' || n, 'x', 1, owner || '-skewed-' || n,
         CASE WHEN (owner = 10) = (n < 15000) THEN 'Austin' ELSE 'Hilo' END, 'S', now() - make_interval(mins => n),
         CASE WHEN n % 10 > 0 THEN to_char(timestamp '2026-01-01' - make_interval(hours => n), 'YYYY-MM-DD"T"HH24:MI:SS') END,
         CASE WHEN n % 5000 = 4999 THEN 47.4 WHEN (owner = 10) = (n < 15000) THEN 30.3 ELSE 19.7 END + n % 97 * 0.0001,
         CASE WHEN n % 5000 = 4999 THEN 11 WHEN (owner = 10) = (n < 15000) THEN -97.7 ELSE -155 END + n % 89 * 0.0001,
         jsonb_build_object('Model', CASE WHEN (owner = 10) = (n < 19950) THEN 'Common' ELSE 'Rare' END), 'ready'
       FROM generate_series($1::int + 1, $1::int + 2500) AS n, (SELECT $2::int AS owner) AS owners`,
      [start, owner],
    )
  }
  const FEW = 4000
  /** Of 40,000: the most rows that may be read for a page and the total. */
  const asked: [Record<string, string>, number][] = [
    [{}, FEW],
    [{ q: 'needle' }, FEW],
    [{ q: 'nothing like it' }, FEW],
    [{ location: 'Hilo, S' }, FEW],
    [{ location: 'Austin, S' }, FEW],
    [{ location: 'Waco, S' }, FEW],
    [{ camera: 'Common' }, FEW],
    [{ camera: 'Rare' }, FEW],
    [{ camera: 'Rare', from: 'week' }, FEW],
    [{ camera: 'Common', q: 'needle' }, FEW],
    [{ area: '10,47,12,48', camera: 'Rare' }, FEW],
    [{ from: 'week' }, FEW],
    [{ takenFrom: '2025-01-01', takenTo: '2025-01-02' }, FEW],
    [{ area: '10,47,12,48' }, FEW],
    [{ near: '47.4,11,3000' }, FEW],
    [{ near: '47.4,11,3000', q: 'needle' }, FEW],
    [{ near: '47.4,11,3000', from: 'year' }, FEW],
    [{ area: '10,47,12,48', location: 'Hilo, S' }, FEW],
    [{ area: '-180,-85,180,85' }, FEW],
    [{ area: '0,-50,1,-49' }, FEW],
    [{ position: 'none' }, FEW],
    [{ position: 'none', from: 'year' }, FEW],
    // Of very many photos in an area those before the first one are read.
    [{ area: '-98,30,-97,31' }, FEW + 5000],
    [{ area: '-156,19,-154,20' }, FEW + 15_000],
    // As many as exist.
    [{ location: 'Hilo, S', q: 'needle' }, FEW + 5000],
    [{ q: 'hilo' }, FEW + 5000],
    // As many as were taken then, which are sorted.
    [{ takenTo: '2025-01-02', q: 'needle' }, FEW + 10_000],
    // As many as precede the first match, and those that the index finds until there are too many.
    [{ q: 'dji' }, FEW + 15_000],
    [{ q: 'austin' }, FEW + 15_000],
  ]
  const findings: Record<string, number> = {}
  // Autovacuum does it soon after; until then the planner knows nothing of the rows.
  // To VACUUM, rows are visible to all once their commit is on disk.
  await pool.query('CHECKPOINT')
  await pool.query('VACUUM ANALYZE photos')
  for (const [query, most] of asked) {
    // By date taken, a filter by location, camera or date is sorted as a whole.
    const isSorted = ['location', 'camera', 'from', 'takenFrom', 'takenTo'].some((name) => name in query)
    // Only a folder has an order of its own.
    const sorts = SORTS.filter((sort) => sort !== 'own' && (!isSorted || !isByTaken(sort)))
    for (const sort of sorts) {
      const search = { scope: { userId: 10, folderId: null }, filter: readFilter(query) }
      const rows = await touched(async (db) => {
        await countListed(db, search, MAX_COUNT, await findPositions(db, search, { sort, take: 31 }))
      })
      if (rows > most) findings[JSON.stringify({ ...query, sort })] = rows
    }
  }
  const far = { scope: { userId: 10, folderId: null }, filter: readFilter({}) }
  for (const skip of [LARGE - 50, LARGE / 2, LARGE + 50]) {
    const rows = await touched((db) => findPositions(db, far, { sort: 'newest', skip, take: 31 }))
    expect(rows, `behind ${skip}`).toBeLessThan(200)
    const { positions } = await findPositions(media.db, far, { sort: 'newest', skip, take: 1 })
    const id = positions[0]?.id ?? 0
    expect(await touched((db) => findIndex(db, far, 'newest', id)), `index ${skip}`).toBeLessThan(200)
  }
  expect(findings).toEqual({})
  for (const z of [0, 8, 14, 18, 22]) {
    for (const query of [{}, { area: '10,47,12,48' }]) {
      const search = { scope: { userId: 10, folderId: null }, filter: readFilter(query) }
      const [x = 0, y = 0] = [worldX(-97.698), worldY(30.302)].map((place) => Math.floor(place / 2 ** (26 - z)))
      const tile = { z, x, y }
      expect(await touched((db) => readTile(db, search, tile)), `tile of zoom ${z}`).toBeLessThan(2500)
      expect(await touched((db) => readExtent(db, search)), 'the extent').toBeLessThan(2500)
    }
  }
  await pool.end()
})

test('counts matches that are scattered over a list exactly, also at a place', async () => {
  const pool = openPool(media.env.DATABASE_URL ?? '')
  await pool.query(
    `INSERT INTO photos (user_id, title, filename, original_name, filesize, sha256, city, created_at, metadata)
     SELECT 14, CASE WHEN n % 20 = 0 THEN 'Lantern' ELSE 'DJI' END, 'scattered-' || n, 'x', 1, 'scattered-' || n,
       CASE WHEN n % 3 = 0 THEN 'Hilo' ELSE 'Waco' END, now() - make_interval(mins => n),
       CASE WHEN n % 8 < 4 THEN '{"Model": "L2D-20c"}'::jsonb END
     FROM generate_series(1, 2400) AS n`,
  )
  await pool.end()
  for (const [query, total] of [
    [{ q: 'lantern' }, 120],
    [{ q: 'lantern', location: 'Hilo' }, 40],
    [{ q: 'lantern', location: 'Nowhere' }, 0],
    [{ q: 'lantern', camera: 'L2D-20c' }, 60],
    [{ q: 'lantern', camera: 'L2D-20c', location: 'Hilo' }, 20],
    [{ q: 'hilo', camera: 'L2D-20c' }, 400],
    [{ q: 'hilo', camera: 'FC3582' }, 0],
  ] as const) {
    const search = { scope: { userId: 14, folderId: null }, filter: readFilter(query) }
    const part = await findPositions(media.db, search, { sort: 'newest', take: 31 })
    expect(part.positions.length).toBe(Math.min(31, total))
    expect(await countListed(media.db, search, 1000, part)).toBe(total)
    expect(await countListed(media.db, search, 30, part)).toBe(Math.min(31, total))
    expect(await countListed(media.db, search, 10_000)).toBe(total)
  }
})

test('keeps the counts exact while a worker completes photos and their owner deletes them', async () => {
  await media.db.photo.deleteMany()
  const worker = media.startWorker()
  const photos = await Promise.all(Array.from({ length: 6 }, () => media.upload(12)))
  await Promise.all(photos.slice(0, 3).map(({ id }) => media.call(`/api/photos/${id}`, user(12), { method: 'DELETE' })))
  await waitFor(async () => (await media.db.photo.count({ where: { status: 'processing' } })) === 0, {
    what: 'the others are processed',
    timeoutMs: 90_000,
  })
  const { kept, real } = await counts()
  expect(kept).toEqual(real)
  expect(real.places).toEqual([{ user_id: 12, city: '', state: '', count: 3 }])
  worker.kill()
})
