import { fromBinary } from '@bufbuild/protobuf'
import { events, UserChangedSchema } from '@skyfolio/proto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { confirmedUser, linkIn, mailsOf, sendMail, startAuthWithMail } from '../address-support.ts'
import { isRunning, runningSessions } from '../password-support.ts'
import { type Browser, PASSWORD, startAuth, type TestAuth } from '../support.ts'
import { auditOf, registerAdministrator } from './support.ts'

let auth: TestAuth
let admin: Browser
beforeAll(async () => {
  auth = await startAuthWithMail()
  admin = await registerAdministrator(auth, 'boss')
})
afterAll(() => auth.close())

const patch = (userId: number, body: object, actor = admin) => actor.call('PATCH', `/api/admin/users/${userId}`, body)
const reset = (userId: number) => admin.call('POST', `/api/admin/users/${userId}/password-reset`)

/** What the events about a user said, oldest first. */
async function published(userId: number) {
  const rows = await auth.db.outbox.findMany({
    where: { subject: events.userChanged.subject },
    orderBy: { seq: 'asc' },
  })
  const all = rows.map(({ payload }) => fromBinary(UserChangedSchema, payload))
  return all
    .filter(({ user }) => user?.id === userId)
    .map(({ user, revision }) => ({ suspended: user?.suspended, quota: user?.quota, revision }))
}

describe('a change', () => {
  test('leaves the fields that it does not name, and names its fields in the audit log, not their values', async () => {
    const { userId } = await auth.register('partial', { firstName: 'Old', lastName: 'Kept' })
    const response = await patch(userId, { firstName: ' New ' })
    expect(response.json()).toMatchObject({ firstName: 'New', lastName: 'Kept', isAdmin: false, quota: null })
    await patch(userId, { firstName: '', lastName: null, quota: 0 })
    await patch(userId, { quota: null })
    expect((await patch(userId, {})).json()).toMatchObject({ firstName: null, lastName: null, quota: null })
    const actorId = admin.userId
    expect(await auditOf(auth, userId)).toEqual([
      { actorId, action: 'user.edited', detail: 'firstName' },
      { actorId, action: 'user.edited', detail: 'firstName, lastName' },
      { actorId, action: 'user.quota-changed', detail: '0 bytes' },
      { actorId, action: 'user.quota-changed', detail: 'default' },
    ])
    expect(await published(userId)).toEqual([
      { suspended: false, quota: undefined, revision: 1 },
      { suspended: false, quota: 0n, revision: 2 },
      { suspended: false, quota: undefined, revision: 3 },
    ])
  })

  test('makes no event, no entry and ends no session when the user has all of it already', async () => {
    const user = await auth.register('same', { firstName: 'Same' })
    const { deletesAt: _, ...before } = (await admin.call('GET', `/api/admin/users/${user.userId}`)).json()
    const { firstName, email, isAdmin, disabled, quota } = before
    expect((await patch(user.userId, { firstName, email, isAdmin, disabled, quota })).statusCode).toBe(200)
    expect([await auditOf(auth, user.userId), await published(user.userId)]).toEqual([[], expect.any(Array)])
    expect(await published(user.userId)).toHaveLength(1)
    expect(await isRunning(auth, user)).toBe(true)
  })

  test.each([
    [{ username: 'other' }],
    [{ firstName: 'A', password: 'secret' }],
    [{ emailConfirmed: true }],
    [{ isAdmin: 'true' }],
    [{ isAdmin: null }],
    [{ disabled: 1 }],
    [{ quota: -1 }],
    [{ quota: 1.5 }],
    [{ quota: '5' }],
    [{ quota: 2 ** 60 }],
    [{ email: 'nonsense' }],
    [{ firstName: 'x'.repeat(101) }],
    [{ lastName: 'nul\0' }],
    [[]],
  ])('%j is rejected as a whole', async (body) => {
    const { userId } = (await auth.db.user
      .findUnique({ where: { usernameKey: 'target' } })
      .then((row) => (row ? { userId: row.id } : auth.register('target')))) as { userId: number }
    expect((await patch(userId, body)).statusCode).toBe(400)
    expect(await auditOf(auth, userId)).toEqual([])
  })

  test('is 404 for nobody, and 409 for an account that is being erased', async () => {
    const { userId } = await auth.register('leaving')
    expect((await patch(999_999, { firstName: 'A' })).statusCode).toBe(404)
    const since = new Date()
    await auth.db.accountDeletion.create({ data: { userId, byAdmin: false, deletesAt: since, erasingSince: since } })
    const responses = [await patch(userId, { disabled: true }), await reset(userId)]
    expect(responses.map((response) => [response.statusCode, response.json().code])).toEqual(
      Array(2).fill([409, 'account_erasing']),
    )
  })
})

