import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  changeForm,
  isRunning,
  MAIL_SETTINGS,
  NEW_PASSWORD,
  registerConfirmed,
  requestResetToken,
  resetForm,
  runningSessions,
  signInStatus,
} from './password-support.ts'
import { form, PASSWORD, randomAddress, startAuth, type TestAuth } from './support.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startAuth({ settings: MAIL_SETTINGS })
})
afterAll(() => auth.close())

const mailsOf = (userId: number) => auth.db.mail.findMany({ where: { userId }, orderBy: { seq: 'asc' } })

test('a changed password is valid at once, the old one no longer', async () => {
  const browser = await auth.register('changer')
  const response = await browser.call('POST', '/api/user/password', changeForm(PASSWORD))
  expect([response.statusCode, response.body]).toEqual([204, ''])
  expect(await signInStatus(auth, 'changer', NEW_PASSWORD)).toBe(200)
  expect(await signInStatus(auth, 'changer', PASSWORD)).toBe(401)
})

const FORMS = [
  ['umlaut', 'M\u00fcnchen-liegt-9', 'Mu\u0308nchen-liegt-9'],
  ['hangul', '\ud55c\uae00-pass-77', '\u1112\u1161\u11ab\u1100\u1173\u11af-pass-77'],
  ['full-width', 'Correct-horse-123', 'Correct-horse-\uff11\uff12\uff13'],
  ['no-break-space', 'correct horse 77', 'correct\u00a0horse\u00a077'],
].flatMap(([name, one, other]) => [
  [`${name}-1`, one, other],
  [`${name}-2`, other, one],
]) as [string, string, string][]

test.each(FORMS)('a password is the same in each form of its characters: %s', async (username, first, second) => {
  const email = `${username}@example.org`
  const owner = await auth.register(username, { email, password: first, confirmPassword: second })
  await auth.db.user.update({ where: { id: owner.userId }, data: { emailConfirmed: true } })
  const confirmed = await owner.call('POST', '/api/user/confirm-password', { password: second })
  expect(confirmed.statusCode).toBe(204)
  const same = await owner.call('POST', '/api/user/password', changeForm(second, first))
  expect(same.json().fields).toEqual({ newPassword: 'Choose a password that differs from the current one' })
  expect((await owner.call('POST', '/api/user/password', changeForm(second))).statusCode).toBe(204)
  const token = await requestResetToken(auth, { ...owner, username, email })
  const reset = await auth.post('/api/password-reset/confirm', { ...resetForm(token, first), confirmPassword: second })
  expect(reset.statusCode).toBe(204)
  const login = await auth.post('/api/login', { username, password: second })
  const browser = await auth.signedIn(login.headers['set-cookie'])
  expect((await browser.call('DELETE', '/api/user', { password: second })).statusCode).toBe(202)
})

test('ends all sessions and gives the browser of the request a new one', async () => {
  const browser = await auth.register('keeper')
  const others = [await auth.signIn('keeper'), await auth.signIn('keeper')]
  const stranger = await auth.register('unconcerned')
  const response = await browser.call('POST', '/api/user/password', changeForm(PASSWORD))
  const next = await auth.signedIn(response.headers['set-cookie'])
  const running = await Promise.all([next, browser, ...others, stranger].map((each) => isRunning(auth, each)))
  expect(running).toEqual([true, false, false, false, true])
  for (const ended of [browser, ...others]) expect((await ended.call('GET', '/api/user')).statusCode).toBe(401)
  expect((await next.call('GET', '/api/user')).statusCode).toBe(200)
  expect(await auth.db.sessionEnding.count({ where: { userId: browser.userId } })).toBe(0)
})

