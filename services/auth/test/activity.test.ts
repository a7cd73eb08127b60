import { ACTIVITY_KEY } from '@skyfolio/kit'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { moveActivity } from '../src/activity/move-activity.ts'
import { startAuth, type TestAuth } from './support.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startAuth()
})
afterAll(() => auth.close())
beforeEach(() => auth.redis.del(ACTIVITY_KEY))

const move = () => moveActivity(auth.redis, auth.db)
const setActive = (userId: number | string, seconds: number) => auth.redis.zadd(ACTIVITY_KEY, seconds, userId)
const left = () => auth.redis.zrange(ACTIVITY_KEY, 0, -1)

async function secondsOf(userId: number): Promise<number | null> {
  const activity = await auth.db.userActivity.findUnique({ where: { userId } })
  return activity && activity.lastActiveAt.getTime() / 1000
}

test('a sign-in is activity, which a worker takes from Redis', async () => {
  const { userId } = await auth.register('amelia')
  const worker = await auth.startWorker()
  await waitFor(() => secondsOf(userId), { what: 'the activity' })
  await worker.stop()
  expect(await left()).toEqual([])
})

test('a sign-in succeeds although its activity cannot be recorded', async () => {
  await auth.redis.set(ACTIVITY_KEY, 'not a sorted set')
  const { call } = await auth.register('bessie')
  expect((await call('GET', '/api/user')).statusCode).toBe(200)
})

test('activity never goes back, and never beyond now', async () => {
  const { userId } = await auth.register('carl')
  const now = Math.floor(Date.now() / 1000)
  await setActive(userId, now - 100)
  await move()
  expect(await secondsOf(userId)).toBe(now - 100)
  await setActive(userId, now - 500)
  await move()
  expect(await secondsOf(userId)).toBe(now - 100)
  await setActive(userId, now + 1e6)
  await move()
  expect(await secondsOf(userId)).toBeLessThan(now + 1_000)
})

test('users who do not exist or are erased leave no activity, nor do other members', async () => {
  const { userId } = await auth.register('dora')
  await move()
  await auth.pool.query('DELETE FROM user_activity')
  await auth.pool.query(
    'INSERT INTO account_deletions (user_id, by_admin, deletes_at, erasing_since) VALUES ($1, false, now(), now())',
    [userId],
  )
  for (const member of [userId, 77_777, 9_999_999_999, 'nobody']) await setActive(member, 1_000)
  await move()
  expect([await auth.db.userActivity.count(), await left()]).toEqual([0, []])
})

test('a user who is active while the activity is moved stays for the next time', async () => {
  const { userId } = await auth.register('edith')
  await setActive(userId, 1_000)
  const client = await auth.pool.connect()
  await client.query('BEGIN; LOCK TABLE user_activity')
  const moving = move()
  await waitFor(async () => (await auth.pool.query('SELECT FROM pg_locks WHERE NOT granted')).rows.length > 0, {
    what: 'the worker waits for the table',
  })
  await setActive(userId, 2_000)
  await client.query('COMMIT')
  client.release()
  await moving
  expect(await left()).toEqual([String(userId)])
  await move()
  expect([await secondsOf(userId), await left()]).toEqual([2_000, []])
})

test('more users than fit in one round are moved at once', async () => {
  const { rows } = await auth.pool.query<{ id: number }>(
    `INSERT INTO users (username, username_key, password_hash)
     SELECT 'many' || n, 'many' || n, '' FROM generate_series(1, 2500) AS n RETURNING id`,
  )
  await auth.redis.zadd(ACTIVITY_KEY, ...rows.flatMap(({ id }) => [1_000, id]))
  await move()
  expect(await left()).toEqual([])
  expect(await auth.db.userActivity.count({ where: { lastActiveAt: new Date(1_000_000) } })).toBe(2_500)
})
