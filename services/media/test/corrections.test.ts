import { dronePhoto } from '@skyfolio/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PhotoResponse } from '../src/photos/photo-response.ts'
import { PHOTO_EVENTS, startTestMedia, type TestMedia, user } from './support.ts'

let media: TestMedia
beforeAll(async () => {
  media = await startTestMedia()
})
afterAll(() => media.close())

const DULUTH = { latitude: '46.8426', longitude: '-91.9946' }
const DETROIT = { latitude: '42.3283', longitude: '-83.0445' }
/** Facts that processing would read from a file. */
const FOUND = {
  ...DULUTH,
  city: 'Duluth',
  county: 'Saint Louis County',
  state: 'Minnesota',
  dateTaken: '2016-06-23T16:31:59',
  status: 'ready',
}

async function correct(id: number, body: unknown, who = user(1)) {
  const init = { method: 'PATCH', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const response = await media.call(`/api/photos/${id}`, who, init)
  return {
    status: response.status,
    body: (await response.json()) as PhotoResponse & { fields?: Record<string, string> },
  }
}

/** Creates a processed photo with these facts. */
async function processed(facts: object = FOUND): Promise<number> {
  const { id } = await media.upload(1)
  await media.db.photo.update({ where: { id }, data: facts })
  return id
}

/** Processes the photo again, with the same result as before. */
async function processAgain(id: number): Promise<void> {
  await media.json(`/api/photos/${id}/reprocess`, user(1), 'POST')
  expect(await media.save(await media.startOn(id), { ...FOUND, status: 'ready' })).toBe(true)
}

const countEvents = () => media.db.outbox.count({ where: PHOTO_EVENTS })

describe('PATCH /api/photos/{id}', () => {
  test('changes title and description, which processing never sets', async () => {
    const id = await processed()
    const { status, body } = await correct(id, { title: '  Lift\tBridge ', description: ' Two\nlines ' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, title: 'Lift Bridge', description: 'Two\nlines', city: 'Duluth' })
    expect(await media.photo(id)).toMatchObject({ corrected: [] })
    expect((await correct(id, { title: '', description: null })).body).toMatchObject({ title: '', description: null })
  })

  test('names the corrected fields, counts the revision once, and publishes it', async () => {
    const id = await processed()
    const before = await media.photo(id)
    const events = await countEvents()
    await correct(id, { city: 'Superior', state: 'Wisconsin', dateTaken: '2016-06-23T18:00' })
    expect(await media.photo(id)).toMatchObject({
      city: 'Superior',
      state: 'Wisconsin',
      county: null,
      dateTaken: '2016-06-23T18:00:00',
      corrected: ['city', 'state', 'dateTaken'],
      revision: before.revision + 1,
    })
    expect(await countEvents()).toBe(events + 1)
  })

  test('changes only the marks for equal values, and nothing when they are marked already', async () => {
    const id = await processed()
    const before = await media.photo(id)
    const same = { title: before.title, city: 'Duluth', state: 'Minnesota', ...DULUTH, dateTaken: FOUND.dateTaken }
    expect((await correct(id, same)).status).toBe(200)
    const after = await media.photo(id)
    expect({ ...after, corrected: [] }).toEqual({ ...before, revision: before.revision + 1 })
    expect(after.corrected).toEqual(['city', 'state', 'dateTaken', 'position'])
    await correct(id, same)
    expect(await media.photo(id)).toEqual(after)
  })

  test('describes the valid values of a field', async () => {
    const id = await processed()
    for (const [field, most] of Object.entries({ title: 255, description: 5000, city: 100, state: 100 })) {
      expect((await correct(id, { [field]: 5 })).body.fields).toEqual({ [field]: `The ${field} must be a text.` })
      const long = `The ${field} may have up to ${most} characters.`
      expect((await correct(id, { [field]: 'x'.repeat(most + 1) })).body.fields).toEqual({ [field]: long })
    }
    const date = expect.stringContaining('Please give the date as year-month-day')
    for (const dateTaken of [5, 'x'.repeat(41), 'now'])
      expect((await correct(id, { dateTaken })).body.fields).toEqual({ dateTaken: date })
  })

  test('names the place of a new position, except what the owner names', async () => {
    const id = await processed()
    expect((await correct(id, DETROIT)).body).toMatchObject({
      ...DETROIT,
      city: 'Detroit',
      county: 'Wayne County',
      state: 'Michigan',
    })
    expect(await media.photo(id)).toMatchObject({ corrected: ['position'] })
    expect((await correct(id, { ...DULUTH, city: 'Lester Park' })).body).toMatchObject({
      city: 'Lester Park',
      county: 'Saint Louis County',
      state: 'Minnesota',
    })
    expect((await correct(id, DETROIT)).body).toMatchObject({ city: 'Lester Park', state: 'Michigan' })
  })

  test('removes the position together with its place', async () => {
    const id = await processed()
    const none = { latitude: null, longitude: null, city: null, county: null, state: null }
    expect((await correct(id, { latitude: null, longitude: null })).body).toMatchObject(none)
    await processAgain(id)
    expect(await media.json<PhotoResponse[]>(`/api/photos?ids=${id}`, user(1))).toMatchObject([none])
  })

  test('accepts numbers for a position too', async () => {
    const id = await processed()
    expect((await correct(id, { latitude: 42.3283, longitude: -83.0445 })).body).toMatchObject(DETROIT)
  })

  test.each([
    ['a latitude alone', { latitude: '1' }, ['longitude']],
    ['a longitude without its latitude', { latitude: null, longitude: '1' }, ['latitude']],
    ['a position off the globe', { latitude: '90.1', longitude: '180.1' }, ['latitude', 'longitude']],
    ['a position that is no number', { latitude: 'north', longitude: true }, ['longitude']],
    ['an empty latitude', { latitude: '', longitude: '1' }, ['latitude']],
    ['a date that does not exist', { dateTaken: '2023-02-29T10:00:00' }, ['dateTaken']],
    ['a date in words', { dateTaken: 'yesterday' }, ['dateTaken']],
    ['a date before there were photos', { dateTaken: '1799-12-31T10:00:00' }, ['dateTaken']],
    ['a zone of nobody', { dateTaken: '2023-02-28T10:00:00+14:01' }, ['dateTaken']],
    ['a zone that is none', { dateTaken: '2023-02-28T10:00:00+99:00' }, ['dateTaken']],
    ['a title that is too long', { title: 'x'.repeat(256) }, ['title']],
    ['a city that is too long', { city: 'x'.repeat(101) }, ['city']],
    ['a state that is a number', { state: 5 }, ['state']],
  ])('rejects %s with a message for each field', async (_what, body, fields) => {
    const id = await processed()
    const before = await media.photo(id)
    const rejected = await correct(id, body)
    expect(rejected.status).toBe(400)
    expect(Object.keys(rejected.body.fields ?? {})).toEqual(fields)
    expect(await media.photo(id)).toEqual(before)
  })

  test('keeps the zone of a date, or the lack of one', async () => {
    const id = await processed()
    expect((await correct(id, { dateTaken: '2024-02-29T23:59:59.5+05:30' })).body.dateTaken).toBe(
      '2024-02-29T23:59:59+05:30',
    )
    expect((await correct(id, { dateTaken: '2024-02-29T23:59' })).body.dateTaken).toBe('2024-02-29T23:59:00')
    expect((await correct(id, { dateTaken: null })).body.dateTaken).toBeNull()
  })

  test('removes characters that a database cannot store from texts', async () => {
    const id = await processed()
    const { status, body } = await correct(id, { title: 'a\0b', city: 'c\u0001d', description: 'e\0f\ud800' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ title: 'a b', city: 'c d', description: 'ef\ufffd' })
  })

  test('rejects a photo of the metadata screen', async () => {
    const id = await processed({ ...FOUND, purpose: 'metadata' })
    expect((await correct(id, { title: 'Other' })).status).toBe(404)
  })
})

describe('processing', () => {
  test('keeps each field that the owner corrected, and reads the others again', async () => {
    const id = await processed()
    await correct(id, { city: 'Lester Park', dateTaken: '2020-01-01T00:00' })
    await media.db.photo.update({ where: { id }, data: { state: 'stale', county: 'stale', latitude: '1' } })
    await processAgain(id)
    expect(await media.photo(id)).toMatchObject({
      city: 'Lester Park',
      state: 'Minnesota',
      county: 'Saint Louis County',
      dateTaken: '2020-01-01T00:00:00',
    })
    expect(Number((await media.photo(id)).latitude)).toBe(46.8426)
  })

  test("omits a county of another state than the owner's", async () => {
    const id = await processed()
    await correct(id, { state: 'Wisconsin' })
    await processAgain(id)
    expect(await media.photo(id)).toMatchObject({ city: 'Duluth', state: 'Wisconsin', county: null })
  })

  test('keeps corrections that were made while it ran', async () => {
    const { id } = await media.upload(1)
    const photo = await media.startOn(id)
    await correct(id, { ...DETROIT, dateTaken: '2020-01-01T00:00' })
    expect(await media.save(photo, { ...FOUND, status: 'ready' })).toBe(true)
    const after = await media.photo(id)
    expect(after).toMatchObject({
      status: 'ready',
      city: 'Detroit',
      county: 'Wayne County',
      state: 'Michigan',
      dateTaken: '2020-01-01T00:00:00',
    })
    expect(String(after.latitude)).toBe(DETROIT.latitude)
  })

  test('keeps corrections made before the first processing, also removals', async () => {
    const { id } = await media.upload(1)
    const none = { latitude: null, longitude: null, city: null, state: null, dateTaken: null }
    for (const [field, value] of Object.entries(none)) {
      const position = { latitude: null, longitude: null }
      expect((await correct(id, field in position ? position : { [field]: value })).status).toBe(200)
    }
    expect(await media.save(await media.startOn(id), { ...FOUND, status: 'ready' })).toBe(true)
    expect(await media.photo(id)).toMatchObject({ status: 'ready', ...none, county: null })
  })

  test('keeps each correction by itself', async () => {
    for (const field of ['city', 'state', 'dateTaken'] as const) {
      const { id } = await media.upload(1)
      await correct(id, { [field]: null })
      await media.save(await media.startOn(id), { ...FOUND, status: 'ready' })
      const { city, state, dateTaken } = FOUND
      expect(await media.photo(id)).toMatchObject({ city, state, dateTaken, [field]: null })
    }
  })

  test('finds the position of the file after the one that the owner gave was taken back', async () => {
    const { id } = await media.upload(1)
    const place = (positions: object[]) =>
      media.json<{ before: object[] }>('/api/photos/positions', user(1), 'PUT', { positions })
    const { before } = await place([{ id, position: { latitude: 1, longitude: 2 } }])
    await place(before)
    expect(await media.save(await media.startOn(id), { ...FOUND, status: 'ready' })).toBe(true)
    const { latitude, city } = await media.photo(id)
    expect([latitude?.toString(), city]).toEqual([DULUTH.latitude, FOUND.city])
  })

  test('keeps a correction in a real worker, also when the owner requests processing again', async () => {
    media.startWorker()
    const { id } = await media.upload(1, {}, await dronePhoto({ latitude: 46.8426, longitude: -91.9946 }))
    await correct(id, { city: 'Lester Park' })
    await media.processed(id)
    expect(await media.photo(id)).toMatchObject({ status: 'ready', city: 'Lester Park', state: 'Minnesota' })
    await correct(id, DETROIT)
    await media.json(`/api/photos/${id}/reprocess`, user(1), 'POST')
    await media.processed(id)
    expect(await media.photo(id)).toMatchObject({ status: 'ready', city: 'Lester Park', state: 'Michigan' })
  })
})