describe('rejects a form with 400 and the sentence of the field', () => {
  const long = 'x'.repeat(257)
  test.each([
    ['currentPassword', changeForm(''), 'Current password is required'],
    ['currentPassword', changeForm('not this one'), 'Current password is incorrect'],
    ['newPassword', changeForm(PASSWORD, PASSWORD), 'Choose a password that differs from the current one'],
    ['newPassword', changeForm(PASSWORD, '12345'), 'Password must be at least 6 characters'],
    ['newPassword', changeForm(PASSWORD, 'e\u0301e\u0301e\u0301'), 'Password must be at least 6 characters'],
    ['newPassword', changeForm(PASSWORD, '\ufdfa'.repeat(15)), 'Password must be at most 256 characters'],
    ['newPassword', changeForm(PASSWORD, long), 'Password must be at most 256 characters'],
    ['newPassword', changeForm(PASSWORD, 'Qwerty123'), 'This password is too common. Please choose another one.'],
    ['newPassword', changeForm(PASSWORD, 'former1999'), 'This password is too common. Please choose another one.'],
    ['confirmPassword', { ...changeForm(PASSWORD), confirmPassword: undefined }, 'Please confirm your password'],
    ['confirmPassword', { ...changeForm(PASSWORD), confirmPassword: 'different' }, 'Passwords do not match'],
  ])('%s: %j', async (field, body, sentence) => {
    const name = 'former'
    if (!(await auth.db.user.findUnique({ where: { usernameKey: name } }))) await auth.register(name)
    const browser = await auth.signIn(name)
    const response = await browser.call('POST', '/api/user/password', body)
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({ code: 'invalid_fields', message: sentence, fields: { [field]: sentence } })
    expect(await signInStatus(auth, name, PASSWORD)).toBe(200)
  })
})

test('registration rejects common passwords and the username', async () => {
  for (const password of ['password1', 'newcomer', 'Newcomer!']) {
    const response = await auth.post('/api/register', form('newcomer', { password, confirmPassword: password }))
    expect(response.json()).toMatchObject({
      code: 'invalid_fields',
      fields: { password: 'This password is too common. Please choose another one.' },
    })
  }
})

test('wrong current passwords are limited, so that a stolen session cannot guess', async () => {
  const browser = await auth.register('guessed')
  const statuses: number[] = []
  for (let guess = 0; guess < 11; guess += 1) {
    const identity = { address: randomAddress() }
    const response = await browser.call('POST', '/api/user/password', changeForm(`guess ${guess}`), { identity })
    statuses.push(response.statusCode)
  }
  expect(statuses).toEqual([...Array(10).fill(400), 429])
  const right = await browser.call('POST', '/api/user/password', changeForm(PASSWORD))
  expect([right.statusCode, Number(right.headers['retry-after']) > 0]).toEqual([429, true])
  expect(await signInStatus(auth, 'guessed', PASSWORD)).toBe(200)
})

test('failed logins of strangers do not stop the signed-in user from changing the password', async () => {
  const browser = await auth.register('besieged')
  for (let guess = 0; guess < 11; guess += 1) {
    const identity = { address: randomAddress() }
    await auth.post('/api/login', { username: 'besieged', password: `guess ${guess}` }, { identity })
  }
  expect(await signInStatus(auth, 'besieged', PASSWORD)).toBe(429)
  expect((await browser.call('POST', '/api/user/password', changeForm(PASSWORD))).statusCode).toBe(204)
})

test('is limited to ten changes an hour, each of which sends a mail', async () => {
  let browser = await auth.register('restless')
  let current = PASSWORD
  for (let number = 0; number < 10; number += 1) {
    const next = `${number} restless horses`
    const changed = await browser.call('POST', '/api/user/password', changeForm(current, next))
    browser = await auth.signedIn(changed.headers['set-cookie'])
    current = next
  }
  const response = await browser.call('POST', '/api/user/password', changeForm(current, 'eleven horses'))
  expect([response.statusCode, Number(response.headers['retry-after']) > 3000]).toEqual([429, true])
  expect(await signInStatus(auth, 'restless', current)).toBe(200)
  expect((await browser.call('GET', '/api/user')).statusCode).toBe(200)
})

