import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { form, randomAddress, startAuth, type TestAuth } from './support.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startAuth()
})
afterAll(() => auth.close())

test('registration returns the user without the password and starts a session', async () => {
  const response = await auth.post('/api/register', form('  Amelia  ', { firstName: 'A', email: 'a@example.org' }))
  expect(response.statusCode).toBe(201)
  expect(response.json()).toEqual({
    id: expect.any(Number),
    username: 'Amelia',
    email: 'a@example.org',
    emailConfirmed: false,
    firstName: 'A',
    lastName: null,
    displayName: null,
    isAdmin: false,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    publicByDefault: true,
    emailNotifications: true,
    deletesAt: null,
    canRestore: false,
  })
  const [cookie] = [response.headers['set-cookie']].flat()
  expect(cookie).toMatch(/^sid=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/)
  expect(await auth.sessionOf(cookie)).toMatchObject({ userId: response.json().id, username: 'Amelia', isAdmin: false })
})

test('stores the password as argon2id with the parameters of OWASP', async () => {
  await auth.post('/api/register', form('hashed'))
  const user = await auth.db.user.findUniqueOrThrow({ where: { usernameKey: 'hashed' } })
  expect(user.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

test('ignores a requested administrator right', async () => {
  const response = await auth.post('/api/register', form('wannabe', { isAdmin: true }))
  expect(response.json().isAdmin).toBe(false)
})

test('stores empty optional fields as null', async () => {
  const response = await auth.post('/api/register', form('plain', { email: '', firstName: '  ', lastName: null }))
  expect(response.json()).toMatchObject({ email: null, firstName: null, lastName: null })
})

const UNUSABLE = 'Username contains characters that cannot be used, such as invisible ones or too many accents'

describe('rejects an invalid form with 400 and the sentence of the rule', () => {
  const long = (length: number) => 'x'.repeat(length)
  test.each([
    ['username', form('ab'), 'Username must be at least 3 characters'],
    ['username', form('  ab  '), 'Username must be at least 3 characters'],
    ['username', { ...form('x'), username: undefined }, 'Username must be at least 3 characters'],
    ['username', form(long(65)), 'Username must be at most 64 characters'],
    ['username', form('nul\0byte'), UNUSABLE],
    ['email', form('mail1', { email: 'nobody' }), 'Invalid email address'],
    ['email', form('mail2', { email: 'a@b' }), 'Invalid email address'],
    ['email', form('mail3', { email: 'a b@example.org' }), 'Invalid email address'],
    ['firstName', form('name1', { firstName: long(101) }), 'First name must be at most 100 characters'],
    ['lastName', form('name2', { lastName: 'a\0b' }), 'Last name contains characters that cannot be used'],
    [
      'password',
      form('pass1', { password: '12345', confirmPassword: '12345' }),
      'Password must be at least 6 characters',
    ],
    [
      'password',
      form('pass2', { password: long(257), confirmPassword: long(257) }),
      'Password must be at most 256 characters',
    ],
    ['confirmPassword', { ...form('pass3'), confirmPassword: undefined }, 'Please confirm your password'],
    ['confirmPassword', form('pass4', { confirmPassword: 'another' }), 'Passwords do not match'],
  ])('%s: %j', async (field, body, sentence) => {
    const response = await auth.post('/api/register', body)
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({ code: 'invalid_fields', message: sentence, fields: { [field]: sentence } })
    expect(response.headers['set-cookie']).toBeUndefined()
  })

  test('names every invalid field', async () => {
    const { fields } = (await auth.post('/api/register', { email: 'x' })).json()
    expect(Object.keys(fields).sort()).toEqual(['confirmPassword', 'email', 'password', 'username'])
  })
})

test.each(['taken', 'TAKEN', '  Taken ', 'ｔａｋｅｎ'])(
  'a username is unique regardless of case: %j',
  async (username) => {
    await auth.post('/api/register', form('taken'))
    const response = await auth.post('/api/register', form(username))
    expect(response.statusCode).toBe(409)
    expect(response.json()).toMatchObject({ code: 'username_taken', fields: { username: 'Username already exists' } })
  },
)

test('one of two concurrent registrations of a username succeeds', async () => {
  const responses = await Promise.all(['Racer', 'racer'].map((name) => auth.post('/api/register', form(name))))
  expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409])
})

test('limits registrations per address and hour, including those with a taken username', async () => {
  const limited = await startAuth({ settings: { REGISTRATIONS_PER_HOUR: '2' } })
  expect((await limited.post('/api/register', form('first'))).statusCode).toBe(201)
  expect((await limited.post('/api/register', form('first'))).statusCode).toBe(409)
  const rejected = await limited.post('/api/register', form('second'))
  expect(rejected.statusCode).toBe(429)
  expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(3000)
  expect(
    (await limited.post('/api/register', form('third'), { identity: { address: randomAddress() } })).statusCode,
  ).toBe(201)
  await limited.close()
})

test('rejects malformed, oversized and wrongly typed bodies in the error model', async () => {
  const headers = { 'content-type': 'application/json' }
  const send = (payload: string) =>
    auth.app.inject({ method: 'POST', url: '/api/register', payload, headers: { ...headers, ...auth.visitor } })
  expect((await send('{"username":')).json()).toMatchObject({ code: 'bad_request', message: expect.any(String) })
  expect((await send(JSON.stringify(form('x'.repeat(300_000))))).statusCode).toBe(413)
  expect((await send('{"username":7}')).json()).toMatchObject({
    code: 'invalid_fields',
    fields: { username: expect.any(String) },
  })
})
