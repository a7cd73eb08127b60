import { onHint } from '@skyfolio/kit'
import { hints } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSessions } from '../src/sessions/sessions.ts'
import { type Browser, PASSWORD, startAuth, type TestAuth } from './support.ts'

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36'
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1'

interface Listed {
  id: string
  device: string
  createdAt: string
  lastUsedAt: string
  current: boolean
}

let auth: TestAuth
beforeAll(async () => {
  auth = await startAuth()
})
afterAll(() => auth.close())

const signInWith = (username: string, userAgent: string) =>
  auth.signIn(username, PASSWORD, { headers: { 'user-agent': userAgent } })

async function list(browser: Browser): Promise<Listed[]> {
  const response = await browser.call('GET', '/api/user/sessions')
  expect(response.statusCode).toBe(200)
  return response.json()
}

const isRunning = async ({ session }: Browser) => (await auth.redis.exists(`session:${session.hash}`)) === 1

/** As if the browser had been used last so many seconds ago. */
const lastUsed = ({ session }: Browser, secondsAgo: number) =>
  auth.redis.expire(`session:${session.hash}`, 30 * 24 * 3600 - secondsAgo)

describe('the list of sessions', () => {
  test('has device, start and last use, the one used last first', async () => {
    const first = await auth.register('lister')
    const phone = await signInWith('lister', SAFARI)
    const desk = await signInWith('lister', CHROME)
    await lastUsed(first, 86_400)
    await lastUsed(phone, 60)
    await lastUsed(desk, 3_600)

    const sessions = await list(desk)
    expect(sessions.map(({ device, current }) => [device, current])).toEqual([
      ['Safari on iOS', false],
      ['Chrome on Windows', true],
      ['Unknown device', false],
    ])
    const ago = (time: string) => (Date.now() - Date.parse(time)) / 1000
    expect(ago(sessions[0]?.lastUsedAt ?? '')).toBeCloseTo(60, -1)
    expect(ago(sessions[2]?.lastUsedAt ?? '')).toBeCloseTo(86_400, -1)
    for (const { createdAt } of sessions) expect(ago(createdAt)).toBeLessThan(60)
  })

  test('has only sessions of the user that still run', async () => {
    const browser = await auth.register('alone')
    const expired = await auth.signIn('alone')
    await auth.register('stranger')
    await auth.redis.del(`session:${expired.session.hash}`)
    expect(await list(browser)).toEqual([expect.objectContaining({ current: true })])
  })

  test('reveals neither the token nor its hash', async () => {
    const browser = await auth.register('discreet')
    const [session] = await list(browser)
    expect(JSON.stringify(session)).not.toContain(browser.session.hash)
    expect(Object.keys(session ?? {}).sort()).toEqual(['createdAt', 'current', 'device', 'id', 'lastUsedAt'])
    expect(session?.id).toMatch(/^[\w-]{22}$/)
  })

  test.each([
    [`${'x'.repeat(5_000)}`, 'Unknown device'],
    [`${'Evil'.repeat(500)}/1.0 x`, expect.stringMatching(/^.{0,60}$/)],
    ['curl/8.5.0', 'Unknown device'],
    ['\u202e\u200b', 'Unknown device'],
  ])('bounds and cleans what a browser says of itself: %#', async (userAgent, device) => {
    const name = `agent-${Math.random().toString(36).slice(2)}`
    await auth.register(name)
    const browser = await signInWith(name, userAgent)
    expect((await list(browser))[0]).toMatchObject({ current: true, device })
    expect((browser.session.userAgent ?? '').length).toBeLessThanOrEqual(512)
  })
})

test('ends one session, whose user is signed out at once', async () => {
  const browser = await auth.register('ender')
  const lost = await signInWith('ender', SAFARI)
  const third = await auth.signIn('ender')
  const ended: string[] = []
  const listener = onHint(auth.nats, hints.sessionRevoked, ({ sessionHash }) => void ended.push(sessionHash))
  await auth.nats.flush()

  const { id } = (await list(browser)).find(({ device }) => device === 'Safari on iOS') as Listed
  const response = await browser.call('DELETE', `/api/user/sessions/${id}`)
  expect([response.statusCode, response.body, response.headers['set-cookie']]).toEqual([204, '', undefined])
  expect(await Promise.all([browser, lost, third].map(isRunning))).toEqual([true, false, true])
  expect((await lost.call('GET', '/api/user')).statusCode).toBe(401)
  await waitFor(() => ended.includes(lost.session.hash), { what: 'the hint for the gateways' })
  expect((await browser.call('DELETE', `/api/user/sessions/${id}`)).statusCode).toBe(404)
  listener.stop()
})

test('ending the own session deletes the cookie', async () => {
  const browser = await auth.register('leaver')
  const [own] = await list(browser)
  const response = await browser.call('DELETE', `/api/user/sessions/${own?.id}`)
  expect(response.statusCode).toBe(204)
  expect(response.headers['set-cookie']).toBe('sid=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0')
  expect(await isRunning(browser)).toBe(false)
})

