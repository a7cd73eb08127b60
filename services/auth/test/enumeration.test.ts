import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  MAIL_SETTINGS,
  NEW_PASSWORD,
  type Owner,
  registerConfirmed,
  requestResetToken,
  resetForm,
} from './password-support.ts'
import { countPasswordChecks, form, PASSWORD, startAuth, type TestAuth } from './support.ts'

/*
 * No form tells whether an account, an address or a link exists: not by its response, nor by the time that it takes. The
 * time is compared by what is done for it, the statements of the database and the checks of passwords.
 */

let auth: TestAuth
let owner: Owner
const statements: string[] = []
beforeAll(async () => {
  auth = await startAuth({ settings: MAIL_SETTINGS, limits: { passwordResetsPerHour: 1000 } })
  owner = await registerConfirmed(auth, 'known')
  const { query } = pg.Client.prototype
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [config] = args as [string | { text?: string }]
    const text = typeof config === 'string' ? config : (config.text ?? '')
    // The relay polls at any time, in transactions.
    if (!/outbox|^BEGIN$|^COMMIT$/.test(text)) statements.push(text)
    return Reflect.apply(query, this, args)
  } as never)
})
afterAll(async () => {
  vi.restoreAllMocks()
  await auth.close()
})

type Response = Awaited<ReturnType<TestAuth['post']>>

/** Everything that a client could notice of a response, and the work behind it. */
async function observe(request: () => Promise<Response>) {
  const checksBefore = await countPasswordChecks()
  statements.length = 0
  const response = await request()
  const { date: _, 'x-request-id': __, ...headers } = response.headers
  return {
    status: response.statusCode,
    body: response.body,
    headers,
    statements: [...statements],
    passwordChecks: (await countPasswordChecks()) - checksBefore,
  }
}

async function expectAlike(requests: (() => Promise<Response>)[]) {
  const observed = []
  for (const request of requests) observed.push(await observe(request))
  const [first] = observed
  for (const other of observed) expect(other).toEqual(first)
  // The comparison sees what it compares.
  expect(first?.statements.length).toBeGreaterThan(0)
  return first
}

const post = (url: string, body: object) => () => auth.post(url, body)

test('a login with an unknown username and one with a wrong password', async () => {
  const first = await expectAlike(
    ['known', 'unknown', 'KNOWN', 'nul\0byte'].map((username) => post('/api/login', { username, password: 'wrong' })),
  )
  expect(first).toMatchObject({ status: 401, passwordChecks: 1 })
})

test('a requested reset for a confirmed, an unconfirmed, a former and an unknown address', async () => {
  await auth.register('unconfirmed', { email: 'unconfirmed@example.org' })
  const { userId } = await registerConfirmed(auth, 'moved')
  const changes = { email: 'elsewhere@example.org', emailConfirmed: false, formerEmail: 'moved@example.org' }
  await auth.db.user.update({ where: { id: userId }, data: changes })
  const emails = [owner.email, 'unconfirmed@example.org', 'moved@example.org', 'nobody@example.org']
  const first = await expectAlike(emails.map((email) => post('/api/password-reset', { email })))
  expect(first).toMatchObject({ status: 202, body: '{}', passwordChecks: 0 })
})

describe('a link that does not work', () => {
  /** Tokens that were guessed, used, replaced by a newer one, expired, or made for something else. */
  async function invalidTokens(): Promise<string[]> {
    const used = await requestResetToken(auth, owner)
    await auth.post('/api/password-reset/confirm', resetForm(used, NEW_PASSWORD))
    const replaced = await requestResetToken(auth, owner)
    const expired = await requestResetToken(auth, owner)
    await auth.db.$executeRaw`UPDATE account_tokens SET expires_at = now() - interval '1 second'`
    return ['x'.repeat(43), used, replaced, expired]
  }

  test('for a reset', async () => {
    const tokens = await invalidTokens()
    const other = await requestResetToken(auth, await registerConfirmed(auth, 'another'))
    await auth.db.accountToken.updateMany({
      where: { expiresAt: { gt: new Date() } },
      data: { purpose: 'revert-email' },
    })
    const requests = [...tokens, other].map((token) => post('/api/password-reset/confirm', resetForm(token)))
    expect(await expectAlike(requests)).toMatchObject({ status: 410, passwordChecks: 0 })
  })

  test.each(['confirm-email', 'revert-email'])('for an address: %s', async (purpose) => {
    const tokens = await invalidTokens()
    await auth.db.accountToken.updateMany({ data: { purpose } })
    const path = purpose === 'confirm-email' ? '/api/user/email/confirm' : '/api/user/email/revert'
    const first = await expectAlike(tokens.map((token) => post(path, { token })))
    expect(first).toMatchObject({ status: 410, passwordChecks: 0 })
    if (purpose === 'revert-email') return
    const withPassword = tokens.map((token) => post(path, { token, password: PASSWORD }))
    expect(await expectAlike(withPassword)).toEqual(first)
  })
})

test('a registration tells that a username is taken, as it must, but not that an address is', async () => {
  const taken = await auth.post('/api/register', form('known'))
  expect([taken.statusCode, taken.json().code]).toEqual([409, 'username_taken'])
  const observed = []
  for (const [username, email] of [
    ['fresh1', owner.email],
    ['fresh2', 'nobody-has@example.org'],
  ] as const) {
    const { status, body, statements } = await observe(post('/api/register', form(username, { email })))
    const { id: _, createdAt: __, username: ___, email: ____, ...user } = JSON.parse(body)
    observed.push({ status, user, statements })
  }
  expect(observed[0]).toEqual(observed[1])
})

test('a profile takes an address that another account has like any other', async () => {
  const browser = await auth.register('second')
  const change = (email: string) => async () => browser.call('PUT', '/api/user', { email })
  const [taken, free] = [await observe(change(owner.email)), await observe(change('nobody-has-it@example.org'))]
  expect([taken.status, taken.statements]).toEqual([200, free.statements])
})

test("another user's session and one that does not exist", async () => {
  const victim = await auth.register('listed')
  const [session] = (await victim.call('GET', '/api/user/sessions')).json()
  const browser = await auth.register('curious')
  const remove = (id: string) => () => browser.call('DELETE', `/api/user/sessions/${id}`)
  const observed = await Promise.all([remove(session.id)(), remove('x'.repeat(22))()])
  const [first, second] = observed.map(({ statusCode, body }) => [statusCode, body])
  expect(first).toEqual(second)
  expect(first?.[0]).toBe(404)
})
