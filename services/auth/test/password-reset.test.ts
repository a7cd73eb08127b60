import { startMailbox } from '@skyfolio/mailbox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  isRunning,
  MAIL_SETTINGS,
  NEW_PASSWORD,
  registerConfirmed,
  requestResetToken,
  resetForm,
  signInStatus,
} from './password-support.ts'
import { PASSWORD, randomAddress, startAuth, type TestAuth } from './support.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startAuth({ settings: MAIL_SETTINGS })
})
afterAll(() => auth.close())

const confirm = (token: string, password?: string) =>
  auth.post('/api/password-reset/confirm', resetForm(token, password))

test('somebody who forgot the password gets a link by mail and signs in with a new one', async () => {
  const mailbox = await startMailbox()
  const system = await startAuth({ settings: { ...MAIL_SETTINGS, SMTP_URL: mailbox.smtpUrl } })
  const owner = await registerConfirmed(system, 'forgetful')
  await system.startWorker()
  const requested = await system.post('/api/password-reset', { email: '  Forgetful@Example.org ' })
  expect([requested.statusCode, requested.json()]).toEqual([202, {}])
  const mail = await mailbox.waitForMail({ to: owner.email })
  const token = /reset-password#token=([\w-]+)/.exec(mail.text)?.[1] ?? ''
  const done = await system.post('/api/password-reset/confirm', resetForm(token))
  expect([done.statusCode, done.body, done.headers['set-cookie']]).toEqual([204, '', expect.stringMatching(/^device=/)])
  expect(await signInStatus(system, 'forgetful', NEW_PASSWORD)).toBe(200)
  const notice = await mailbox.waitForMail({ to: owner.email, after: mail })
  expect(notice.text).toContain('password')
  expect(notice.text).not.toContain('token=')
  await system.close()
  await mailbox.stop()
})

test('the owner of an account whose address a thief changed gets in without the notice and its link', async () => {
  const mailbox = await startMailbox()
  const system = await startAuth({ settings: { ...MAIL_SETTINGS, SMTP_URL: mailbox.smtpUrl } })
  const owner = await registerConfirmed(system, 'robbed')
  await owner.call('PUT', '/api/user', { email: 'thief@example.org' })
  await system.startWorker()
  await system.post('/api/password-reset', { email: owner.email })
  const mail = await mailbox.waitForMail({ to: owner.email, subject: /Reset/ })
  const token = /reset-password#token=([\w-]+)/.exec(mail.text)?.[1] ?? ''
  expect((await system.post('/api/password-reset/confirm', resetForm(token))).statusCode).toBe(204)
  expect(await isRunning(system, owner)).toBe(false)
  const browser = await system.signIn('robbed', NEW_PASSWORD)
  const restored = await browser.call('PUT', '/api/user', { email: owner.email })
  expect(restored.json()).toMatchObject({ email: owner.email, emailConfirmed: true })
  await system.close()
  await mailbox.stop()
})

test('a reset ends all sessions, also that of the browser that sends it', async () => {
  const owner = await registerConfirmed(auth, 'reset')
  const other = await auth.signIn('reset')
  const token = await requestResetToken(auth, owner)
  expect((await owner.call('POST', '/api/password-reset/confirm', resetForm(token))).statusCode).toBe(204)
  expect(await Promise.all([owner, other].map((each) => isRunning(auth, each)))).toEqual([false, false])
  expect(await signInStatus(auth, 'reset', PASSWORD)).toBe(401)
})

