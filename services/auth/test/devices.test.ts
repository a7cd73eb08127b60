import { TEST_IDENTITY_KEYS, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevices } from '../src/accounts/devices.ts'
import {
  changeForm,
  MAIL_SETTINGS,
  NEW_PASSWORD,
  registerConfirmed,
  requestResetToken,
  resetForm,
} from './password-support.ts'
import { form, PASSWORD, randomAddress, startAuth, type TestAuth } from './support.ts'

/* Wrong guesses, from anywhere, keep nobody out of an account on a device where it has signed in. */

let auth: TestAuth
beforeAll(async () => {
  auth = await startAuth({ settings: { ...MAIL_SETTINGS, LOGIN_FAILURES_PER_ADDRESS: '20' } })
})
afterAll(() => auth.close())

type Response = Awaited<ReturnType<TestAuth['post']>>
interface Login {
  password?: string
  cookie?: string
  address?: string
}

const setCookies = ({ headers }: Response) => [headers['set-cookie'] ?? []].flat()
/** The cookie of known devices as the browser sends it after this response. */
const deviceOf = (response: Response) =>
  setCookies(response)
    .find((text) => text.startsWith('device='))
    ?.split(';')[0] ?? ''

function login(username: string, { password = PASSWORD, cookie = '', address = randomAddress() }: Login = {}) {
  return auth.post('/api/login', { username, password }, { identity: { address }, headers: { cookie } })
}

const register = async (username: string) => deviceOf(await auth.post('/api/register', form(username)))

/** Strangers guess from many addresses until nobody unknown gets in. */
async function lockForStrangers(username: string) {
  for (let guess = 0; guess < 10; guess += 1) await login(username, { password: `guess ${guess}` })
  expect((await login(username)).statusCode).toBe(429)
}

