import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { confirmedUser, startAuthWithMail } from './address-support.ts'
import { changeForm, runningSessions } from './password-support.ts'
import { type Browser, PASSWORD, type TestAuth } from './support.ts'

/* A stolen session is mostly a copy of the one that the owner's browser has: what ends it must end that one as well. */

let auth: TestAuth
beforeAll(async () => {
  auth = await startAuthWithMail()
})
afterAll(() => auth.close())

const CHANGES = {
  'a changed password': async (browser: Browser) =>
    browser.call('POST', '/api/user/password', changeForm(PASSWORD, 'staple battery')),
  'an address that is changed back': async (browser: Browser, owner: Awaited<ReturnType<typeof confirmedUser>>) => {
    await owner.change('thief@example.org')
    const token = await owner.link('revert-email', owner.address)
    return browser.call('POST', '/api/user/email/revert', { token })
  },
}

describe.each(Object.entries(CHANGES))('%s', (_name, change) => {
  test.each([
    ['true', /^sid=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/],
    ['false', /^sid=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/],
  ])(
    'ends every copy of the session, and the browser gets one that is like it (remember me: %s)',
    async (remember, cookie) => {
      const owner = await confirmedUser(auth)
      const headers = { 'x-remember-me': remember, 'user-agent': 'A browser/1.0' }
      const browser = await auth.signIn(owner.username, PASSWORD, { headers })
      const response = await change(browser, owner)
      expect(response.statusCode).toBe(204)
      expect([response.headers['set-cookie']].flat()[0]).toMatch(cookie)
      const next = await auth.signedIn(response.headers['set-cookie'])
      expect(next.session).toEqual({ ...browser.session, hash: next.session.hash })
      expect(await runningSessions(auth, owner.userId)).toEqual([next.session.hash])
      expect((await browser.call('PUT', '/api/user', { email: 'thief@example.org' })).statusCode).toBe(401)
      expect((await next.call('GET', '/api/user')).statusCode).toBe(200)
    },
  )

  test('keeps the session and leaves no other when it fails', async () => {
    const owner = await confirmedUser(auth)
    await owner.change('thief@example.org')
    const before = await runningSessions(auth, owner.userId)
    await auth.pool.query('ALTER TABLE session_endings RENAME TO unavailable')
    const response = await change(owner, { ...owner, change: async () => owner.call('GET', '/api/user') })
    await auth.pool.query('ALTER TABLE unavailable RENAME TO session_endings')
    expect([response.statusCode, response.headers['set-cookie']]).toEqual([500, undefined])
    expect(await runningSessions(auth, owner.userId)).toEqual(before)
  })
})

test('an address that is changed back by a session that has ended starts none', async () => {
  const owner = await confirmedUser(auth)
  await owner.change('new@example.org')
  const token = await owner.link('revert-email', owner.address)
  await owner.call('POST', '/api/logout')
  const response = await owner.call('POST', '/api/user/email/revert', { token })
  expect([response.statusCode, response.headers['set-cookie']]).toEqual([204, undefined])
  expect(await runningSessions(auth, owner.userId)).toEqual([])
})
