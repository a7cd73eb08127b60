import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeForm, runningSessions } from '../password-support.ts'
import { type Browser, PASSWORD, startAuth, type TestAuth } from '../support.ts'
import { asOperator, auditOf, registerAdministrator } from './support.ts'

/* Changes of rights at the same time. */

let auth: TestAuth
beforeAll(async () => {
  auth = await startAuth()
})
afterAll(() => auth.close())

const ROUNDS = 25

async function administrators(): Promise<number[]> {
  const { rows } = await auth.pool.query<{ id: number }>(
    `SELECT id FROM users WHERE is_admin AND NOT disabled AND id NOT IN (SELECT user_id FROM account_deletions)`,
  )
  return rows.map(({ id }) => id)
}

/** Two administrators who are the only ones, by direct changes of the database: many rounds. */
async function makeOnly(users: Browser[]): Promise<void> {
  const ids = users.map(({ userId }) => userId)
  await auth.pool.query('DELETE FROM account_deletions')
  await auth.pool.query('UPDATE users SET is_admin = id = ANY($1), disabled = false', [ids])
  for (const { session } of users) {
    const { hash, ...stored } = session
    await auth.redis.sadd(`sessions-of:${session.userId}`, hash)
    await auth.redis.set(`session:${hash}`, JSON.stringify({ ...stored, isAdmin: true }))
  }
}

const attacks = {
  demote: (actor: Browser, target: Browser) =>
    actor.call('PATCH', `/api/admin/users/${target.userId}`, { isAdmin: false }),
  disable: (actor: Browser, target: Browser) =>
    actor.call('PATCH', `/api/admin/users/${target.userId}`, { disabled: true }),
  delete: (actor: Browser, target: Browser) => actor.call('DELETE', `/api/admin/users/${target.userId}`),
}
const own = {
  'step down': (actor: Browser) => attacks.demote(actor, actor),
  'disable themselves': (actor: Browser) => attacks.disable(actor, actor),
  'delete their accounts': (actor: Browser) => actor.call('DELETE', '/api/user', { password: PASSWORD }),
}

test.each(Object.keys(attacks) as (keyof typeof attacks)[])(
  'one of two administrators who %s each other at the same time stays',
  async (name) => {
    const [a, b] = [await registerAdministrator(auth, `a-${name}`), await registerAdministrator(auth, `b-${name}`)]
    const kinds = Object.values(attacks)
    for (let round = 0; round < ROUNDS; round += 1) {
      await makeOnly([a, b])
      // The other one does the same, or something else.
      const other = kinds[round % kinds.length] ?? attacks[name]
      const responses = await Promise.all([attacks[name](a, b), other(b, a)])
      const succeeded = responses.filter(({ statusCode }) => statusCode < 300)
      expect([succeeded.length, (await administrators()).length]).toEqual([1, 1])
      for (const { statusCode } of responses) expect([200, 202, 401, 403]).toContain(statusCode)
    }
  },
)

test.each(Object.keys(own) as (keyof typeof own)[])(
  'one of two administrators who %s at the same time stays',
  async (name) => {
    const label = name.replaceAll(' ', '-')
    const [a, b] = [await registerAdministrator(auth, `a-${label}`), await registerAdministrator(auth, `b-${label}`)]
    for (let round = 0; round < ROUNDS; round += 1) {
      await makeOnly([a, b])
      const responses = await Promise.all([own[name](a), own[name](b)])
      expect(responses.map(({ statusCode }) => statusCode < 300).sort()).toEqual([false, true])
      const rejected = responses.find(({ statusCode }) => statusCode >= 300)
      expect([rejected?.statusCode, rejected?.json().code]).toEqual([409, 'last_administrator'])
      expect(await administrators()).toHaveLength(1)
    }
  },
)

test('an administrator who loses the right at the same time promotes nobody any more, or did so before', async () => {
  const [boss, rogue] = [await registerAdministrator(auth, 'boss'), await registerAdministrator(auth, 'rogue')]
  const accomplice = await auth.register('accomplice')
  for (let round = 0; round < ROUNDS; round += 1) {
    await makeOnly([boss, rogue])
    const before = await auditOf(auth, accomplice.userId)
    const [demoted, promoted] = await Promise.all([
      attacks.demote(boss, rogue),
      rogue.call('PATCH', `/api/admin/users/${accomplice.userId}`, { isAdmin: true }),
    ])
    expect(demoted.statusCode).toBe(200)
    expect((await administrators()).includes(accomplice.userId)).toBe(promoted.statusCode === 200)
    expect((await auditOf(auth, accomplice.userId)).length - before.length).toBe(promoted.statusCode === 200 ? 1 : 0)
    await runningSessions(auth, rogue.userId).then((running) => expect(running).toEqual([]))
  }
})

test('no session keeps the right when its user is demoted while it signs in or is replaced', async () => {
  const boss = await registerAdministrator(auth, 'chief')
  for (let round = 0; round < 8; round += 1) {
    await makeOnly([boss])
    const username = `climber${round}`
    const climber = await registerAdministrator(auth, username)
    await Promise.all([
      attacks.demote(boss, climber),
      auth.post('/api/login', { username, password: PASSWORD }),
      climber.call('POST', '/api/user/password', changeForm(PASSWORD)),
    ])
    for (const hash of await runningSessions(auth, climber.userId)) {
      expect(JSON.parse((await auth.redis.get(`session:${hash}`)) ?? '{}')).toMatchObject({ isAdmin: false })
    }
  }
})

test('no session survives when its user is disabled while it signs in or is replaced', async () => {
  const boss = await registerAdministrator(auth, 'principal')
  for (let round = 0; round < 8; round += 1) {
    await makeOnly([boss])
    const username = `stayer${round}`
    const stayer = await auth.register(username)
    await Promise.all([
      attacks.disable(boss, stayer),
      auth.post('/api/login', { username, password: PASSWORD }),
      stayer.call('POST', '/api/user/password', changeForm(PASSWORD)),
    ])
    expect(await runningSessions(auth, stayer.userId)).toEqual([])
  }
})

test('an operator cannot take the last administrator away either', async () => {
  const boss = await registerAdministrator(auth, 'lonely')
  await makeOnly([boss])
  await expect(asOperator(auth, 'lonely', { isAdmin: false })).rejects.toMatchObject({ code: 'last_administrator' })
  await expect(asOperator(auth, 'lonely', { disabled: true })).rejects.toMatchObject({ code: 'last_administrator' })
})
