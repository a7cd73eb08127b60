import { afterAll, beforeAll, expect, test } from 'vitest'
import { seededRandom } from '../scripts/gallery-rows.ts'
import type { Prisma } from '../src/generated/client.ts'
import type { PhotoResponse } from '../src/photos/photo-response.ts'
import { startTestMedia, type TestMedia, user } from './support.ts'

let media: TestMedia
let folders: ReturnType<TestMedia['folders']>
beforeAll(async () => {
  media = await startTestMedia()
  folders = media.folders()
  folders.set(FOLDER, ME, false)
  await media.db.photo.createMany({ data: rows })
})
afterAll(() => media.close())

const ME = 1
const FOLDER = 7
const me = user(ME)
const DAY_MS = 24 * 3600 * 1000
const now = Date.now()

type Row = Prisma.PhotoCreateManyInput & { createdAt: Date }

const random = seededRandom(5)
const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
const titles = [
  'DJI_0001',
  'DJI_0002',
  'dji 100%',
  'a\\b',
  'Straße',
  'ÉCLAIR',
  'Zu\u0308rich',
  '東京タワー',
  '🚁 up',
  'x_y',
]
const places = [
  ['Springfield', 'Illinois'],
  ['Springfield', 'Missouri'],
  ['Ålesund', 'Møre og Romsdal'],
  ['Reno', null],
  [null, 'Hawaii'],
  [null, null],
] as const
const cameras = ['FC3582', 'L2D-20c', "Brad's 100%_\\ camera"]

/** Photos of several users; many have the same time, and rare values are at the end of the list. */
const rows: Row[] = Array.from({ length: 2400 }, (_, index) => {
  const [city, state] = index < 1200 ? pick(places) : pick(places.slice(0, 2))
  return {
    userId: index % 8 === 0 ? 2 : ME,
    folderId: index % 8 !== 0 && index % 3 === 0 ? FOLDER : null,
    title: index < 1200 ? pick(titles) : 'DJI_0001',
    description: index % 11 === 0 ? pick(['Morning light', 'At 50% \\ of the_way', 'illinois seen from above']) : null,
    filename: `gallery-${index}.jpg`,
    originalName: 'x.jpg',
    filesize: 1,
    sha256: `gallery-${index}`,
    city,
    state,
    metadata: modelOf(index) === undefined ? { Make: 'DJI' } : { Make: 'DJI', Model: modelOf(index) },
    dateTaken: takenAt(index),
    status: 'ready',
    createdAt: new Date(now - Math.floor((2400 - index) / 4) * DAY_MS * 0.7 - 1000),
  }
})

/** Every fifth photo has no date; the others were taken in 2026, out of the order of their uploads. */
function takenAt(index: number): string | null {
  const [month, day] = [1 + (index % 12), 1 + (index % 28)].map((number) => String(number).padStart(2, '0'))
  return index % 5 === 0 ? null : `2026-${month}-${day}T23:59:59+02:00`
}

/** Most photos are of the first camera; the last one's are scattered, and some have none. */
function modelOf(index: number): string | undefined {
  if (index % 13 === 0) return undefined
  return index % 17 === 0 ? cameras[2] : cameras[index % 5 === 0 ? 1 : 0]
}

/** The letters of these rows and terms as a search compares them. */
const folded = (text: string) =>
  text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss').replaceAll('ø', 'o')
const wordsOf = (text: string) =>
  folded(text)
    .split(/[\s\p{P}]+/u)
    .filter(Boolean)

const MONTHS = Array.from({ length: 12 }, (_, month) =>
  new Date(2026, month).toLocaleDateString('en-US', { month: 'long' }),
)

/** Whether a photo has every word of a query, or a query without words as it is. */
function isFound(row: Row, q: string): boolean {
  const { title, description, city, state, originalName, dateTaken } = row
  const date = dateTaken && `${dateTaken} ${MONTHS[Number(dateTaken.slice(5, 7)) - 1]} at 11:59 PM UTC`
  const words = wordsOf(q)
  if (words.length === 0) return [title, description, city, state].some((text) => text?.includes(q))
  const text = folded(
    [title, description, city, state, originalName, 'JPEG DJI', modelOf(rows.indexOf(row)), date].join('\n'),
  )
  return words.every((word) => text.includes(word))
}