describe('the mail about it', () => {
  test('goes to the confirmed address, committed with the change', async () => {
    const owner = await registerConfirmed(auth, 'informed')
    await owner.call('POST', '/api/user/password', changeForm(PASSWORD))
    expect(await mailsOf(owner.userId)).toMatchObject([{ kind: 'password-changed', address: owner.email }])
  })

  test('goes to the address confirmed last while a new one is not confirmed', async () => {
    const owner = await registerConfirmed(auth, 'robbed')
    const changes = { email: 'thief@example.org', emailConfirmed: false, formerEmail: owner.email }
    await auth.db.user.update({ where: { id: owner.userId }, data: changes })
    await owner.call('POST', '/api/user/password', changeForm(PASSWORD))
    expect(await mailsOf(owner.userId)).toMatchObject([{ kind: 'password-changed', address: owner.email }])
  })

  test('is not requested for an address that was never confirmed, or after a rejected change', async () => {
    const unconfirmed = await auth.register('unproven', { email: 'unproven@example.org' })
    await auth.db.mail.deleteMany({ where: { userId: unconfirmed.userId } })
    await unconfirmed.call('POST', '/api/user/password', changeForm(PASSWORD))
    const rejected = await registerConfirmed(auth, 'rejected')
    await rejected.call('POST', '/api/user/password', changeForm('not this one'))
    expect(await mailsOf(unconfirmed.userId)).toEqual([])
    expect(await mailsOf(rejected.userId)).toEqual([])
  })
})

describe('of concurrent requests one wins', () => {
  test('the other one of two changes is told why, and its session ends', async () => {
    const owner = await registerConfirmed(auth, 'twice')
    const second = await auth.signIn('twice')
    const wanted = ['first new horse', 'second new horse']
    const responses = await Promise.all(
      [owner, second].map((browser, index) =>
        browser.call('POST', '/api/user/password', changeForm(PASSWORD, wanted[index])),
      ),
    )
    const winner = responses.findIndex(({ statusCode }) => statusCode === 204)
    const other = responses[1 - winner]
    // The session may have ended before the password was compared again.
    const codes = { 401: 'unauthenticated', 409: 'password_changed' }
    expect(Object.entries(codes)).toContainEqual([String(other?.statusCode), other?.json().code])
    const next = await auth.signedIn(responses[winner]?.headers['set-cookie'])
    expect(await runningSessions(auth, owner.userId)).toEqual([next.session.hash])
    expect(await signInStatus(auth, 'twice', wanted[winner] ?? '')).toBe(200)
    expect(await signInStatus(auth, 'twice', wanted[1 - winner] ?? '')).toBe(401)
    expect(await mailsOf(owner.userId)).toHaveLength(1)
  })

  test('a change beside a reset', async () => {
    const owner = await registerConfirmed(auth, 'beside')
    const token = await requestResetToken(auth, owner)
    const [change, reset] = await Promise.all([
      owner.call('POST', '/api/user/password', changeForm(PASSWORD, 'changed horse')),
      auth.post('/api/password-reset/confirm', resetForm(token, 'reset horse')),
    ])
    expect([
      [204, 410],
      [409, 204],
      // The session ended before the password was compared again.
      [401, 204],
    ]).toContainEqual([change.statusCode, reset.statusCode])
    const won = change.statusCode === 204 ? 'changed horse' : 'reset horse'
    expect(await runningSessions(auth, owner.userId)).toHaveLength(change.statusCode === 204 ? 1 : 0)
    expect(await signInStatus(auth, 'beside', won)).toBe(200)
  })
})

test('a change makes links for a reset that were sent before invalid', async () => {
  const owner = await registerConfirmed(auth, 'overtaken')
  const token = await requestResetToken(auth, owner)
  await owner.call('POST', '/api/user/password', changeForm(PASSWORD))
  expect((await auth.post('/api/password-reset/confirm', resetForm(token, 'third horse'))).statusCode).toBe(410)
})
