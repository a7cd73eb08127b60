import { openPool } from '@skyfolio/kit'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestMedia, type TestMedia, user } from '../support.ts'

// Making a million photos takes minutes.
vi.setConfig({ testTimeout: 1_200_000, hookTimeout: 120_000 })

let media: TestMedia
beforeAll(async () => {
  media = await startTestMedia()
})
afterAll(() => media.close())

const PHOTOS = 1_000_000
const CHUNK = 5000

async function tile(path: string): Promise<{ count: number }[]> {
  const { points } = await media.json<{ points: { count: number }[] }>(`/api/photos/map/${path}`, user(1))
  return points.map(({ count }) => ({ count }))
}

test('a million photos at one place are one point at every zoom, and stay counted', async () => {
  const pool = openPool(media.env.DATABASE_URL ?? '')
  for (let start = 0; start < PHOTOS; start += CHUNK) {
    await pool.query(
      `INSERT INTO photos (user_id, title, filename, original_name, filesize, sha256, latitude, longitude)
       SELECT 1, 'x', 'map-' || n, 'x', 1, 'map-' || n, 0, 0 FROM generate_series($1::int + 1, $1::int + $2::int) AS n`,
      [start, CHUNK],
    )
  }
  await pool.query('VACUUM ANALYZE photos')
  await pool.end()

  for (const z of [1, 7, 14, 19, 21, 22])
    expect(await tile(`${z}/${2 ** (z - 1)}/${2 ** (z - 1)}`)).toEqual([{ count: PHOTOS }])
  const started = performance.now()
  await tile('22/2097152/2097152')
  expect(performance.now() - started).toBeLessThan(1000)
  expect(await media.json('/api/photos/map/extent', user(1))).toMatchObject({ count: PHOTOS, without: 0 })

  const [{ id } = { id: 0 }] = await media.json<{ id: number }[]>('/api/photos?limit=1&near=0,0,1', user(1))
  await media.json(`/api/photos/${id}`, user(1), 'PATCH', { latitude: 1, longitude: 1 })
  expect(await tile('9/256/256')).toEqual([{ count: PHOTOS - 1 }])
  expect(await tile('9/257/254')).toEqual([{ count: 1 }])
})