describe('a token', () => {
  test('gets 410 when it is unknown, malformed or absent, after the same work', async () => {
    for (const token of ['x'.repeat(43), '', 'a\0b', `${'x'.repeat(5_000)}`]) {
      const response = await confirm(token)
      expect([response.statusCode, response.json().code]).toEqual([410, 'link_expired'])
    }
    expect((await auth.post('/api/password-reset/confirm', { password: NEW_PASSWORD })).statusCode).toBe(400)
  })

  test('is valid once, and one of two concurrent uses succeeds', async () => {
    const token = await requestResetToken(auth, await registerConfirmed(auth, 'once'))
    const responses = await Promise.all(['one new horse', 'two new horses'].map((password) => confirm(token, password)))
    expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([204, 410])
    const won = responses[0]?.statusCode === 204 ? 'one new horse' : 'two new horses'
    expect(await signInStatus(auth, 'once', won)).toBe(200)
    expect((await confirm(token)).statusCode).toBe(410)
  })

  test('is invalid after a newer link was sent', async () => {
    const owner = await registerConfirmed(auth, 'newer')
    const first = await requestResetToken(auth, owner)
    const second = await requestResetToken(auth, owner)
    expect((await confirm(first)).statusCode).toBe(410)
    expect((await confirm(second)).statusCode).toBe(204)
  })

  test('is invalid after an hour', async () => {
    const token = await requestResetToken(auth, await registerConfirmed(auth, 'late'))
    await auth.db.$executeRaw`UPDATE account_tokens SET expires_at = expires_at - interval '1 hour'`
    expect((await confirm(token)).statusCode).toBe(410)
    expect(await signInStatus(auth, 'late', PASSWORD)).toBe(200)
  })

  test('sets no password when it is for another purpose', async () => {
    const owner = await registerConfirmed(auth, 'purpose')
    const token = await requestResetToken(auth, owner)
    for (const purpose of ['confirm-email', 'revert-email']) {
      await auth.db.accountToken.updateMany({ where: { userId: owner.userId }, data: { purpose } })
      expect((await confirm(token)).statusCode).toBe(410)
    }
  })

  test('is invalid when the user has given its address up; while the new one is not confirmed it is valid', async () => {
    const owner = await registerConfirmed(auth, 'mover')
    const token = await requestResetToken(auth, owner)
    const move = (changes: object) => auth.db.user.update({ where: { id: owner.userId }, data: changes })
    await move({ email: 'new@example.org', emailConfirmed: true, formerEmail: null })
    expect((await confirm(token)).statusCode).toBe(410)
    await move({ email: 'new@example.org', emailConfirmed: false, formerEmail: owner.email })
    expect((await confirm(token)).statusCode).toBe(204)
  })

  test('stays valid after a password that is rejected', async () => {
    const token = await requestResetToken(auth, await registerConfirmed(auth, 'careless'))
    const sentence = 'This password is too common. Please choose another one.'
    const rejected = [
      ['short', 'Password must be at least 6 characters'],
      ['letmein', sentence],
      ['careless7', sentence],
    ] as const
    for (const [password, message] of rejected) {
      const response = await confirm(token, password)
      expect([response.statusCode, response.json().fields]).toEqual([400, { password: message }])
    }
    expect((await confirm(token)).statusCode).toBe(204)
  })

  test('is not stored, and not in the log of the request', async () => {
    const token = await requestResetToken(auth, await registerConfirmed(auth, 'secretive'))
    const rows = await auth.db.$queryRaw<object[]>`SELECT to_jsonb(account_tokens)::text AS row FROM account_tokens`
    expect(JSON.stringify(rows)).not.toContain(token)
    const mails = await auth.db.$queryRaw<object[]>`SELECT to_jsonb(mails)::text AS row FROM mails`
    expect(JSON.stringify(mails)).not.toContain(token)
  })
})

describe('a requested reset', () => {
  test.each([
    [{}, 'Email is required'],
    [{ email: null }, 'Email is required'],
    [{ email: '  ' }, 'Email is required'],
    [{ email: 'nobody' }, 'Invalid email address'],
    [{ email: 'a@example.org\r\nBcc: b@example.org' }, 'Invalid email address'],
    [{ email: 'a@example.org,b@example.org' }, 'Invalid email address'],
  ])('needs an address: %j', async (body, sentence) => {
    const response = await auth.post('/api/password-reset', body)
    expect([response.statusCode, response.json().fields]).toEqual([400, { email: sentence }])
  })

  test('is limited for an e-mail address, whatever its case and whether an account has it', async () => {
    await registerConfirmed(auth, 'popular')
    const request = (email: string) =>
      auth.post('/api/password-reset', { email }, { identity: { address: randomAddress() } })
    const outcomes = []
    for (const name of ['popular', 'nobody-at-all']) {
      const statuses = []
      for (let number = 0; number < 6; number += 1) {
        const email = `${number % 2 ? name : name.toUpperCase()}@example.org`
        statuses.push((await request(email)).statusCode)
      }
      outcomes.push(statuses)
    }
    expect(outcomes).toEqual(Array(2).fill([202, 202, 202, 202, 202, 429]))
  })

  test('is limited for the address of the client', async () => {
    const limited = await startAuth({ settings: { ...MAIL_SETTINGS, REGISTRATIONS_PER_HOUR: '3' } })
    const statuses = []
    for (let number = 0; number < 4; number += 1) {
      const response = await limited.post('/api/password-reset', { email: `someone${number}@example.org` })
      statuses.push(response.statusCode)
    }
    expect(statuses).toEqual([202, 202, 202, 429])
    await limited.close()
  })

  test('gets 503 with a sentence on an installation without mail', async () => {
    const mute = await startAuth()
    const response = await mute.post('/api/password-reset', { email: 'somebody@example.org' })
    expect([response.statusCode, response.json().code]).toEqual([503, 'mail_not_configured'])
    expect(await mute.db.mail.count()).toBe(0)
    await mute.close()
  })
})