const locationOf = ({ city, state }: Row) => [city, state].filter(Boolean).join(', ')
const days: Record<string, number> = { today: 0, week: 7, month: 30, year: 365 }

interface Wanted {
  q?: string
  location?: string
  camera?: string
  from?: string
  takenFrom?: string
  takenTo?: string
  sort?: 'newest' | 'oldest'
}

/** The specification's rules, applied to the rows one by one. */
function expected(
  { q = '', location = '', camera = '', from = '', takenFrom = '', takenTo = '', sort = 'newest' }: Wanted,
  folder = false,
): string[] {
  const isTaken = ({ dateTaken }: Row) =>
    (takenFrom === '' || (dateTaken ?? '') >= takenFrom) &&
    (takenTo === '' || (dateTaken ?? '~').slice(0, 10) <= takenTo)
  const matches = (row: Row) =>
    row.userId === ME &&
    (!folder || row.folderId === FOLDER) &&
    (q === '' || isFound(row, q)) &&
    (location === '' || locationOf(row) === location) &&
    isTaken(row) &&
    (camera === '' || modelOf(rows.indexOf(row)) === camera) &&
    (from === '' || Math.floor((Date.now() - row.createdAt.getTime()) / DAY_MS) <= (days[from] ?? 0))
  const found = rows.filter(matches).map((row) => ({ row, at: row.createdAt.getTime(), place: rows.indexOf(row) }))
  found.sort((a, b) => a.at - b.at || a.place - b.place)
  if (sort === 'newest') found.reverse()
  return found.map(({ row }) => row.filename)
}

async function page(path: string, who = me) {
  const response = await media.call(path, who)
  const photos = (await response.json()) as PhotoResponse[]
  const next = response.headers.get('link')?.match(/^<([^>]+)>; rel="next"$/)?.[1]
  return { status: response.status, photos, next, total: Number(response.headers.get('x-total-count')) }
}

/** Reads all pages of a list by their links. */
async function follow(path: string, query: Wanted, limit: number, countTo?: number) {
  const names: string[] = []
  const totals = new Set<number>()
  const parameters = new URLSearchParams({ ...query, limit: String(limit) })
  if (countTo !== undefined) parameters.set('countTo', String(countTo))
  const first = `${path}?${parameters}`
  for (let at: string | undefined = first; at; ) {
    const { photos, total, next } = await page(at)
    names.push(...photos.map(({ filename }) => filename))
    totals.add(total)
    at = next
  }
  return { names, totals: [...totals] }
}

const terms = [
  ...['dji', 'DJI_0001', 'springfield', 'SPRINGFIELD', 'illinois', 'field', 'hawaii', 'light', 'nowhere', 'ø', 'MØRE'],
  ...[
    'straße',
    'éclair',
    'E\u0301CLAIR',
    'zürich',
    '東京',
    'タワー',
    '🚁',
    '%',
    '_',
    '\\',
    '100%',
    'x_y',
    'a\\b',
    '0%',
    'e_w',
  ],
  ...["'", '";--', '%%', 'springfield, illinois', 'i', ' '],
]

test.each(terms)('finds %s, page by page', async (q) => {
  for (const [sort, countTo] of [['newest'], ['oldest', 200]] as const) {
    const wanted = expected({ q, sort })
    const { names, totals } = await follow('/api/photos', { q, sort }, 350, countTo)
    expect(names).toEqual(wanted)
    expect(totals).toEqual([Math.min(wanted.length, (countTo ?? 1000) + 1)])
  }
})

const combinations: Wanted[] = ['', 'dji', 'illinois', 'タワー'].flatMap((q) =>
  ['', 'Springfield, Illinois', 'Hawaii', 'springfield, illinois'].flatMap((location) =>
    ['', 'week', 'year'].flatMap((from) =>
      ['', 'FC3582', "Brad's 100%_\\ camera", 'fc3582'].flatMap((camera) =>
        ['', '2026-06-15'].map((takenFrom) => ({ q, location, from, camera, takenFrom })),
      ),
    ),
  ),
)

