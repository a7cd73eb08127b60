import { openPool } from '@skyfolio/kit'
import { createTestDatabase } from '@skyfolio/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { oldestKnownKey } from '../src/voting/voter-keys.ts'

const [old, next, last] = ['k'.repeat(32), 'n'.repeat(32), 'l'.repeat(32)]

async function emptyDatabase() {
  const database = await createTestDatabase('folders')
  const pool = openPool(database.url)
  onTestFinished(async () => {
    await pool.end()
    await database.drop()
  })
  return pool
}

test('the oldest known key hashes voters, at any position in the list, until it is removed', async () => {
  const pool = await emptyDatabase()
  expect(await oldestKnownKey(pool, [old])).toBe(old)
  expect(await oldestKnownKey(pool, [old, next])).toBe(old)
  expect(await oldestKnownKey(pool, [next, old])).toBe(old)
  expect(await oldestKnownKey(pool, [last, next])).toBe(next)
})

test('the first of new keys counts as the oldest, and no key is stored in the database', async () => {
  const pool = await emptyDatabase()
  expect(await oldestKnownKey(pool, [next, old])).toBe(next)
  const { rows } = await pool.query('SELECT id FROM voter_keys')
  expect(rows).toHaveLength(2)
  for (const { id } of rows) expect([old, next]).not.toContain(id)
})

test('replicas that start at the same time agree on a key', async () => {
  const pool = await emptyDatabase()
  await oldestKnownKey(pool, [old])
  const lists = Array.from({ length: 20 }, (_, index) => (index % 2 ? [old, next] : [next, old]))
  expect(new Set(await Promise.all(lists.map((keys) => oldestKnownKey(pool, keys))))).toEqual(new Set([old]))
})
