import { type App, createLogger, loadConfig } from '@skyfolio/kit'
import { createPasswords } from '@skyfolio/kit/passwords'
import { identityHeaders, TEST_IDENTITY_KEYS } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevices } from '../src/accounts/devices.ts'
import { createRateLimits } from '../src/accounts/rate-limits.ts'
import { buildApp } from '../src/app.ts'
import { settings } from '../src/config.ts'
import type { AuthDeps } from '../src/deps.ts'
import { createSessions } from '../src/sessions/sessions.ts'
import { changeForm, runningSessions } from './password-support.ts'
import { PASSWORD, startAuth, type TestAuth } from './support.ts'

/* What happens between the check of a password and the start of the session. */

let auth: TestAuth
let app: App
/** Runs after the check of the password. */
let meanwhile: () => Promise<unknown>
beforeAll(async () => {
  auth = await startAuth()
  const sessions = createSessions(auth.redis, auth.nats)
  app = await buildApp({
    // Routes that this test does not call need the others.
    ...({} as AuthDeps),
    db: auth.db,
    passwords: await createPasswords({ concurrency: 2, waiting: 10 }),
    rateLimits: createRateLimits(auth.redis, loadConfig(settings, auth.environment())),
    logger: createLogger('auth', 'silent'),
    identityKeys: TEST_IDENTITY_KEYS,
    secureCookies: false,
    devices: createDevices(TEST_IDENTITY_KEYS, false),
    sessions: {
      ...sessions,
      async start(...session) {
        await meanwhile()
        return sessions.start(...session)
      },
    },
  })
})
afterAll(async () => {
  await app.close()
  await auth.close()
})

const signIn = (username: string) =>
  app.inject({
    method: 'POST',
    url: '/api/login',
    payload: { username, password: PASSWORD },
    headers: identityHeaders(),
  })

test('a sign-in whose password was changed meanwhile gets no session, and the response of a wrong password', async () => {
  const browser = await auth.register('racer')
  let next = browser
  meanwhile = async () => {
    const response = await browser.call('POST', '/api/user/password', changeForm(PASSWORD))
    next = await auth.signedIn(response.headers['set-cookie'])
  }
  const response = await signIn('racer')
  expect([response.statusCode, response.json().code]).toEqual([401, 'invalid_credentials'])
  expect(response.headers['set-cookie']).toBeUndefined()
  expect(await runningSessions(auth, browser.userId)).toEqual([next.session.hash])
})

test('a sign-in that fails afterwards leaves no session behind', async () => {
  const browser = await auth.register('unlucky')
  meanwhile = () => auth.pool.query('ALTER TABLE users RENAME TO unreadable_users')
  const response = await signIn('unlucky')
  await auth.pool.query('ALTER TABLE unreadable_users RENAME TO users')
  expect(response.statusCode).toBe(500)
  expect(await runningSessions(auth, browser.userId)).toEqual([browser.session.hash])
})

test('other changes of the user do not stop a sign-in', async () => {
  const browser = await auth.register('renamed')
  meanwhile = () => auth.db.user.update({ where: { id: browser.userId }, data: { firstName: 'Other' } })
  expect((await signIn('renamed')).statusCode).toBe(200)
  expect(await runningSessions(auth, browser.userId)).toHaveLength(2)
})
