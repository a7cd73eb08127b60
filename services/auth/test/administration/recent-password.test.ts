import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeForm, NEW_PASSWORD } from '../password-support.ts'
import { type Browser, PASSWORD, startAuth, type TestAuth } from '../support.ts'
import { ageSession, asOperator, auditOf, registerAdministrator } from './support.ts'

/* A stolen session of an administrator does not change users. */

let auth: TestAuth
beforeAll(async () => {
  auth = await startAuth({ settings: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'no-reply@skyfolio.test' } })
})
afterAll(() => auth.close())

let count = 0
async function administratorAndUser(): Promise<{ admin: Browser; userId: number; username: string }> {
  count += 1
  const admin = await registerAdministrator(auth, `boss${count}`)
  const { userId } = await auth.register(`user${count}`)
  return { admin, userId, username: `boss${count}` }
}

const confirm = (browser: Browser, password: string) => browser.call('POST', '/api/user/confirm-password', { password })
const edit = async (browser: Browser, userId: number) => {
  const response = await browser.call('PATCH', `/api/admin/users/${userId}`, { quota: count * 1000 + 1 })
  return response.statusCode === 200 ? 200 : [response.statusCode, response.json().code]
}
const REQUIRED = [403, 'password_required']

test('every change of a user needs the password of the last 15 minutes; reading does not', async () => {
  const { admin, userId } = await administratorAndUser()
  await ageSession(auth, admin, 16)
  const path = `/api/admin/users/${userId}`
  const changes = [
    await admin.call('PATCH', path, { isAdmin: true }),
    await admin.call('DELETE', path),
    await admin.call('POST', `${path}/restore`),
    await admin.call('POST', `${path}/password-reset`),
  ]
  expect(changes.map((response) => [response.statusCode, response.json().code])).toEqual(Array(4).fill(REQUIRED))
  expect(await auditOf(auth, userId)).toEqual([])
  expect((await admin.call('GET', '/api/admin/users')).statusCode).toBe(200)
  expect((await admin.call('GET', path)).statusCode).toBe(200)
})

test('the sign-in counts, and then each confirmation, of this session alone', async () => {
  const { admin, userId, username } = await administratorAndUser()
  await ageSession(auth, admin, 14)
  expect(await edit(admin, userId)).toBe(200)
  await ageSession(auth, admin, 2)
  expect(await edit(admin, userId)).toEqual(REQUIRED)
  const second = await auth.signIn(username)
  expect(await edit(second, userId)).toBe(200)
  expect(await edit(admin, userId)).toEqual(REQUIRED)
  expect((await confirm(admin, PASSWORD)).statusCode).toBe(204)
  expect(await edit(admin, userId)).toBe(200)
  await ageSession(auth, admin, 16)
  expect(await edit(admin, userId)).toEqual(REQUIRED)
})

test('a wrong or missing password confirms nothing and is limited', async () => {
  const { admin, userId } = await administratorAndUser()
  await ageSession(auth, admin, 16)
  const missing = await admin.call('POST', '/api/user/confirm-password', {})
  expect([missing.statusCode, missing.json().fields]).toEqual([400, { password: 'Password is required' }])
  for (let guess = 0; guess < 10; guess += 1) {
    const response = await confirm(admin, `guess ${guess}`)
    expect([response.statusCode, response.json().fields]).toEqual([400, { password: 'Incorrect password' }])
  }
  expect((await confirm(admin, PASSWORD)).statusCode).toBe(429)
  expect(await edit(admin, userId)).toEqual(REQUIRED)
})

test('a confirmation keeps the time to live, and a promotion at the same time is not lost', async () => {
  for (let round = 0; round < 8; round += 1) {
    count += 1
    const username = `rising${count}`
    const browser = await auth.register(username)
    await Promise.all([confirm(browser, PASSWORD), asOperator(auth, username, { isAdmin: true })])
    const stored = JSON.parse((await auth.redis.get(`session:${browser.session.hash}`)) ?? '{}')
    expect(stored).toMatchObject({ isAdmin: true, confirmedAt: expect.any(String) })
    expect(await auth.redis.ttl(`session:${browser.session.hash}`)).toBeGreaterThan(29 * 24 * 3600)
  }
})

test('a session that ends while the password is confirmed stays ended', async () => {
  const { admin } = await administratorAndUser()
  const [confirmed, changed] = await Promise.all([
    confirm(admin, PASSWORD),
    admin.call('POST', '/api/user/password', changeForm(PASSWORD, NEW_PASSWORD)),
  ])
  expect([204, 400, 401]).toContain(confirmed.statusCode)
  expect(changed.statusCode).toBe(204)
  expect(await auth.redis.exists(`session:${admin.session.hash}`)).toBe(0)
})
