import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../src/files/object-keys.ts'
import type { FixedLocations } from '../src/photos/fix-locations.ts'
import { PHOTO_EVENTS, startTestMedia, type TestMedia, user } from './support.ts'

let media: TestMedia
beforeAll(async () => {
  media = await startTestMedia()
})
afterAll(() => media.close())

let lastUser = 0
let lastFile = 0

/** Creates a user with photos, each with these columns. */
async function userWith(photos: object[]): Promise<{ userId: number; ids: number[] }> {
  lastUser += 1
  const userId = lastUser
  const rows = await media.db.photo.createManyAndReturn({
    data: photos.map((columns) => {
      lastFile += 1
      const sha256 = lastFile.toString(16).padStart(64, '0')
      return { userId, title: 'A', originalName: 'a.jpg', filename: `${newId()}.jpg`, filesize: 1, sha256, ...columns }
    }),
  })
  return { userId, ids: rows.map(({ id }) => id) }
}

const fix = (userId: number) => media.json<FixedLocations>('/api/photos/geocode-update', user(userId), 'POST')

const DULUTH = { latitude: '46.8426', longitude: '-91.9946', status: 'ready' }
const IN_DULUTH = {
  city: 'Duluth',
  county: 'Saint Louis County',
  state: 'Minnesota',
  countryNames: 'USA United States of America',
}

describe('POST /api/photos/geocode-update', () => {
  test('sets the place of photos that have a position and no place, and leaves the others', async () => {
    const { userId, ids } = await userWith([
      DULUTH,
      { ...DULUTH, state: 'Minnesota' },
      { status: 'ready' },
      { ...DULUTH, city: 'Elsewhere', state: 'Nowhere' },
      { ...DULUTH, corrected: ['city'] },
      { ...DULUTH, city: 'Here', corrected: ['city'] },
      { ...DULUTH, corrected: ['state'] },
      { ...DULUTH, corrected: ['position', 'dateTaken'] },
      { ...DULUTH, purpose: 'metadata' },
      { latitude: '30', longitude: '-40', status: 'ready' },
      { ...DULUTH, status: 'processing' },
    ])
    const before = await media.db.photo.findMany({ where: { userId }, orderBy: { id: 'asc' } })
    expect(await fix(userId)).toEqual({ updatedCount: 4, checkedCount: 5, withoutPlaceCount: 4 })
    const after = await media.db.photo.findMany({ where: { userId }, orderBy: { id: 'asc' } })
    const named = [0, 1, 7, 10].map((index) => ids[index])
    for (const [index, photo] of after.entries()) {
      const old = before[index]
      if (!named.includes(photo.id)) expect(photo).toEqual(old)
      else expect(photo).toEqual({ ...old, ...IN_DULUTH, revision: (old?.revision ?? 0) + 1 })
    }
    expect(await fix(userId)).toEqual({ updatedCount: 0, checkedCount: 1, withoutPlaceCount: 4 })
  })

  test("changes the caller's photos only", async () => {
    const other = await userWith([DULUTH])
    const { userId } = await userWith([DULUTH])
    expect(await fix(userId)).toMatchObject({ updatedCount: 1 })
    expect(await media.photo(other.ids[0] ?? 0)).toMatchObject({ city: null, state: null })
  })

  test('returns 0 for a user without photos', async () => {
    expect(await fix((await userWith([])).userId)).toEqual({ updatedCount: 0, checkedCount: 0, withoutPlaceCount: 0 })
  })

  test('keeps the list of places up to date, and publishes each photo once', async () => {
    const events = await media.db.outbox.count({ where: PHOTO_EVENTS })
    const { userId } = await userWith(Array(3).fill(DULUTH))
    await fix(userId)
    expect(await media.db.outbox.count({ where: PHOTO_EVENTS })).toBe(events + 3)
    expect(await media.json('/api/photos/places', user(userId))).toEqual([
      { city: 'Duluth', state: 'Minnesota', count: 3 },
    ])
  })

  test('runs once for concurrent requests of a user', async () => {
    const { userId } = await userWith(Array(1200).fill(DULUTH))
    const responses = await Promise.all([fix(userId), fix(userId), fix(userId)])
    expect(Math.max(...responses.map(({ updatedCount }) => updatedCount))).toBe(1200)
    const photos = await media.db.photo.findMany({ where: { userId } })
    expect(photos.every(({ revision, city }) => revision === 2 && city === 'Duluth')).toBe(true)
  })

  test('keeps corrections that are made while it runs', async () => {
    const { userId, ids } = await userWith(Array(1200).fill(DULUTH))
    const late = ids.slice(-200)
    const correct = (id: number) => media.json(`/api/photos/${id}`, user(userId), 'PATCH', { city: 'Mine' })
    // A few at a time: a busy machine would reject some of many.
    const correctAll = async () => {
      for (let at = 0; at < late.length; at += 10) await Promise.all(late.slice(at, at + 10).map(correct))
    }
    await Promise.all([fix(userId), correctAll()])
    const photos = await media.db.photo.findMany({ where: { userId } })
    expect(photos.filter(({ city }) => city === 'Mine')).toHaveLength(200)
    expect(photos.filter(({ city }) => city === 'Duluth')).toHaveLength(1000)
  })
})
