import { afterAll, beforeAll, expect, test } from 'vitest'
import { runningSessions } from '../password-support.ts'
import { type Browser, countPasswordChecks, PASSWORD, startAuth, type TestAuth } from '../support.ts'
import { asOperator, registerAdministrator } from './support.ts'

let auth: TestAuth
let admin: Browser
beforeAll(async () => {
  auth = await startAuth()
  admin = await registerAdministrator(auth, 'boss')
})
afterAll(() => auth.close())

const disable = (userId: number, disabled = true) => admin.call('PATCH', `/api/admin/users/${userId}`, { disabled })

async function signIn(username: string, password: string) {
  const checks = await countPasswordChecks()
  const response = await auth.post('/api/login', { username, password })
  const { date: _, 'x-request-id': __, ...headers } = response.headers
  return {
    status: response.statusCode,
    body: response.json(),
    headers,
    checks: (await countPasswordChecks()) - checks,
  }
}

test('a disabled user is signed out, and signs in again when enabled', async () => {
  const user = await auth.register('paused')
  await auth.signIn('paused')
  expect((await disable(user.userId)).json()).toMatchObject({ disabled: true })
  expect(await runningSessions(auth, user.userId)).toEqual([])
  expect((await user.call('GET', '/api/user')).statusCode).toBe(401)
  expect(
    (await auth.post('/api/login', { username: 'paused', password: PASSWORD })).headers['set-cookie'],
  ).toBeUndefined()
  await disable(user.userId, false)
  expect((await auth.post('/api/login', { username: 'paused', password: PASSWORD })).statusCode).toBe(200)
})

test('only who has the password learns that an account is disabled', async () => {
  const { userId } = await auth.register('closed')
  await disable(userId)
  const wrong = [await signIn('closed', 'a guess'), await signIn('boss', 'a guess'), await signIn('nobody', 'a guess')]
  expect(wrong.slice(1)).toEqual([wrong[0], wrong[0]])
  expect(wrong[0]).toMatchObject({ status: 401, checks: 1, body: { code: 'invalid_credentials' } })
  const right = await signIn('closed', PASSWORD)
  expect(right).toMatchObject({ status: 401, checks: 1, body: { code: 'account_disabled' } })
})

test('wrong passwords of a disabled account are limited, right ones are not counted', async () => {
  await auth.register('limited')
  await asOperator(auth, 'limited', { disabled: true })
  for (let guess = 0; guess < 9; guess += 1) expect((await signIn('limited', 'a guess')).status).toBe(401)
  for (let again = 0; again < 3; again += 1) expect((await signIn('limited', PASSWORD)).status).toBe(401)
  expect((await signIn('limited', 'a guess')).status).toBe(401)
  expect((await signIn('limited', PASSWORD)).status).toBe(429)
})

test('an account that is being erased signs nobody in', async () => {
  const { userId } = await auth.register('erasing')
  const since = new Date()
  await auth.db.accountDeletion.create({ data: { userId, byAdmin: false, deletesAt: since } })
  expect((await signIn('erasing', PASSWORD)).status).toBe(200)
  await auth.db.accountDeletion.update({ where: { userId }, data: { erasingSince: since } })
  expect(await signIn('erasing', PASSWORD)).toMatchObject({ status: 401, body: { code: 'account_erasing' } })
})