describe('rights', () => {
  test('a promoted user administers in the sessions that run; a demoted one is signed out', async () => {
    const user = await auth.register('risen')
    const second = await auth.signIn('risen')
    expect((await patch(user.userId, { isAdmin: true })).json()).toMatchObject({ isAdmin: true })
    for (const { session } of [user, second]) {
      const stored = JSON.parse((await auth.redis.get(`session:${session.hash}`)) ?? '{}')
      expect(stored).toMatchObject({ isAdmin: true })
    }
    const identity = { isAdmin: true }
    expect((await user.call('GET', '/api/admin/users', undefined, { identity })).statusCode).toBe(200)
    await patch(user.userId, { isAdmin: false })
    expect(await runningSessions(auth, user.userId)).toEqual([])
    expect((await auditOf(auth, user.userId)).map(({ action }) => action)).toEqual(['user.promoted', 'user.demoted'])
  })

  test('a session that still says administrator is worth nothing when the database says otherwise', async () => {
    const states = {
      demoted: (id: number) => auth.pool.query('UPDATE users SET is_admin = false WHERE id = $1', [id]),
      disabled: (id: number) => auth.pool.query('UPDATE users SET disabled = true WHERE id = $1', [id]),
      deleting: (id: number) =>
        auth.pool.query('INSERT INTO account_deletions (user_id, by_admin, deletes_at) VALUES ($1, false, now())', [
          id,
        ]),
    }
    const { userId } = await auth.register('protected')
    for (const [state, apply] of Object.entries(states)) {
      const stale = await registerAdministrator(auth, `stale-${state}`)
      await apply(stale.userId)
      const responses = [
        await stale.call('GET', '/api/admin/users'),
        await patch(userId, { isAdmin: true }, stale),
        await stale.call('DELETE', `/api/admin/users/${userId}`),
      ]
      expect(responses.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403])
    }
    expect(await auditOf(auth, userId)).toEqual([])
  })

  test('a session of an administrator that has ended is 401', async () => {
    const ended = await registerAdministrator(auth, 'gone-home')
    await ended.call('POST', '/api/logout')
    expect((await ended.call('GET', '/api/admin/users')).statusCode).toBe(401)
  })
})

describe('an address that an administrator changes', () => {
  test('is not confirmed without the password; the owner is told, gets reset links, and can take it back', async () => {
    const owner = await confirmedUser(auth)
    const thief = 'administrator@example.net'
    const response = await patch(owner.userId, { email: thief })
    expect(response.json()).toMatchObject({ email: thief, emailConfirmed: false })
    expect(await owner.mails()).toEqual([
      { kind: 'email-changed', address: owner.address },
      { kind: 'confirm-email', address: thief },
    ])
    // The administrator reads the mail that the new address gets, and has no password.
    const link = await linkIn(auth, owner.userId, 'confirm-email', thief)
    expect([(await owner.confirm(link)).statusCode, (await owner.confirm(link, 'a guess')).statusCode]).toEqual([
      400, 400,
    ])
    expect((await reset(owner.userId)).statusCode).toBe(202)
    expect((await mailsOf(auth, owner.userId)).filter(({ kind }) => kind === 'reset-password')).toEqual([
      { kind: 'reset-password', address: owner.address },
    ])
    const back = await linkIn(auth, owner.userId, 'revert-email', owner.address)
    expect((await owner.revert(back)).statusCode).toBe(204)
    expect(await owner.state()).toMatchObject({ email: owner.address, emailConfirmed: true })
    expect((await auth.post('/api/login', { username: owner.username, password: PASSWORD })).statusCode).toBe(200)
  })

  test('gives no account without a confirmed address one', async () => {
    const { userId } = await auth.register('without-address')
    await patch(userId, { email: 'administrator@example.net' })
    const response = await reset(userId)
    expect([response.statusCode, response.json().code]).toEqual([409, 'no_confirmed_address'])
    const token = await linkIn(auth, userId, 'confirm-email', 'administrator@example.net')
    expect((await auth.post('/api/user/email/confirm', { token })).statusCode).toBe(400)
  })
})

describe('a link for a new password', () => {
  test('goes to this account alone, works, and is in the audit log', async () => {
    const owner = await confirmedUser(auth)
    expect((await reset(owner.userId)).statusCode).toBe(202)
    const token = await sendMail(auth, owner.userId, 'reset-password', owner.address)
    const password = 'another long one'
    const done = await auth.post('/api/password-reset/confirm', { token, password, confirmPassword: password })
    expect(done.statusCode).toBe(204)
    expect(await auditOf(auth, owner.userId)).toEqual([
      { actorId: admin.userId, action: 'user.password-reset-sent', detail: '' },
    ])
  })

  test('is sent five times an hour to a user', async () => {
    const owner = await confirmedUser(auth)
    for (let sent = 0; sent < 5; sent += 1) expect((await reset(owner.userId)).statusCode).toBe(202)
    expect((await reset(owner.userId)).statusCode).toBe(429)
  })

  test('needs a mail server', async () => {
    const plain = await startAuth()
    const boss = await registerAdministrator(plain, 'boss')
    const response = await boss.call('POST', `/api/admin/users/${boss.userId}/password-reset`)
    expect([response.statusCode, response.json().code]).toEqual([503, 'mail_not_configured'])
    await plain.close()
  })
})
