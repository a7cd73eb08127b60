import { onHint } from '@skyfolio/kit'
import { hints } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countPasswordChecks, form, PASSWORD, randomAddress, startAuth, type TestAuth } from './support.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startAuth()
  await auth.post('/api/register', form('Pilot'))
})
afterAll(() => auth.close())

test.each(['Pilot', 'pilot', ' PILOT '])('signs a user in as %j', async (username) => {
  const response = await auth.post('/api/login', { username, password: PASSWORD })
  expect(response.statusCode).toBe(200)
  expect(response.json()).toMatchObject({ username: 'Pilot', isAdmin: false })
  expect(await auth.sessionOf(response.headers['set-cookie'])).toMatchObject({ username: 'Pilot', persistent: true })
})

test.each([
  ['in its normal form', 'wrong', 1],
  ['in another form', 'wrong\uff01', 2],
])(
  'sends the same response after the same work for an unknown user and a wrong password %s',
  async (_, password, checks) => {
    const responses = []
    for (const username of ['pilot', 'nobody-of-this-name', 'nul\0byte']) {
      const before = await countPasswordChecks()
      const response = await auth.post('/api/login', { username, password })
      responses.push({
        status: response.statusCode,
        body: response.json(),
        checks: (await countPasswordChecks()) - before,
      })
    }
    const expected = { code: 'invalid_credentials', message: 'Invalid username or password' }
    expect(responses).toEqual(Array(3).fill({ status: 401, body: expected, checks }))
  },
)

test('names missing fields', async () => {
  const response = await auth.post('/api/login', { username: ' ' })
  expect(response.statusCode).toBe(400)
  expect(response.json().fields).toEqual({ username: 'Username is required', password: 'Password is required' })
})

test('the cookie ends with the browser session without "remember me", and is Secure under HTTPS', async () => {
  const secure = await startAuth({ settings: { PUBLIC_ORIGIN: 'https://skyfolio.test' } })
  await secure.post('/api/register', form('visitor'))
  const login = { username: 'visitor', password: PASSWORD }
  const remembered = await secure.post('/api/login', login, { headers: { 'x-remember-me': 'true' } })
  expect(remembered.headers['set-cookie']?.[0]).toMatch(/; Secure; Max-Age=2592000$/)
  const forgotten = await secure.post('/api/login', login, { headers: { 'x-remember-me': 'false' } })
  expect(forgotten.headers['set-cookie']?.[0]).toMatch(/; SameSite=Lax; Secure$/)
  expect(await secure.sessionOf(forgotten.headers['set-cookie'])).toMatchObject({ persistent: false })
  await secure.close()
})

test('signing in ends the previous session and sends a hint to the gateways', async () => {
  const planted = await auth.sessionOf(
    (await auth.post('/api/login', { username: 'pilot', password: PASSWORD })).headers['set-cookie'],
  )
  const revoked: string[] = []
  const listener = onHint(auth.nats, hints.sessionRevoked, ({ sessionHash }) => void revoked.push(sessionHash))
  await auth.nats.flush()

  const identity = { userId: planted?.userId ?? 0, username: 'Pilot', sessionHash: planted?.hash ?? '' }
  const response = await auth.post('/api/login', { username: 'pilot', password: PASSWORD }, { identity })
  const started = await auth.sessionOf(response.headers['set-cookie'])
  expect(started?.hash).not.toBe(planted?.hash)
  expect(await auth.redis.exists(`session:${planted?.hash}`)).toBe(0)
  await waitFor(() => revoked.includes(planted?.hash ?? ''), { what: 'the hint about the ended session' })
  listener.stop()
})

test('signing out ends the session and deletes the cookie', async () => {
  const session = await auth.sessionOf(
    (await auth.post('/api/login', { username: 'pilot', password: PASSWORD })).headers['set-cookie'],
  )
  const identity = { userId: session?.userId ?? 0, username: 'Pilot', sessionHash: session?.hash ?? '' }
  const response = await auth.post('/api/logout', undefined, { identity })
  expect([response.statusCode, response.json()]).toEqual([200, {}])
  expect(response.headers['set-cookie']).toBe('sid=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0')
  expect(await auth.redis.exists(`session:${session?.hash}`)).toBe(0)
})

test('signing out without a session succeeds', async () => {
  expect((await auth.post('/api/logout')).statusCode).toBe(200)
})

test('returns the user of the session, and 401 without one', async () => {
  const { userId: id, identity } = await auth.signIn('pilot')
  expect((await auth.user({ identity })).json()).toMatchObject({ id, username: 'Pilot', publicByDefault: true })
  expect((await auth.user()).statusCode).toBe(401)
  expect((await auth.user({ identity: { ...identity, userId: 999_999 } })).statusCode).toBe(401)
})

test('rejects a request that did not come through the gateway', async () => {
  const unsigned = await auth.app.inject({ method: 'GET', url: '/api/user' })
  const forged = await auth.user({ headers: { 'x-skyfolio-identity': 'e30.AAAA' } })
  expect([unsigned, forged].map((response) => response.json().code)).toEqual(['identity_invalid', 'identity_invalid'])
})

test('too many wrong passwords lock the account for everybody for a minute', async () => {
  await auth.post('/api/register', form('target'))
  for (let guess = 0; guess < 10; guess++) {
    const identity = { address: randomAddress() }
    const response = await auth.post('/api/login', { username: 'Target', password: `guess ${guess}` }, { identity })
    expect(response.statusCode).toBe(401)
  }
  const right = await auth.post(
    '/api/login',
    { username: 'target', password: PASSWORD },
    { identity: { address: randomAddress() } },
  )
  expect(right.statusCode).toBe(429)
  expect(Number(right.headers['retry-after'])).toBeGreaterThan(0)
  expect(Number(right.headers['retry-after'])).toBeLessThanOrEqual(60)
})

test('limits parallel guesses, also for a username that does not exist', async () => {
  const before = await countPasswordChecks()
  const guesses = Array.from({ length: 40 }, (_, guess) =>
    auth.post(
      '/api/login',
      { username: 'ghost', password: `guess ${guess}` },
      { identity: { address: randomAddress() } },
    ),
  )
  const statuses = (await Promise.all(guesses)).map(({ statusCode }) => statusCode)
  expect(statuses.filter((status) => status === 401)).toHaveLength(10)
  expect(statuses.filter((status) => status === 429)).toHaveLength(30)
  expect((await countPasswordChecks()) - before).toBe(10)
})

test('limits failures per address or IPv6 network, whatever the usernames', async () => {
  const limited = await startAuth({ settings: { LOGIN_FAILURES_PER_ADDRESS: '3' } })
  const network = `2001:db8:${randomAddress().split('.').slice(1, 3).join(':')}`
  const fail = (username: string, host: string) =>
    limited.post('/api/login', { username, password: 'wrong' }, { identity: { address: `${network}::${host}` } })
  const statuses = []
  for (const host of ['1', '2', '3', '4']) statuses.push((await fail(`someone-${host}`, host)).statusCode)
  expect(statuses).toEqual([401, 401, 401, 429])
  await limited.close()
})

test('never limits successful sign-ins', async () => {
  await auth.post('/api/register', form('frequent'))
  for (let login = 0; login < 12; login++) {
    expect((await auth.post('/api/login', { username: 'frequent', password: PASSWORD })).statusCode).toBe(200)
  }
})
