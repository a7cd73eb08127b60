import { openPool } from '@skyfolio/kit'
import { createTestDatabase, testServers } from '@skyfolio/testkit'
import { expect, test } from 'vitest'

test('a test database is a migrated copy of its own', async () => {
  const [one, other] = await Promise.all([createTestDatabase('auth'), createTestDatabase('auth')])
  expect(one.url).not.toBe(other.url)
  const pool = openPool(one.url)
  await pool.query('SELECT id FROM users')
  await pool.query("INSERT INTO users (username, username_key, password_hash) VALUES ('ann', 'ann', 'x')")
  const empty = openPool(other.url)
  expect((await empty.query('SELECT id FROM users')).rowCount).toBe(0)
  await Promise.all([pool.end(), empty.end()])
  await Promise.all([one.drop(), other.drop()])
  expect(testServers().natsUrl).toContain('nats://')
})
