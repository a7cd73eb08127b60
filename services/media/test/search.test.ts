import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../src/files/object-keys.ts'
import type { ListQuery } from '../src/gallery/list-query.ts'
import { textCondition } from '../src/gallery/text-search.ts'
import type { Prisma } from '../src/generated/client.ts'
import type { PhotoResponse } from '../src/photos/photo-response.ts'
import { normalizeName } from '../src/places/names.ts'
import { startTestMedia, type TestMedia, user } from './support.ts'

/* What a search finds. That all of it is found in long lists, in order and counted, is in gallery.test.ts. */

let media: TestMedia
beforeAll(async () => {
  media = await startTestMedia()
})
afterAll(() => media.close())

let lastUser = 0
let lastFile = 0

type Columns = Partial<Prisma.PhotoCreateManyInput>

/** Creates a user with photos, each with these columns. Returns the user's id. */
async function userWith(...photos: Columns[]): Promise<number> {
  lastUser += 1
  const userId = lastUser
  const data = photos.map((columns) => {
    lastFile += 1
    const sha256 = lastFile.toString(16).padStart(64, '0')
    const file = { originalName: 'x.jpg', filename: `${newId()}.jpg`, filesize: 1, sha256 }
    return { userId, title: 'A', status: 'ready', ...file, ...columns }
  })
  await media.db.photo.createMany({ data })
  return userId
}

/** The titles that a user's search finds. */
async function find(userId: number, q: string): Promise<string[]> {
  const photos = await media.json<PhotoResponse[]>(`/api/photos?${new URLSearchParams({ q })}`, user(userId))
  return photos.map(({ title }) => title).sort()
}

const SPELLINGS: [stored: string, ...queries: string[]][] = [
  ['Zürichsee', 'zurich', 'ZÜRICH', 'Zu\u0308rich', 'zürichsee'],
  ['São Paulo', 'sao', 'SAO PAULO', 'são', 'Sa\u0303o'],
  ['Čakovec', 'cakovec'],
  ['Straße', 'strasse', 'STRASSE', 'STRAẞE', 'straße'],
  ['Ærø', 'aero', 'ÆRØ', 'ærø'],
  ['İstanbul', 'istanbul', 'ISTANBUL', 'İSTANBUL', 'ıstanbul'],
  ['Ağrı Dağı', 'agri dagi', 'AĞRI'],
  ['Łódź', 'lodz', 'łódź'],
  ['Smørrebrød', 'smorrebrod'],
  ['Đà Nẵng', 'da nang', 'đà nẵng', 'ĐÀ NẴNG'.normalize('NFD')],
  ['Þingvellir', 'thingvellir', 'þingvellir'],
  ['Seyðisfjörður', 'seydisfjordur'],
  ['Œuvre', 'oeuvre'],
  ['Příbram', 'pribram'],
  ['Iași', 'iasi', 'iaşi', 'Iaşi'.normalize('NFD')],
  ['Gəncə', 'gence'],
  ['Ħal Qormi', 'hal qormi'],
  ['Kárášjohka / Deatnu ŋ', 'karasjohka n'],
  ['Αθήνας', 'ΑΘΗΝΑΣ', 'αθηνασ', 'αθήν'],
  ['ЁЛКИ', 'елки', 'ёлки'],
  ['Київ', 'київ', 'КИЇВ', 'киів'],
  ['ﬁve ﬂights', 'five flights'],
  ['２０２４年', '2024', '年'],
  ['東京タワー', '東京', 'タワー', 'ﾀﾜｰ'],
  ['서울', '서울', '서울'.normalize('NFD')],
  ['שָׁלוֹם', 'שלום'],
  ['أحمد', 'احمد'],
  ['हिन्दी', 'हिन्दी', 'हिन'],
  ["O'Hare", 'ohare', "o'hare", 'O’HARE', 'o´hare', 'hare'],
  ['Hawaiʻi', 'hawaii', "hawai'i"],
  ['Wi-Fi_mast', 'wi fi mast', 'wi-fi', 'fi_mast', 'MAST'],
  ['du\u00adlu\u200bth', 'duluth'],
  ['100% \\ half', '100', 'half 100%'],
  ['🚁 up', '🚁', 'up 🚁'],
  ['10 °C → 20', '10 20', '→'],
]

