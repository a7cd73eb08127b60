import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { saveStatistics } from '../src/statistics/installation.ts'
import { registerAdmin } from './admin-support.ts'
import { type Browser, startAuth, type TestAuth } from './support.ts'

const MEGABYTE = 1_048_576

let auth: TestAuth
let admin: Browser
beforeAll(async () => {
  auth = await startAuth()
  admin = await registerAdmin(auth, 'boss')
})
afterAll(() => auth.close())
beforeEach(() => auth.pool.query('TRUNCATE daily_statistics, user_usage, user_activity'))

const read = async () => (await admin.call('GET', '/api/admin/stats')).json()

/** Days before today, as the database counts them. */
async function dayBefore(days: number): Promise<string> {
  const { rows } = await auth.pool.query(`SELECT ((now() AT TIME ZONE 'UTC')::date - $1::int)::text AS day`, [days])
  return rows[0].day
}

async function addDay(daysAgo: number, photos: number) {
  await auth.pool.query(
    `INSERT INTO daily_statistics (day, measured_at, users, photos, bytes, active) VALUES ($1, now(), 3, $2, $3, 1)`,
    [await dayBefore(daysAgo), photos, photos * MEGABYTE],
  )
}

async function addUser(username: string, { photos = 0, bytes = 0, activeDaysAgo = 0 }) {
  const { userId } = await auth.register(username)
  await auth.pool.query('INSERT INTO user_usage VALUES ($1, $2, 1, $3, 1)', [userId, photos, bytes])
  await auth.pool.query('INSERT INTO user_activity VALUES ($1, now() - make_interval(days => $2))', [
    userId,
    activeDaysAgo,
  ])
}

test('the figures count users, photos, megabytes, and users who were active in the last 30 days', async () => {
  await addUser('amelia', { photos: 3, bytes: 2.5 * MEGABYTE + 1, activeDaysAgo: 0 })
  await addUser('bessie', { photos: 4, bytes: MEGABYTE, activeDaysAgo: 29 })
  await addUser('carl', { photos: 0, bytes: 0, activeDaysAgo: 31 })
  const users = await auth.db.user.count()
  const storageUsedMB = 3.5 + 1 / MEGABYTE
  const figures = { totalUsers: users, totalPhotos: 7, storageUsedMB, activeUsersToday: 2 }
  const today = { day: await dayBefore(0), users, photos: 7, storageMB: storageUsedMB, active: 2 }
  expect(await read()).toEqual({ ...figures, history: [today] })
  await saveStatistics(auth.db)
  expect(await read()).toEqual({ ...figures, history: [today] })
})

test('what the worker measured is shown until it is too old, then the route measures', async () => {
  await saveStatistics(auth.db)
  await addUser('dora', { photos: 5 })
  expect((await read()).totalPhotos).toBe(0)
  await auth.pool.query(`UPDATE daily_statistics SET measured_at = now() - interval '46 seconds'`)
  expect((await read()).totalPhotos).toBe(5)
  await saveStatistics(auth.db)
  await saveStatistics(auth.db)
  expect((await read()).totalPhotos).toBe(5)
  expect(await auth.db.dailyStatistics.count()).toBe(1)
})

test('a new user counts at once', async () => {
  await saveStatistics(auth.db)
  const { totalUsers } = await read()
  await auth.register('edith')
  expect((await read()).totalUsers).toBe(totalUsers + 1)
})

test('the history has 30 days, and a day without figures has those of the day before it', async () => {
  for (const [daysAgo, photos] of [
    [40, 10],
    [10, 30],
    [8, 50],
  ] as const) {
    await addDay(daysAgo, photos)
  }
  const { history } = await read()
  expect(history).toHaveLength(30)
  expect(history.map(({ photos }: { photos: number }) => photos)).toEqual([
    ...Array(19).fill(10),
    30,
    30,
    ...Array(8).fill(50),
    0,
  ])
  expect([history[0].day, history[29].day]).toEqual([await dayBefore(29), await dayBefore(0)])
  expect(history[20]).toEqual({ day: await dayBefore(9), users: 3, photos: 30, storageMB: 30, active: 1 })
})

test('days before the first known one are left out', async () => {
  await addDay(2, 5)
  expect((await read()).history.map(({ day }: { day: string }) => day)).toEqual([
    await dayBefore(2),
    await dayBefore(1),
    await dayBefore(0),
  ])
})

test('somebody who is no administrator any more gets neither statistics nor audit log, whatever the session says', async () => {
  const former = await registerAdmin(auth, 'former')
  await auth.db.user.update({ where: { id: former.userId }, data: { isAdmin: false } })
  const paths = ['/api/admin/stats', '/api/admin/audit']
  const statuses = await Promise.all(paths.map(async (path) => (await former.call('GET', path)).statusCode))
  expect(statuses).toEqual([403, 403])
})
