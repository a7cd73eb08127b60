import { inTransaction } from '@skyfolio/kit'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { confirmedUser, linkIn, type Person, sendMail, startAuthWithMail } from './address-support.ts'
import { PASSWORD, type TestAuth } from './support.ts'

const ROUNDS = 8

let auth: TestAuth
beforeAll(async () => {
  auth = await startAuthWithMail({ addressMailsPerHour: 1000 })
})
afterAll(() => auth.close())

/** Runs the requests at once, in an order that varies. */
async function race(round: number, ...requests: (() => Promise<{ statusCode: number }>)[]): Promise<number[]> {
  const order = round % 2 === 0 ? requests : requests.toReversed()
  const responses = await Promise.all(order.map((request) => request()))
  const statuses = responses.map(({ statusCode }) => statusCode)
  return round % 2 === 0 ? statuses : statuses.reverse()
}

/** Runs requests that reach the locked row of a user, then `change` in the transaction that holds the lock. */
async function whileLocked<T>(user: Person, requests: () => Promise<T>, change: string): Promise<T> {
  const { responses } = await inTransaction(auth.pool, async (client) => {
    await client.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [user.userId])
    const started = { responses: requests() }
    const blocked = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    await waitFor(async () => (await auth.pool.query(blocked)).rowCount, { what: 'a request waits for the lock' })
    await client.query(change, [user.userId])
    return started
  })
  return responses
}

test('one of two concurrent changes is the address, the link of the other is useless, and both are told to the former one', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const user = await confirmedUser(auth)
    const candidates = [`a${round}@example.org`, `b${round}@example.org`]
    expect(await race(round, ...candidates.map((email) => () => user.change(email)))).toEqual([200, 200])
    const state = await user.state()
    expect(candidates).toContain(state.email)
    expect(state).toMatchObject({ emailConfirmed: false, formerEmail: user.address })
    const notices = (await user.mails()).filter(({ kind }) => kind === 'email-changed')
    expect(notices.map(({ address }) => address)).toEqual([user.address, user.address])
    const tokens = await Promise.all(candidates.map((email) => sendMail(auth, user.userId, 'confirm-email', email)))
    expect(tokens.map((token) => token !== null)).toEqual(candidates.map((email) => email === state.email))
  }
})

test('the later of a change and the taking back of the one before holds, and can itself be taken back', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const user = await confirmedUser(auth)
    await user.change(`thief${round}@example.org`)
    const token = await user.link('revert-email', user.address)
    const next = `next${round}@example.org`
    const [reverted, changed] = await race(
      round,
      () => user.revert(token),
      () => user.change(next),
    )
    expect(reverted).toBe(204)
    const state = await user.state()
    if (state.email === next) {
      expect(state).toEqual({ email: next, emailConfirmed: false, formerEmail: user.address })
      expect((await user.revert(await user.link('revert-email', user.address))).statusCode).toBe(204)
    }
    // The session may have ended before the change.
    expect([200, 401]).toContain(changed)
    expect(await user.state()).toEqual({ email: user.address, emailConfirmed: true, formerEmail: null })
    expect(await auth.db.accountToken.count({ where: { userId: user.userId } })).toBe(0)
  }
})

test('a link confirms no address that a concurrent change has replaced', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const user = await confirmedUser(auth)
    const [second, third] = [`second${round}@example.org`, `third${round}@example.org`]
    await user.change(second)
    const token = await user.link('confirm-email', second)
    const [confirmed, changed] = await race(
      round,
      () => user.confirm(token, PASSWORD),
      () => user.change(third),
    )
    expect(changed).toBe(200)
    expect([204, 410]).toContain(confirmed)
    const formerEmail = confirmed === 204 ? second : user.address
    expect(await user.state()).toEqual({ email: third, emailConfirmed: false, formerEmail })
  }
})

test('concurrent uses of one link confirm once, and take back once', async () => {
  const user = await confirmedUser(auth)
  await user.change('new@example.org')
  const confirm = await user.link('confirm-email', 'new@example.org')
  const revert = await user.link('revert-email', user.address)
  const statuses = async (use: () => Promise<{ statusCode: number }>) =>
    (await Promise.all(Array.from({ length: 4 }, use))).map(({ statusCode }) => statusCode).sort()
  expect(await statuses(() => user.confirm(confirm, PASSWORD))).toEqual([204, 410, 410, 410])
  expect(await statuses(() => user.revert(revert))).toEqual([204, 410, 410, 410])
})

test('concurrent changes of password and address are both kept', async () => {
  for (let round = 0; round < 4; round++) {
    const user = await confirmedUser(auth)
    const newPassword = `battery staple ${round}`
    const form = { currentPassword: PASSWORD, newPassword, confirmPassword: newPassword }
    const email = `kept${round}@example.org`
    const statuses = await race(
      round,
      () => user.call('POST', '/api/user/password', form),
      () => user.change(email),
    )
    expect(statuses).toEqual([204, 200])
    expect(await user.state()).toMatchObject({ email, formerEmail: user.address })
    expect((await auth.post('/api/login', { username: user.username, password: newPassword })).statusCode).toBe(200)
  }
})

test('a password that is changed while it confirms an address confirms nothing, and the link still works', async () => {
  const user = await confirmedUser(auth)
  await user.change('mine@example.org')
  const token = await linkIn(auth, user.userId, 'confirm-email', 'mine@example.org')
  const hash = "UPDATE users SET password_hash = 'changed' WHERE id = $1"
  const response = await whileLocked(user, () => user.confirm(token, PASSWORD), hash)
  expect([response.statusCode, response.json().fields]).toEqual([400, { password: 'Incorrect password' }])
  expect(await user.state()).toMatchObject({ emailConfirmed: false })
  expect(await auth.db.accountToken.count({ where: { userId: user.userId, purpose: 'confirm-email' } })).toBe(1)
})

test('links to a user who is deleted meanwhile do nothing', async () => {
  const user = await confirmedUser(auth)
  await user.change('gone@example.org')
  const confirm = await user.link('confirm-email', 'gone@example.org')
  const revert = await user.link('revert-email', user.address)
  const uses = () => Promise.all([user.confirm(confirm, PASSWORD), user.revert(revert)])
  const responses = await whileLocked(user, uses, 'DELETE FROM users WHERE id = $1')
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([410, 410])
})