test.each(SPELLINGS)('finds %s however it is written', async (title, ...queries) => {
  const userId = await userWith({ title }, { title: 'Another', description: title }, { title: 'Nothing of it' })
  for (const q of [title, title.normalize('NFD'), title.toUpperCase(), ...queries]) {
    expect(await find(userId, q), q).toEqual([title, 'Another'].sort())
  }
})

test('folds letters as the search of addresses does', async () => {
  const names = [
    'Zürich',
    'Straße',
    'Ærø',
    'İstanbul',
    'Ağrı',
    'Łódź',
    'Đà Nẵng',
    'Þingvellir',
    'Œuvre',
    'Seyðisfjörður',
  ]
  const folded = await media.pool.query('SELECT folded(name) AS name FROM unnest($1::text[]) AS name', [names])
  expect(folded.rows.map(({ name }) => normalizeName(name))).toEqual(names.map(normalizeName))
  expect(folded.rows.map(({ name }) => name.replaceAll(' ', ''))).toEqual(names.map(normalizeName))
})

describe('the words of a search', () => {
  test('are each anywhere in the photo, in any order', async () => {
    const userId = await userWith(
      { title: 'Sunset pier', city: 'Duluth', state: 'Minnesota' },
      { title: 'Sunset', description: 'From the pier', city: 'Reno' },
      { title: 'Duluth' },
    )
    expect(await find(userId, 'pier duluth')).toEqual(['Sunset pier'])
    expect(await find(userId, 'duluth, PIER')).toEqual(['Sunset pier'])
    expect(await find(userId, 'pier sunset')).toEqual(['Sunset', 'Sunset pier'])
    expect(await find(userId, '  minnesota   -  set ')).toEqual(['Sunset pier'])
    expect(await find(userId, 'pier hibbing')).toEqual([])
  })

  test('are parts of a file name, with and without its extension, also after the title was changed', async () => {
    const userId = await userWith(
      { title: 'DJI_0042', originalName: 'DJI_0042.JPG' },
      { title: 'Renamed', originalName: 'DJI_0043.JPG' },
      { title: 'Raw', originalName: 'Flight (2) DJI_0044.DNG', filename: `${newId()}.dng` },
    )
    for (const q of ['DJI_0042.JPG', 'dji_0042', '0042', 'dji 0042', '0042.jpg', '42']) {
      expect(await find(userId, q), q).toEqual(['DJI_0042'])
    }
    expect(await find(userId, 'dji_0043.jpg')).toEqual(['Renamed'])
    expect(await find(userId, 'DJI_004')).toEqual(['DJI_0042', 'Raw', 'Renamed'])
    expect(await find(userId, 'dng')).toEqual(['Raw'])
    expect(await find(userId, 'jpeg')).toEqual(['DJI_0042', 'Renamed'])
    expect(await find(userId, 'flight 2')).toEqual(['Raw'])
  })

  test('are abbreviations and what they stand for, as whole words of the photo', async () => {
    const userId = await userWith(
      { title: 'River', city: 'Saint Cloud' },
      { title: 'St. Cloud' },
      { title: 'Ste. Marie' },
      { title: 'Sainte-Anne' },
      { title: 'Ft Collins' },
      { title: 'Fort Worth' },
      { title: 'Mt. Hood' },
      { title: 'Mount Rainier' },
      { title: 'Mtn view' },
      { title: 'Stone' },
    )
    for (const q of ['st cloud', 'St. Cloud', 'saint cloud', 'cloud st', 'SAINT-CLOUD']) {
      expect(await find(userId, q), q).toEqual(['River', 'St. Cloud'])
    }
    expect(await find(userId, 'sainte marie')).toEqual(['Ste. Marie'])
    expect(await find(userId, 'ste anne')).toEqual(['Sainte-Anne'])
    expect(await find(userId, 'fort')).toEqual(['Fort Worth', 'Ft Collins'])
    expect(await find(userId, 'ft')).toEqual(['Fort Worth', 'Ft Collins'])
    expect(await find(userId, 'mount')).toEqual(['Mount Rainier', 'Mt. Hood'])
    expect(await find(userId, 'mt hood')).toEqual(['Mt. Hood'])
    // Beginnings of words, as while one types.
    expect(await find(userId, 'st')).toContain('Stone')
    expect(await find(userId, 'mtn')).toEqual(['Mtn view'])
  })

  test('may be short, many, or only punctuation, which is looked for as it is', async () => {
    const userId = await userWith(
      { title: '100%', originalName: 'a.jpg' },
      { title: 'DJI_0001', originalName: 'b.jpg' },
      { title: '???', originalName: 'c.jpg' },
      { title: 'a b c d e f g h i', city: 'Zq' },
    )
    expect(await find(userId, '%')).toEqual(['100%'])
    expect(await find(userId, '_')).toEqual(['DJI_0001'])
    expect(await find(userId, '???')).toEqual(['???'])
    expect(await find(userId, '\\')).toEqual([])
    expect(await find(userId, '%00')).toEqual(['100%', 'DJI_0001'])
    expect(await find(userId, 'D%I_0001')).toEqual(['DJI_0001'])
    expect(await find(userId, 'zq')).toEqual(['a b c d e f g h i'])
    expect(await find(userId, 'i h g f e d c b a')).toEqual(['a b c d e f g h i'])
    expect(await find(userId, 'zx')).toEqual([])
    expect(await find(userId, 'y '.repeat(100))).toEqual([])
    expect(await find(userId, '\u0001')).toEqual([])
  })

  test('are in what a card shows, pasted as it is', async () => {
    const shown = {
      title: 'Harbour (north side) – 2',
      description: 'The “old” lighthouse; 80 % overlap.',
      city: 'Duluth',
      county: 'Saint Louis County',
      state: 'Minnesota',
      latitude: '46.8426004',
      longitude: '-92.0035996',
      dateTaken: '2024-05-06T19:08:09+09:00',
      metadata: { Make: 'DJI', Model: 'FC6310', ExifImageWidth: 4000 },
    }
    const userId = await userWith(
      shown,
      { title: 'Other', latitude: '46.8426016', longitude: '-92.0035996', dateTaken: '2023-11-16T00:08:00Z' },
      { title: '' },
    )
    const pasted = [
      shown.title,
      shown.description,
      'Duluth, Minnesota',
      'Harbour (north side) – 2, Duluth, Minnesota',
      'Saint Louis County',
      'st louis county',
      '46.842600, -92.003600',
      'May 6, 2024 at 7:08\u202fPM UTC+09:00',
      'May 6, 2024',
      'may 2024',
      '2024-05-06',
      '6 May',
      'DJI FC6310',
      'fc6310',
    ]
    for (const q of pasted) expect(await find(userId, q), q).toEqual([shown.title])
    expect(await find(userId, 'November 16, 2023 at 12:08 AM UTC')).toEqual(['Other'])
    expect(await find(userId, '99.000000, 999.000000')).toEqual([])
    expect(await find(userId, 'Untitled')).toEqual([''])
    expect(await find(userId, 'JPEG')).toHaveLength(3)
  })

  test.each([
    ['png', 'PNG'],
    ['tif', 'TIFF'],
    ['gif', 'GIF'],
    ['bmp', 'BMP'],
    ['dng', 'DNG'],
    ['jpg', 'JPEG'],
  ])('are the format of a file that is stored as %s', async (extension, name) => {
    const userId = await userWith(
      { filename: `${newId()}.${extension}`, originalName: 'x' },
      { originalName: 'x', filename: `${newId()}.none` },
    )
    for (const q of [extension, name]) expect(await find(userId, q)).toEqual(['A'])
  })

  test('are no parts of what the photo does not show', async () => {
    const filename = `${newId()}.jpg`
    const metadata = { LensModel: 'Hidden', drone: { SerialNumber: 'Hidden' } }
    const userId = await userWith({ filename, metadata, aircraft: 'Hidden', tags: { a: { b: 'Hidden' } } })
    expect(await find(userId, 'hidden')).toEqual([])
    expect(await find(userId, filename.slice(0, 12))).toEqual([])
    expect(await find(userId + 1, 'a')).toEqual([])
  })
})