test.each([
  ['the gallery', '/api/photos', false],
  ['a folder', `/api/folders/${FOLDER}/photos`, true],
])('combines all filters in %s, page by page', async (_what, path, folder) => {
  for (const wanted of combinations) {
    const all = expected(wanted, folder)
    const countTo = folder ? 150 : 10_000
    const { names, totals } = await follow(path, wanted, 500, countTo)
    expect(names, JSON.stringify(wanted)).toEqual(all)
    const places = [folder, wanted.location, wanted.camera].filter(Boolean).length
    const counted = wanted.q || wanted.from || wanted.takenFrom || places > 1
    expect(totals, JSON.stringify(wanted)).toEqual([counted ? Math.min(all.length, countTo + 1) : all.length])
  }
})

test.each(['newest', 'oldest'] as const)('tells the index of a photo in every list, ordered by %s', async (sort) => {
  const ids = new Map((await page('/api/photos?limit=500')).photos.map(({ filename, id }) => [filename, id]))
  for (const wanted of combinations) {
    const all = expected({ ...wanted, sort })
    const last = all.findLastIndex((name) => ids.has(name))
    if (last < 0) continue
    const query = new URLSearchParams({ ...wanted, sort })
    const { index } = await media.json<{ index: number }>(`/api/photos/${ids.get(all[last] ?? '')}/index?${query}`, me)
    expect(index, JSON.stringify(wanted)).toBe(last)
  }
})

test('returns each photo once in small pages of a search', async () => {
  for (const q of ['hawaii', 'dji', '東京', 'springfield']) {
    const wanted = expected({ q, location: '' }).slice(-40)
    const { names } = await follow('/api/photos', { q }, 9)
    expect(names.slice(-40)).toEqual(wanted)
  }
})

test('returns all matching photos in one response without a limit', async () => {
  const { photos, total } = await page('/api/photos?q=Light&sort=oldest')
  expect(photos.map(({ filename }) => filename)).toEqual(expected({ q: 'light', sort: 'oldest' }))
  expect(total).toBe(photos.length)
})

test('keeps the filters in a link to the next page, however they are written', async () => {
  const query = new URLSearchParams({
    limit: '1',
    sort: 'oldest',
    q: 'DJI & ?#',
    location: 'Springfield, Illinois',
    from: 'year',
  })
  const link = new URL((await page(`/api/photos?${query}`)).next ?? '', 'http://x').searchParams
  expect(Object.fromEntries(link)).toMatchObject(Object.fromEntries(query))
})

const queries: Record<string, string>[] = [
  {},
  { q: 'dji' },
  { from: 'year' },
  { location: 'Springfield, Illinois' },
  { camera: 'FC3582' },
  { takenTo: '2026-05-05' },
]

test.each([0, 5, 1049, 1050, 1999, 2080, 2099, 2100, 5000])(
  'a jump over %i photos lands where counting does',
  async (skip) => {
    for (const sort of ['newest', 'oldest'] as const) {
      for (const query of queries) {
        const { photos } = await page(
          `/api/photos?${new URLSearchParams({ ...query, sort, skip: String(skip), limit: '20' })}`,
        )
        expect(photos.map(({ filename }) => filename)).toEqual(expected({ ...query, sort }).slice(skip, skip + 20))
      }
    }
  },
)

