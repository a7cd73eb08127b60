import { onHint } from '@skyfolio/kit'
import { hints } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { anyAddress, form, password, passwordChecks, startAuth, type TestAuth } from './support.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startAuth()
  await auth.post('/api/register', form('Pilot'))
})
afterAll(() => auth.close())

test.each(['Pilot', 'pilot', ' PILOT '])('a user signs in as %j', async (username) => {
  const response = await auth.post('/api/login', { username, password })
  expect(response.statusCode).toBe(200)
  expect(response.json()).toMatchObject({ username: 'Pilot', isAdmin: false })
  expect(await auth.sessionOf(response.headers['set-cookie'])).toMatchObject({ username: 'Pilot', persistent: true })
})

test('an unknown user and a wrong password get the same answer for the same work', async () => {
  const answers = []
  for (const username of ['pilot', 'nobody-of-this-name', 'nul\0byte']) {
    const before = await passwordChecks()
    const response = await auth.post('/api/login', { username, password: 'wrong' })
    answers.push({ status: response.statusCode, body: response.json(), checks: (await passwordChecks()) - before })
  }
  const expected = { code: 'invalid_credentials', message: 'Invalid username or password' }
  expect(answers).toEqual(Array(3).fill({ status: 401, body: expected, checks: 1 }))
})

test('missing fields are named', async () => {
  const response = await auth.post('/api/login', { username: ' ' })
  expect(response.statusCode).toBe(400)
  expect(response.json().fields).toEqual({ username: 'Username is required', password: 'Password is required' })
})

test('without "remember me" the cookie ends with the browser, and is Secure under https', async () => {
  const secure = await startAuth({ secureCookies: true })
  await secure.post('/api/register', form('visitor'))
  const login = { username: 'visitor', password }
  const remembered = await secure.post('/api/login', login, { headers: { 'x-remember-me': 'true' } })
  expect(remembered.headers['set-cookie']).toMatch(/; Secure; Max-Age=2592000$/)
  const forgotten = await secure.post('/api/login', login, { headers: { 'x-remember-me': 'false' } })
  expect(forgotten.headers['set-cookie']).toMatch(/; SameSite=Lax; Secure$/)
  expect(await secure.sessionOf(forgotten.headers['set-cookie'])).toMatchObject({ persistent: false })
  await secure.close()
})

test('signing in ends the session that was presented, and tells the gateways', async () => {
  const planted = await auth.sessionOf(
    (await auth.post('/api/login', { username: 'pilot', password })).headers['set-cookie'],
  )
  const revoked: string[] = []
  const listener = onHint(auth.nats, hints.sessionRevoked, ({ sessionHash }) => void revoked.push(sessionHash))
  await auth.nats.flush()

  const identity = { userId: planted?.userId ?? 0, username: 'Pilot', sessionHash: planted?.hash ?? '' }
  const response = await auth.post('/api/login', { username: 'pilot', password }, { identity })
  const begun = await auth.sessionOf(response.headers['set-cookie'])
  expect(begun?.hash).not.toBe(planted?.hash)
  expect(await auth.redis.exists(`session:${planted?.hash}`)).toBe(0)
  await waitFor(() => revoked.includes(planted?.hash ?? ''), { what: 'the hint that a session ended' })
  listener.stop()
})

test('signing out ends the session and takes the cookie away', async () => {
  const session = await auth.sessionOf(
    (await auth.post('/api/login', { username: 'pilot', password })).headers['set-cookie'],
  )
  const identity = { userId: session?.userId ?? 0, username: 'Pilot', sessionHash: session?.hash ?? '' }
  const response = await auth.post('/api/logout', undefined, { identity })
  expect([response.statusCode, response.json()]).toEqual([200, {}])
  expect(response.headers['set-cookie']).toBe('sid=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0')
  expect(await auth.redis.exists(`session:${session?.hash}`)).toBe(0)
})

test('signing out without a session is no error', async () => {
  expect((await auth.post('/api/logout')).statusCode).toBe(200)
})

test('who has a session reads the own user, and nobody else does', async () => {
  const { id } = await auth.prisma.user.findUniqueOrThrow({ where: { usernameKey: 'pilot' } })
  const identity = { userId: id, username: 'Pilot', sessionHash: 'x' }
  expect((await auth.user({ identity })).json()).toMatchObject({ id, username: 'Pilot', publicByDefault: true })
  expect((await auth.user()).statusCode).toBe(401)
  expect((await auth.user({ identity: { ...identity, userId: 999_999 } })).statusCode).toBe(401)
})

test('a request that does not come through the gateway gets nothing', async () => {
  const bare = await auth.app.inject({ method: 'GET', url: '/api/user' })
  const forged = await auth.user({ headers: { 'x-skyfolio-identity': 'e30.AAAA' } })
  expect([bare, forged].map((response) => response.json().code)).toEqual(['identity_invalid', 'identity_invalid'])
})

test('a wrong password too often locks the account for everybody until the minute has passed', async () => {
  await auth.post('/api/register', form('target'))
  for (let guess = 0; guess < 10; guess++) {
    const identity = { address: anyAddress() }
    const response = await auth.post('/api/login', { username: 'Target', password: `guess ${guess}` }, { identity })
    expect(response.statusCode).toBe(401)
  }
  const right = await auth.post('/api/login', { username: 'target', password }, { identity: { address: anyAddress() } })
  expect(right.statusCode).toBe(429)
  expect(Number(right.headers['retry-after'])).toBeGreaterThan(0)
  expect(Number(right.headers['retry-after'])).toBeLessThanOrEqual(60)
})

test('parallel guesses do not slip past the limit, and a name that does not exist is limited alike', async () => {
  const before = await passwordChecks()
  const guesses = Array.from({ length: 40 }, (_, guess) =>
    auth.post('/api/login', { username: 'ghost', password: `guess ${guess}` }, { identity: { address: anyAddress() } }),
  )
  const statuses = (await Promise.all(guesses)).map(({ statusCode }) => statusCode)
  expect(statuses.filter((status) => status === 401)).toHaveLength(10)
  expect(statuses.filter((status) => status === 429)).toHaveLength(30)
  expect((await passwordChecks()) - before).toBe(10)
})

test('one address may fail so often, whatever names it tries; another address of its IPv6 network too', async () => {
  const limited = await startAuth({ limits: { loginFailuresPerAddress: 3 } })
  const network = `2001:db8:${anyAddress().split('.').slice(1, 3).join(':')}`
  const fail = (username: string, host: string) =>
    limited.post('/api/login', { username, password: 'wrong' }, { identity: { address: `${network}::${host}` } })
  const statuses = []
  for (const host of ['1', '2', '3', '4']) statuses.push((await fail(`someone-${host}`, host)).statusCode)
  expect(statuses).toEqual([401, 401, 401, 429])
  await limited.close()
})

test('signing in rightly is never limited', async () => {
  await auth.post('/api/register', form('frequent'))
  for (let login = 0; login < 12; login++) {
    expect((await auth.post('/api/login', { username: 'frequent', password })).statusCode).toBe(200)
  }
})