describe('a known device', () => {
  test('gets in while strangers have locked the account', async () => {
    const registered = await register('owner')
    const signedIn = deviceOf(await login('owner'))
    await lockForStrangers('owner')
    expect((await login('owner', { cookie: registered })).statusCode).toBe(200)
    expect((await login(' OWNER', { cookie: signedIn })).statusCode).toBe(200)
  })

  test('gets in while a neighbour has locked the address, and its failures do not count for the address', async () => {
    const address = randomAddress()
    const cookie = await register('neighbour')
    const fail = (number: number) => login(`nobody-${number}`, { password: 'wrong', address })
    for (let number = 0; number < 19; number += 1) expect((await fail(number)).statusCode).toBe(401)
    expect((await login('neighbour', { password: 'wrong', cookie, address })).statusCode).toBe(401)
    expect((await fail(19)).statusCode).toBe(401)
    expect((await fail(20)).statusCode).toBe(429)
    expect((await login('neighbour', { cookie, address })).statusCode).toBe(200)
  })

  test('gets in where guesses come from hundreds of addresses at once', async () => {
    const cookie = await register('besieged')
    const siege = Array.from({ length: 150 }, (_, guess) => login('besieged', { password: `guess ${guess}` }))
    const owner = await Promise.all(Array.from({ length: 3 }, () => login('besieged', { cookie })))
    expect(owner.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
    const statuses = (await Promise.all(siege)).map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
  })

  test('counts as a stranger after ten wrong passwords of its own, also parallel ones', async () => {
    const cookie = await register('forgetful')
    const guesses = await Promise.all(
      Array.from({ length: 30 }, (_, guess) => login('forgetful', { password: `guess ${guess}`, cookie })),
    )
    const statuses = guesses.map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(20)
    await waitFor(async () => (await login('forgetful', { cookie })).statusCode === 429, { what: 'the lock' })
    const another = deviceOf(await signInKnown('forgetful'))
    expect((await login('forgetful', { cookie: another })).statusCode).toBe(200)
  })

  test('gets a new name, without failures, with each sign-in; the former one keeps those it has', async () => {
    const former = await register('renewed')
    for (let guess = 0; guess < 9; guess += 1) await login('renewed', { password: 'wrong', cookie: former })
    const renewed = deviceOf(await login('renewed', { cookie: former }))
    expect(renewed).not.toBe(former)
    await lockForStrangers('renewed')
    expect((await login('renewed', { password: 'wrong', cookie: former })).statusCode).toBe(401)
    expect((await login('renewed', { cookie: former })).statusCode).toBe(429)
    for (let guess = 0; guess < 9; guess += 1) await login('renewed', { password: 'wrong', cookie: renewed })
    expect((await login('renewed', { cookie: renewed })).statusCode).toBe(200)
  })

  test('is still known after signing out, a changed password, and the end of all other sessions', async () => {
    const phone = await register('constant')
    const desk = await auth.signIn('constant')
    await desk.call('DELETE', '/api/user/sessions')
    const changed = await desk.call('POST', '/api/user/password', changeForm(PASSWORD))
    await (await auth.signedIn(changed.headers['set-cookie'])).call('POST', '/api/logout')
    await lockForStrangers('constant')
    for (const cookie of [phone, deviceOf(changed)])
      expect((await login('constant', { password: NEW_PASSWORD, cookie })).statusCode).toBe(200)
  })

  test('is made by a reset of the password, so that its owner gets in from a new browser', async () => {
    const owner = await registerConfirmed(auth, 'returned')
    await lockForStrangers('returned')
    const reset = await auth.post('/api/password-reset/confirm', resetForm(await requestResetToken(auth, owner)))
    expect([reset.statusCode, setCookies(reset)]).toEqual([204, [expect.stringMatching(/^device=/)]])
    expect((await login('returned', { password: NEW_PASSWORD, cookie: deviceOf(reset) })).statusCode).toBe(200)
  })

  test('gets the response of a stranger for a wrong password', async () => {
    const cookie = await register('equal')
    const [known, stranger] = [
      await login('equal', { password: 'wrong', cookie }),
      await login('equal', { password: 'wrong' }),
    ]
    expect([known.statusCode, known.json(), setCookies(known)]).toEqual([
      stranger.statusCode,
      stranger.json(),
      setCookies(stranger),
    ])
  })
})

/** A device that becomes known without counting as a stranger. */
async function signInKnown(username: string) {
  const cookie = createDevices(TEST_IDENTITY_KEYS, false).remember(undefined, username).split(';')[0] ?? ''
  return login(username, { cookie })
}

describe('the cookie', () => {
  test('has an entry for each account of the browser, eight at most, and is for no other account', async () => {
    let cookie = await register('family-0')
    for (let number = 1; number < 9; number += 1) {
      const response = await auth.post('/api/register', form(`family-${number}`), { headers: { cookie } })
      cookie = deviceOf(response)
    }
    expect(cookie.split('~')).toHaveLength(8)
    for (const [username, status] of [
      ['family-1', 200],
      ['family-0', 429],
    ] as const) {
      await lockForStrangers(username)
      expect((await login(username, { cookie })).statusCode).toBe(status)
    }
    const stranger = await register('one-of-their-guests')
    await lockForStrangers('family-2')
    expect((await login('family-2', { cookie: stranger })).statusCode).toBe(429)
  })

  test('is HttpOnly, SameSite, lasts a year, and names neither the account nor its user', async () => {
    const response = await login('nobody-yet')
    expect(setCookies(response)).toEqual([])
    const [, cookie = ''] = setCookies(await auth.post('/api/register', form('anonymous-owner')))
    expect(cookie).toMatch(/^device=[\w.-]+; Path=\/api; HttpOnly; SameSite=Lax; Max-Age=31536000$/)
    expect(cookie).not.toContain('anonymous')
    expect(createDevices(TEST_IDENTITY_KEYS, true).remember(undefined, 'a')).toContain('; Secure')
  })

  test('is worth nothing when forged, signed by another key, changed, or older than a year', async () => {
    const devices = createDevices(TEST_IDENTITY_KEYS, false)
    const [genuine = ''] = devices.remember(undefined, 'aged').split(';')
    const [day = '', nonce, signature] = genuine.slice('device='.length).split('.')
    const [foreign = ''] = createDevices(['x'.repeat(32)], false)
      .remember(undefined, 'aged')
      .split(';')
    const later = (Number.parseInt(day, 36) + 1).toString(36)
    const forged = ['device=', 'device=~~~', 'device=a.b.c', foreign, `device=${later}.${nonce}.${signature}`]
    for (const cookie of [...forged, undefined]) expect(devices.find(cookie, 'aged')).toBeNull()
    expect(devices.find(genuine, 'aged')).toBe(genuine.slice('device='.length))
    expect(devices.find(`a=b; ${genuine}; c=d`, ' AGED ')).not.toBeNull()
    const rotated = createDevices(['n'.repeat(32), ...TEST_IDENTITY_KEYS], false)
    expect(rotated.find(genuine, 'aged')).not.toBeNull()
  })

  test('reads no more than eight entries of a long header', () => {
    const devices = createDevices(TEST_IDENTITY_KEYS, false)
    const [genuine = ''] = devices.remember(undefined, 'ninth').split(';')
    const padded = `device=${'a.b.c~'.repeat(8)}${genuine.slice('device='.length)}`
    expect(devices.find(padded, 'ninth')).toBeNull()
  })
})

test("a neighbour's wrong guesses do not keep a signed-in user from entering the own password", async () => {
  const browser = await auth.register('seated')
  const address = randomAddress()
  for (let guess = 0; guess < 21; guess += 1) await login(`crowd-${guess}`, { password: 'wrong', address })
  expect((await login('crowd-99', { password: 'wrong', address })).statusCode).toBe(429)
  const identity = { address }
  const confirmed = await browser.call('POST', '/api/user/confirm-password', { password: PASSWORD }, { identity })
  expect(confirmed.statusCode).toBe(204)
})
