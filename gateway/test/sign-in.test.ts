import { publishHint, sessionHash, sessionKey, verifyIdentity } from '@skyfolio/kit'
import { hints } from '@skyfolio/proto'
import { startRedis, TEST_IDENTITY_KEYS, type TestServer, testServers, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startAuth, type TestAuth } from '../../services/auth/test/support.ts'
import { startEcho, startGateway, type TestGateway, type Upstream } from './support.ts'

let redis: TestServer
let auth: TestAuth
let echo: Upstream
let gateway: TestGateway
let second: TestGateway
beforeAll(async () => {
  redis = await startRedis()
  auth = await startAuth({ redisUrl: redis.url, natsUrl: testServers().natsUrl })
  const authUrl = await auth.app.listen({ port: 0, host: '127.0.0.1' })
  echo = await startEcho()
  const options = { upstream: echo.url, authUrl, redisUrl: redis.url }
  gateway = await startGateway(options)
  second = await startGateway(options)
})
afterAll(async () => {
  await gateway.close()
  await second.close()
  await auth.close()
  await echo.app.close()
  await redis.stop()
})

const password = 'correct horse'

function post(path: string, body: object, headers: Record<string, string> = {}) {
  return gateway.call(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
}

async function register(username: string) {
  const response = await post('/api/register', { username, password, confirmPassword: password })
  expect(response.status).toBe(201)
  return cookieOf(response.headers)
}

const cookieOf = (headers: Headers) => /^sid=[^;]+/.exec(headers.get('set-cookie') ?? '')?.[0] ?? ''
const userStatus = async (cookie: string, through = gateway) =>
  (await through.call('/api/user', { headers: { cookie } })).status

test('registration signs in, and sign-out takes effect at once', async () => {
  const cookie = await register('amelia')
  const user = await gateway.call('/api/user', { headers: { cookie } })
  expect([user.status, (await user.json()).username]).toEqual([200, 'amelia'])
  expect((await post('/api/logout', {}, { cookie })).status).toBe(200)
  expect(await userStatus(cookie)).toBe(401)
  expect(await userStatus('')).toBe(401)
  expect(await userStatus('sid=made-up')).toBe(401)
})

test('a sign-out at one gateway takes effect at the other well within the two seconds of its cache', async () => {
  const cookie = await register('bessie')
  expect(await userStatus(cookie, second)).toBe(200)
  await post('/api/logout', {}, { cookie })
  await waitFor(async () => (await userStatus(cookie, second)) === 401, { what: 'the other gateway', timeoutMs: 1_000 })
})

test('signing in ends the session of the request', async () => {
  const planted = await register('victim')
  const response = await post('/api/login', { username: 'victim', password }, { cookie: planted })
  expect(cookieOf(response.headers)).not.toBe(planted)
  expect(await userStatus(planted)).toBe(401)
  expect(await userStatus(cookieOf(response.headers))).toBe(200)
})

test('the list of sessions names the browsers, and a session that is ended there opens nothing', async () => {
  const cookie = await register('dorothy')
  const agent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36'
  const login = await post('/api/login', { username: 'dorothy', password }, { 'user-agent': agent })
  const other = cookieOf(login.headers)
  expect(await userStatus(other, second)).toBe(200)
  const listed = await gateway.call('/api/user/sessions', { headers: { cookie } })
  const sessions: { id: string; device: string; current: boolean }[] = await listed.json()
  const lost = sessions.find(({ current }) => !current)
  expect(lost?.device).toBe('Chrome on Linux')

  const remove = (id: string) => gateway.call(`/api/user/sessions/${id}`, { method: 'DELETE', headers: { cookie } })
  expect((await remove(lost?.id ?? '')).status).toBe(204)
  expect(await userStatus(other)).toBe(401)
  expect(await userStatus(other, second)).toBe(401)
  const own = sessions.find(({ current }) => current)
  const removed = await remove(own?.id ?? '')
  expect([removed.status, removed.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')])
  expect(await userStatus(cookie)).toBe(401)
})

test('GET /api/user renews a persistent cookie, and not a cookie of the browser session', async () => {
  const persistent = await register('charles')
  const renewed = await gateway.call('/api/user', { headers: { cookie: persistent } })
  expect(renewed.headers.get('set-cookie')).toBe(`${persistent}; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000`)
  const login = await post('/api/login', { username: 'charles', password }, { 'x-remember-me': 'false' })
  expect(login.headers.getSetCookie()[0]).not.toContain('Max-Age')
  const user = await gateway.call('/api/user', { headers: { cookie: cookieOf(login.headers) } })
  expect(user.headers.get('set-cookie')).toBeNull()
})

test('a session lasts 30 days from its last use', async () => {
  const { cookie, hash } = await gateway.signIn()
  await gateway.redis.expire(sessionKey(hash), 100)
  await gateway.call('/api/folders', { headers: { cookie } })
  expect(await gateway.redis.ttl(sessionKey(hash))).toBeGreaterThan(30 * 24 * 3600 - 60)
})

test('a granted right takes effect as soon as the gateways receive the hint', async () => {
  const { cookie, hash } = await gateway.signIn({ username: 'boss' })
  const identity = async () => {
    const { headers } = await (await gateway.call('/api/folders', { headers: { cookie } })).json()
    return Buffer.from(headers['x-skyfolio-identity'].split('.')[0], 'base64url').toString()
  }
  expect(await identity()).toContain('"boss",false')
  const session = JSON.parse((await gateway.redis.get(sessionKey(hash))) ?? '')
  await gateway.redis.set(sessionKey(hash), JSON.stringify({ ...session, isAdmin: true }), 'KEEPTTL')
  publishHint(gateway.nats, hints.sessionRevoked, { sessionHash: hash })
  await waitFor(async () => (await identity()).includes('"boss",true'), { what: 'the right', timeoutMs: 1_000 })
})

test('a password that was entered again is known to the gateway at once, and soon to the other', async () => {
  const cookie = await register('edmund')
  const hash = sessionHash(cookie.slice('sid='.length))
  const session = JSON.parse((await gateway.redis.get(sessionKey(hash))) ?? '')
  const enteredAt = async (through: TestGateway) => {
    const { headers } = await (await through.call('/api/folders', { headers: { cookie } })).json()
    return verifyIdentity(headers['x-skyfolio-identity'], TEST_IDENTITY_KEYS).confirmedAt
  }
  const signedIn = Date.parse(session.createdAt)
  expect([await enteredAt(gateway), await enteredAt(second)]).toEqual([signedIn, signedIn])
  expect((await post('/api/user/confirm-password', { password }, { cookie })).status).toBe(204)
  expect(await enteredAt(gateway)).toBeGreaterThan(signedIn)
  await waitFor(async () => Number(await enteredAt(second)) > signedIn, { what: 'the other gateway', timeoutMs: 1_000 })
})

test('while Redis is unavailable, signed-in requests get 503; visitors, public pages and votes still work', async () => {
  await register('patient')
  await redis.stop()
  const get = async (path: string, headers = {}) => (await gateway.call(path, { headers })).status
  const vote = async (headers = {}) =>
    (await post('/api/photos/1/rank', { fingerprint: 'f', rank: 'first', folderId: 1 }, headers)).status
  const other = { cookie: 'sid=not-in-any-cache' }

  expect(await get('/api/folders', other)).toBe(503)
  expect((await (await gateway.call('/api/user', { headers: other })).json()).code).toBe('unavailable')
  expect((await post('/api/login', { username: 'patient', password })).status).toBe(503)
  expect([await get('/api/share/abc'), await get('/api/share/abc', other), await get('/')]).toEqual([200, 200, 200])
  expect([await vote(), await vote(other)]).toEqual([200, 200])

  await redis.start()
  await waitFor(async () => (await get('/api/folders', other)) === 200, { what: 'Redis is used again' })
  // The auth service has a connection of its own.
  let cookie = ''
  const signsIn = async () => {
    const login = await post('/api/login', { username: 'patient', password })
    cookie = cookieOf(login.headers)
    return login.status === 200
  }
  await waitFor(signsIn, { what: 'auth uses Redis again' })
  expect(await userStatus(cookie)).toBe(200)
})

test('a device that has signed in gets in while strangers have locked the account, and only auth gets its cookie', async () => {
  const body = { username: 'known', password, confirmPassword: password }
  const registered = await post('/api/register', body)
  const [session, device] = registered.headers.getSetCookie().map((text) => text.split(';')[0] ?? '')
  const login = (guess: string, cookie = '') => post('/api/login', { username: 'known', password: guess }, { cookie })
  for (let guess = 0; guess < 10; guess += 1) expect((await login(`guess ${guess}`)).status).toBe(401)
  expect((await login(password)).status).toBe(429)
  expect((await login(password, device)).status).toBe(200)
  const headers = { cookie: `links=l; ${device}; ${session}` }
  for (const path of ['/api/photos', '/api/uploads/original', '/api/share/abc'])
    expect(await (await gateway.call(path, { headers })).json()).toMatchObject({ headers: { cookie: 'links=l' } })
})
