import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, startAuth, type TestAuth } from '../support.ts'
import { asOperator, registerAdministrator } from './support.ts'

let auth: TestAuth
let admin: Browser
beforeAll(async () => {
  auth = await startAuth()
  admin = await registerAdministrator(auth, 'boss')
})
afterAll(() => auth.close())

async function list(query = '') {
  const response = await admin.call('GET', `/api/admin/users${query}`)
  const users: { id: number; username: string }[] = response.json()
  return {
    status: response.statusCode,
    users,
    names: response.statusCode === 200 ? users.map(({ username }) => username) : [],
    total: Number(response.headers['x-total-count']),
    next: /^<\/api\/admin\/users([^>]+)>; rel="next"$/.exec(String(response.headers.link ?? ''))?.[1] ?? null,
  }
}

/** Users at known times; several at the same one, also within a millisecond. */
async function addUsers(prefix: string, count: number): Promise<string[]> {
  await auth.pool.query(
    `INSERT INTO users (username, username_key, password_hash, email, created_at)
     SELECT $1 || n, $1 || n, '', $1 || n || '@example.org', '2020-01-01'::timestamptz + (n / 3) * interval '1 microsecond'
     FROM generate_series(1, $2::int) AS n`,
    [prefix, count],
  )
  return Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`)
}

async function allPages(query: string): Promise<string[]> {
  const names: string[] = []
  for (let page = await list(query); ; page = await list(page.next)) {
    names.push(...page.names)
    if (page.next === null) return names
  }
}

test('shows all that administrators need of a user, and no secrets', async () => {
  const { userId } = await auth.register('complete', { email: 'c@example.org', firstName: 'Ann', lastName: 'Lee' })
  await asOperator(auth, 'complete', { quota: 5_000_000_000_000n })
  await auth.pool.query(
    `INSERT INTO user_usage (user_id, photos, locations, bytes, revision) VALUES ($1, 7, 2, 9000000000, 1)`,
    [userId],
  )
  await auth.pool.query(
    `INSERT INTO user_activity VALUES ($1, '2026-01-02T03:04:05Z') ON CONFLICT (user_id) DO UPDATE SET last_active_at = EXCLUDED.last_active_at`,
    [userId],
  )
  const deletesAt = new Date('2030-01-01T00:00:00Z')
  await auth.db.accountDeletion.create({ data: { userId, byAdmin: true, deletesAt } })
  const expected = {
    id: userId,
    username: 'complete',
    email: 'c@example.org',
    emailConfirmed: false,
    firstName: 'Ann',
    lastName: 'Lee',
    isAdmin: false,
    disabled: false,
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    lastActiveAt: '2026-01-02T03:04:05.000Z',
    photoCount: 7,
    storageUsed: 9_000_000_000,
    quota: 5_000_000_000_000,
    deletesAt: deletesAt.toISOString(),
    deletionByAdmin: true,
  }
  expect((await list('?q=complete')).users).toEqual([expected])
  expect((await admin.call('GET', `/api/admin/users/${userId}`)).json()).toEqual(expected)
  expect((await admin.call('GET', '/api/admin/users/999999')).statusCode).toBe(404)
  const [plain] = (await list('?q=boss')).users
  expect(plain).toMatchObject({ photoCount: 0, storageUsed: 0, quota: null, deletesAt: null, deletionByAdmin: false })
})

test('pages through users of the same instant without gaps or repetitions, in both orders', async () => {
  const names = await addUsers('twin', 20)
  const oldest = await allPages('?q=twin&sort=oldest&limit=3')
  expect(oldest).toEqual(names)
  expect(await allPages('?q=twin&limit=3')).toEqual(names.toReversed())
  expect(await allPages('?sort=oldest&limit=7')).toEqual((await allPages('?limit=6')).toReversed())
  expect((await list('?sort=oldest&limit=200')).total).toBe(await auth.db.user.count())
})

test('a cursor stays valid when its user is gone and when others register', async () => {
  await addUsers('cursor', 6)
  const first = await list('?q=cursor&limit=2')
  expect(first.names).toEqual(['cursor6', 'cursor5'])
  await auth.pool.query(`DELETE FROM users WHERE username = 'cursor5'`)
  await auth.register('cursor-late')
  expect((await list(first.next ?? '')).names).toEqual(['cursor4', 'cursor3'])
})

test('filters by role, also as it changes', async () => {
  const { userId } = await auth.register('deputy')
  expect((await list('?role=admin')).names).toEqual(['boss'])
  await asOperator(auth, 'deputy', { isAdmin: true })
  expect(await list('?role=admin&sort=oldest')).toMatchObject({ names: ['boss', 'deputy'], total: 2 })
  expect((await list('?role=admin&q=dep')).names).toEqual(['deputy'])
  expect((await list('?role=user&q=deputy')).names).toEqual([])
  await asOperator(auth, 'deputy', { isAdmin: false })
  expect(await list('?role=admin')).toMatchObject({ names: ['boss'], total: 1 })
  expect((await list('?role=user&q=deputy')).users[0]?.id).toBe(userId)
  expect((await list('?role=user')).total).toBe((await auth.db.user.count()) - 1)
})

test.each([
  ['ZOË', ['searched']],
  ['zoë o’', ['searched']],
  ['searched@EXAMPLE', ['searched']],
  ['  earche ', ['searched']],
  ['100%_\\', ['odd%_']],
  ['%', ['odd%_']],
  ['_', ['odd%_']],
  ['no such user', []],
  ['\0', []],
  ['\x01', []],
])('finds %j in username, address and name, whatever the case', async (q, expected) => {
  if ((await auth.db.user.count({ where: { username: 'searched' } })) === 0) {
    await auth.register('searched', { email: 'searched@example.net', firstName: 'Zoë', lastName: 'O’Neil' })
    await auth.register('odd%_', { firstName: '100%_\\' })
  }
  const found = await list(`?q=${encodeURIComponent(q)}`)
  expect([found.names, found.total]).toEqual([expected, expected.length])
})

test('a search follows names and addresses as they change', async () => {
  const user = await auth.register('renamed', { firstName: 'Before' })
  await user.call('PUT', '/api/user', { firstName: 'Afterwards', email: 'moved@example.com' })
  expect((await list('?q=before')).names).toEqual([])
  expect((await list('?q=afterwards')).names).toEqual(['renamed'])
  expect((await list('?q=moved@')).names).toEqual(['renamed'])
})

test('a search finds everybody, however many match and wherever they are in the list', async () => {
  const names = await addUsers('crowd', 4000)
  // One in ten: not enough among the newest, too many for the index.
  await auth.pool.query(`UPDATE users SET last_name = 'Tenth' WHERE username LIKE 'crowd%0'`)
  await auth.pool.query(`UPDATE users SET last_name = 'Rareness' WHERE username IN ('crowd7', 'crowd3999')`)
  const tenth = names.filter((name) => name.endsWith('0')).toReversed()
  expect(await allPages('?q=tenth&limit=90')).toEqual(tenth)
  expect((await list('?q=tenth')).total).toBe(400)
  expect(await list('?q=rareness')).toMatchObject({ names: ['crowd3999', 'crowd7'], total: 2, next: null })
  expect((await list('?q=crowd&limit=1')).total).toBe(1001)
  expect(await allPages('?q=crowd&limit=200&sort=oldest')).toEqual(names)
  expect((await list('?q=7&limit=1')).total).toBeGreaterThan(1000)
  expect((await list('?q=d7&sort=oldest&limit=2')).names).toEqual(['crowd7', 'crowd70'])
})

test.each([
  '?limit=0',
  '?limit=201',
  '?limit=many',
  '?role=owner',
  '?sort=name',
  `?q=${'x'.repeat(201)}`,
  '?cursor=nonsense',
  `?cursor=${Buffer.from('2026-02-30T00:00:00.000000Z 1').toString('base64url')}`,
  `?cursor=${Buffer.from('2026-02-20T24:00:00.000000Z 1').toString('base64url')}`,
  `?cursor=${Buffer.from('2020-13-45T00:00:00.000000Z 1').toString('base64url')}`,
  `?cursor=${Buffer.from('2020-01-01T00:00:00.000000Z 99999999999').toString('base64url')}`,
])('rejects %s', async (query) => {
  expect((await list(query)).status).toBe(400)
})
