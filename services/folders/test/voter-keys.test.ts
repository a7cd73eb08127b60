import { openPool } from '@skyfolio/kit'
import { createTestDatabase } from '@skyfolio/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../src/database.ts'
import { oldestKnownKey } from '../src/voting/voter-identity.ts'

const [old, next, last] = ['k'.repeat(32), 'n'.repeat(32), 'l'.repeat(32)]

async function emptyDatabase() {
  const database = await createTestDatabase('folders')
  const pool = openPool(database.url)
  onTestFinished(async () => {
    await pool.end()
    await database.drop()
  })
  return openDatabase(pool)
}

test('the oldest known key hashes voters, at any position in the list, until it is removed', async () => {
  const db = await emptyDatabase()
  expect(await oldestKnownKey(db, [old])).toBe(old)
  expect(await oldestKnownKey(db, [old, next])).toBe(old)
  expect(await oldestKnownKey(db, [next, old])).toBe(old)
  expect(await oldestKnownKey(db, [last, next])).toBe(next)
})

test('the first of new keys counts as the oldest, and no key is stored in the database', async () => {
  const db = await emptyDatabase()
  expect(await oldestKnownKey(db, [next, old])).toBe(next)
  const stored = await db.voterKey.findMany()
  expect(stored).toHaveLength(2)
  for (const { id } of stored) expect([old, next]).not.toContain(id)
})

test('replicas that start at the same time agree on a key', async () => {
  const db = await emptyDatabase()
  await oldestKnownKey(db, [old])
  const lists = Array.from({ length: 20 }, (_, index) => (index % 2 ? [old, next] : [next, old]))
  expect(new Set(await Promise.all(lists.map((keys) => oldestKnownKey(db, keys))))).toEqual(new Set([old]))
})