test('folds a query once, not for every photo, also in a generic plan', async () => {
  const { text, values } = textCondition({ filter: { q: 'zq' } } as ListQuery)
  const types = values.map(() => 'text').join()
  const parameters = values.map((value) => `'${value}'`).join()
  const client = await media.pool.connect()
  try {
    await client.query('SET plan_cache_mode = force_generic_plan')
    await client.query(`PREPARE by_text (${types}) AS SELECT id FROM photos WHERE ${text}`)
    const { rows } = await client.query(`EXPLAIN (COSTS off) EXECUTE by_text (${parameters})`)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    const filter = rows.map((row) => row['QUERY PLAN']).find((line) => line.includes('Filter:'))
    expect(plan).toContain('InitPlan')
    expect(filter).not.toMatch(/word_patterns|folded/)
  } finally {
    client.release(true)
  }
})

test('finds a photo by what its owner corrected, and no longer by what was there before', async () => {
  const worker = media.startWorker()
  lastUser += 1
  const me = user(lastUser)
  const { id } = await media.upload(lastUser, { latitude: '46.7867', longitude: '-92.1005' })
  await media.processed(id)
  const change = (fields: object) => media.json<PhotoResponse>(`/api/photos/${id}`, me, 'PATCH', fields)
  const finds = async (q: string) => (await find(lastUser, q)).length === 1
  await change({ title: 'Über dem Café', latitude: '46.7867', longitude: '-92.1005', dateTaken: '2024-05-06T07:08:09' })
  for (const q of ['uber cafe', 'duluth', 'usa', 'united states', 'may 2024', 'photo.jpg'])
    expect(await finds(q), q).toBe(true)
  await change({ latitude: '47.3769', longitude: '8.5417', dateTaken: '2023-01-01T00:00:00', description: 'Lake' })
  for (const q of ['zurich', 'switzerland', 'schweiz', 'lake', 'january 2023 cafe'])
    expect(await finds(q), q).toBe(true)
  for (const q of ['duluth', 'usa', 'may']) expect(await finds(q), q).toBe(false)
  await media.json(`/api/photos/${id}/reprocess`, me, 'POST')
  await media.processed(id)
  for (const q of ['zurich', 'switzerland', 'january 2023']) expect(await finds(q), q).toBe(true)
  await change({ city: 'Kyoto', state: 'Kansai' })
  expect([await finds('kyoto kansai'), await finds('zurich')]).toEqual([true, false])
  worker.kill()
})