test('starts a window that many whole days ago, and a time exactly there', async () => {
  const ages = [0.9, 1.1, 7.9, 8.1, 30.9, 31.1, 365.9, 366.1]
  await media.db.photo.createMany({
    data: ages.map((age) => ({
      userId: 3,
      title: `${age}`,
      filename: `age-${age}.jpg`,
      originalName: 'x',
      filesize: 1,
      sha256: `${age}`,
      createdAt: new Date(Date.now() - age * DAY_MS),
    })),
  })
  const named = async (from: string) => {
    const { photos } = await page(`/api/photos?limit=50&from=${encodeURIComponent(from)}`, user(3))
    return photos.map(({ title }) => Number(title))
  }
  expect(await named('today')).toEqual([0.9])
  expect(await named('week')).toEqual([0.9, 1.1, 7.9])
  expect(await named('month')).toEqual([0.9, 1.1, 7.9, 8.1, 30.9])
  expect(await named('year')).toEqual([0.9, 1.1, 7.9, 8.1, 30.9, 31.1, 365.9])
  const photo = await media.db.photo.findFirstOrThrow({ where: { title: '7.9', userId: 3 } })
  expect(await named(photo.createdAt.toISOString())).toEqual([0.9, 1.1, 7.9])
  expect(await named(new Date(photo.createdAt.getTime() + 1).toISOString())).toEqual([0.9, 1.1])
})

test.each([
  `q=${'x'.repeat(201)}`,
  `location=${'x'.repeat(251)}`,
  `camera=${'x'.repeat(201)}`,
  'from=yesterday',
  'from=constructor',
  'from=2026-01-01',
  'takenFrom=2026-1-1',
  'takenTo=2026-01-01T00:00:00',
  'from=2026-01-01T00:00:00',
  'from=2026-99-99T00:00:00Z',
  'takenFrom=2026-99-99',
  'from=0000-12-31T23:59:59Z',
  'from=9999-12-31T23:59:59-01:00',
  'skip=-1',
  'skip=99999999999',
  `cursor=${Buffer.from('0000-01-01T00:00:00Z 1').toString('base64url')}`,
  'q=e&skip=10001',
  `cursor=${Buffer.from('+275760-09-13T00:00:00.000Z 1').toString('base64url')}`,
  `cursor=${Buffer.from('2026-01-01T00:00:00.000Z 99999999999').toString('base64url')}`,
  `cursor=${Buffer.from('2026-01-01T00:00:00.000Z 1; DROP').toString('base64url')}`,
])('rejects the query %s with a sentence', async (query) => {
  const response = await media.call(`/api/photos?limit=5&${query}`, me)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ message: expect.any(String) })
})

test.each([
  'q=%00',
  'q=a%00b',
  'location=%00',
  'camera=%00',
  `q=${'%F0%9F%9A%81'.repeat(50)}`,
  'q=%EF%BF%BF',
  'q=%5C%5C%5C',
])('finds nothing for the query %s', async (query) => {
  expect(await page(`/api/photos?limit=5&${query}`)).toMatchObject({ status: 200, photos: [], total: 0 })
})