test('ends all other sessions and keeps the own one', async () => {
  const browser = await auth.register('everywhere')
  const others = [await auth.signIn('everywhere'), await auth.signIn('everywhere')]
  const stranger = await auth.register('bystander')
  expect((await browser.call('DELETE', '/api/user/sessions')).statusCode).toBe(204)
  expect(await Promise.all([browser, ...others, stranger].map(isRunning))).toEqual([true, false, false, true])
  expect(await list(browser)).toHaveLength(1)
})

test("cannot see or end another user's sessions", async () => {
  const victim = await auth.register('victim')
  const [session] = await list(victim)
  const thief = await auth.register('thief')
  expect(await list(thief)).toHaveLength(1)
  for (const id of [session?.id, victim.session.hash, 'x', '%00', '*']) {
    expect((await thief.call('DELETE', `/api/user/sessions/${id}`)).statusCode).toBe(404)
  }
  expect(await isRunning(victim)).toBe(true)
})

test('a user with a thousand sessions sees and ends them all', async () => {
  const browser = await auth.register('prolific')
  const { hash, ...session } = browser.session
  const hashes = Array.from({ length: 1_000 }, (_, number) => `${hash.slice(0, 30)}${number}`)
  for (const each of hashes) {
    await auth.redis.set(`session:${each}`, JSON.stringify(session), 'EX', 1_000)
    await auth.redis.sadd(`sessions-of:${browser.userId}`, each)
  }
  expect(await list(browser)).toHaveLength(1_001)
  await browser.call('DELETE', '/api/user/sessions')
  expect(await list(browser)).toHaveLength(1)
})

test('the sessions used least recently of more than a hundred end when the user signs in', async () => {
  const oldest = await auth.register('collector')
  const { hash, ...session } = oldest.session
  for (let number = 0; number < 120; number += 1) {
    const each = `${hash.slice(0, 30)}${number}`
    await auth.redis.set(`session:${each}`, JSON.stringify(session), 'EX', 20 * 24 * 3600 + number)
    await auth.redis.sadd(`sessions-of:${oldest.userId}`, each)
  }
  await lastUsed(oldest, 25 * 24 * 3600)
  const recent = await auth.signIn('collector')
  expect(await list(recent)).toHaveLength(100)
  expect(await Promise.all([recent, oldest].map(isRunning))).toEqual([true, false])
  const survivors = await Promise.all(
    [20, 21].map((number) => auth.redis.exists(`session:${hash.slice(0, 30)}${number}`)),
  )
  expect(survivors).toEqual([0, 1])
  const next = await auth.signIn('collector')
  expect(await list(next)).toHaveLength(100)
})

test('as many of three hundred simultaneous sign-ins as configured get a session, and the others get 401', async () => {
  const { userId, identity } = await auth.register('burst')
  const sessions = createSessions(auth.redis, auth.nats, 20)
  const owner = { id: userId, username: 'burst', isAdmin: false }
  const start = () => sessions.start(owner, { persistent: true, userAgent: null })
  const started = await Promise.all(Array.from({ length: 300 }, start))
  const use = ({ hash }: { hash: string }) => auth.user({ identity: { ...identity, sessionHash: hash } })
  const statuses = (await Promise.all(started.map(use))).map(({ statusCode }) => statusCode)
  expect(statuses.filter((status) => status === 200)).toHaveLength(20)
  expect(statuses.filter((status) => status === 401)).toHaveLength(280)
  const keys = [identity.sessionHash, ...started.map(({ hash }) => hash)].map((hash) => `session:${hash}`)
  expect(await auth.redis.exists(keys)).toBe(20)
  expect(await auth.redis.scard(`sessions-of:${userId}`)).toBe(20)
})

test('the gateways are told of each session that a further sign-in ends, and expired ones make room first', async () => {
  const limited = await startAuth({ limits: { sessionsPerUser: 3 } })
  const oldest = await limited.register('tidy')
  const expired = await limited.signIn('tidy')
  const third = await limited.signIn('tidy')
  const ended: string[] = []
  const listener = onHint(limited.nats, hints.sessionRevoked, ({ sessionHash }) => void ended.push(sessionHash))
  await limited.nats.flush()
  await limited.redis.del(`session:${expired.session.hash}`)
  await limited.redis.expire(`session:${oldest.session.hash}`, 1_000)

  const fourth = await limited.signIn('tidy')
  expect(await limited.redis.smembers(`sessions-of:${fourth.userId}`)).toHaveLength(3)
  await limited.signIn('tidy')
  await waitFor(() => ended.length > 0, { what: 'the hint for the gateways' })
  expect(ended).toEqual([oldest.session.hash])
  expect((await oldest.call('GET', '/api/user')).statusCode).toBe(401)
  expect((await third.call('GET', '/api/user')).statusCode).toBe(200)
  listener.stop()
  await limited.close()
})