test('finds the same photos in each list, count, map, track and bulk change', async () => {
  const at = { latitude: '47.3769', longitude: '8.5417' }
  const userId = await userWith(
    { title: 'Zürichsee', city: 'Zürich', dateTaken: '2024-05-06T07:08:09', ...at },
    { title: 'Other', dateTaken: '2024-05-06T07:08:10', ...at },
  )
  const me = user(userId)
  const q = 'see zurich'
  const query = new URLSearchParams({ q })
  expect(await media.json(`/api/photos/map/extent?${query}`, me)).toMatchObject({ count: 1, without: 0 })
  expect(await media.json('/api/photos/count', me, 'POST', { filter: { q } })).toMatchObject({ count: 1 })
  const months = await media.json(`/api/photos/months?sort=taken-newest&${query}`, me)
  expect(months).toEqual({ months: [{ month: '2024-05', count: 1 }] })
  const track = await media.json<{ features: unknown[] }>(`/api/photos/track?format=geojson&${query}`, me)
  expect(JSON.stringify(track)).toContain('Zürichsee')
  expect(JSON.stringify(track)).not.toContain('Other')
  const deleted = { filter: { q }, action: 'delete' }
  expect((await media.json<{ done: number[] }>('/api/photos/bulk', me, 'POST', deleted)).done).toHaveLength(1)
  expect(await find(userId, '')).toEqual(['Other'])
})