test('returns the places of own photos with their counts, and null for unknown names', async () => {
  const counts = new Map<string, number>()
  for (const row of rows.filter(({ userId }) => userId === ME)) {
    const key = JSON.stringify([row.city, row.state])
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  counts.delete('[null,null]')
  const found = await media.json<{ city: string; state: string; count: number }[]>('/api/photos/places', me)
  expect(new Map(found.map(({ city, state, count }) => [JSON.stringify([city, state]), count]))).toEqual(counts)
  expect(found.map(({ city, state }) => city ?? state)).toEqual([
    'Ålesund',
    'Hawaii',
    'Reno',
    'Springfield',
    'Springfield',
  ])
})

test('returns the camera models of own photos with their counts, by name', async () => {
  const counted = cameras.map((model) => ({ model, count: expected({ camera: model }).length }))
  expect(await media.json('/api/photos/cameras', me)).toEqual([counted[2], counted[0], counted[1]])
  expect(await media.json('/api/photos/cameras', user(3))).toEqual([])
})

test('filters by the days between which photos were taken, each included, in every order', async () => {
  const range = { takenFrom: '2026-03-04', takenTo: '2026-03-15' }
  const wanted = expected(range)
  expect(wanted.length).toBeGreaterThan(10)
  expect((await follow('/api/photos', range, 50)).names).toEqual(wanted)
  for (const sort of ['taken-newest', 'taken-oldest']) {
    const { photos } = await page(`/api/photos?${new URLSearchParams({ ...range, sort, limit: '500' })}`)
    const dates = photos.map(({ dateTaken }) => dateTaken ?? '')
    expect(photos.map(({ filename }) => filename).sort()).toEqual(wanted.toSorted())
    const ascending = dates.toSorted()
    expect(dates).toEqual(sort === 'taken-oldest' ? ascending : ascending.reverse())
    const { months } = await media.json<{ months: object[] }>(
      `/api/photos/months?${new URLSearchParams({ ...range, sort })}`,
      me,
    )
    expect(months).toEqual([{ month: '2026-03', count: wanted.length }])
  }
  for (const one of [{ takenFrom: '2026-07-01' }, { takenTo: '2026-07-01' }]) {
    expect((await follow('/api/photos', one, 500)).names).toEqual(expected(one))
  }
  expect((await page('/api/photos?limit=5&takenFrom=2026-03-15&takenTo=2026-03-04')).total).toBe(0)
})

test.each(['dji', 'illinois', 'タワー', 'ø', 'nowhere'])(
  'the months of the search for %s count its matches',
  async (q) => {
    for (const sort of ['newest', 'taken-oldest'] as const) {
      const query = new URLSearchParams({ q, sort, timeZone: 'UTC' })
      const counted = new Map<string | null, number>()
      for (const name of expected({ q })) {
        const row = rows.find(({ filename }) => filename === name)
        const month = (sort === 'newest' ? row?.createdAt.toISOString() : row?.dateTaken)?.slice(0, 7) ?? null
        counted.set(month, (counted.get(month) ?? 0) + 1)
      }
      const { months } = await media.json<{ months: { month: string; count: number }[] }>(
        `/api/photos/months?${query}`,
        me,
      )
      expect(new Map(months.map(({ month, count }) => [month, count]))).toEqual(counted)
      const names = months.map(({ month }) => month ?? '~')
      expect(names).toEqual(sort === 'newest' ? names.toSorted().reverse() : names.toSorted())
    }
  },
)

test('the places and cameras of a folder are those of its photos', async () => {
  const within = rows.filter(({ userId, folderId }) => userId === ME && folderId === FOLDER)
  const count = (of: (row: Row, index: number) => boolean) => within.filter((row) => of(row, rows.indexOf(row))).length
  const places = await media.json<{ city: string; state: string; count: number }[]>(
    `/api/photos/places?folder=${FOLDER}`,
    me,
  )
  expect(places.find(({ city }) => city === 'Reno')?.count).toBe(count(({ city }) => city === 'Reno'))
  expect(places.reduce((sum, place) => sum + place.count, 0)).toBe(count(({ city, state }) => (city ?? state) !== null))
  const models = await media.json<{ model: string; count: number }[]>(`/api/photos/cameras?folder=${FOLDER}`, me)
  expect(models.map(({ model, count: found }) => [model, found])).toEqual(
    [cameras[2], cameras[0], cameras[1]].map((model) => [model, count((_, index) => modelOf(index) === model)]),
  )
  for (const list of ['places', 'cameras']) {
    expect(await media.json(`/api/photos/${list}?folder=${FOLDER}`, user(2))).toEqual([])
    expect(await media.json(`/api/photos/${list}?folder=none`, me)).not.toEqual([])
  }
})

test('filters months, the map, counts, bulk changes and tracks by camera', async () => {
  const filter = { camera: cameras[1] ?? '' }
  const wanted = expected(filter)
  const query = new URLSearchParams(filter)
  const { months } = await media.json<{ months: { count: number }[] }>(`/api/photos/months?${query}`, me)
  expect(months.reduce((sum, { count }) => sum + count, 0)).toBe(wanted.length)
  expect(await media.json(`/api/photos/map/extent?${query}`, me)).toMatchObject({ count: 0, without: wanted.length })
  expect(await media.json('/api/photos/count', me, 'POST', { filter })).toMatchObject({ count: wanted.length })
  const moved = { filter, action: 'move', folderId: FOLDER }
  const { done } = await media.json<{ done: number[] }>('/api/photos/bulk', me, 'POST', moved)
  expect(done).toHaveLength(wanted.length)
  expect((await page(`/api/folders/${FOLDER}/photos?limit=1&${query}`)).total).toBe(wanted.length)
})
