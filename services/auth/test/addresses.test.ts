import { sendRequest, sessionKey } from '@skyfolio/kit'
import { mailStatus } from '@skyfolio/proto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { confirmedUser, linkIn, mailsOf, sendMail, startAuthWithMail } from './address-support.ts'
import { form, PASSWORD, startAuth, type TestAuth } from './support.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startAuthWithMail()
})
afterAll(() => auth.close())

const isSignedIn = async ({ session }: { session: { hash: string } }) =>
  (await auth.redis.exists(sessionKey(session.hash))) === 1

describe('registration', () => {
  test('requests the mail that confirms its address, and none without an address', async () => {
    const { userId } = await auth.register('amelia', { email: 'amelia@example.org' })
    expect(await mailsOf(auth, userId)).toEqual([{ kind: 'confirm-email', address: 'amelia@example.org' }])
    expect(await mailsOf(auth, (await auth.register('bessie')).userId)).toEqual([])
  })

  test('requests no mail when it is rejected', async () => {
    await auth.post('/api/register', form('taken', { email: 'taken1@example.org' }))
    await auth.post('/api/register', form('taken', { email: 'taken2@example.org' }))
    expect(await auth.db.mail.count({ where: { address: 'taken2@example.org' } })).toBe(0)
  })

  test('the address is confirmed by the link alone, also where nobody is signed in, and the link works once', async () => {
    const email = 'carl@example.org'
    const browser = await auth.register('carl', { email })
    expect((await browser.call('GET', '/api/user')).json().emailConfirmed).toBe(false)
    const token = await linkIn(auth, browser.userId, 'confirm-email', email)
    expect((await auth.post('/api/user/email/confirm', { token })).statusCode).toBe(204)
    expect((await browser.call('GET', '/api/user')).json()).toMatchObject({ email, emailConfirmed: true })
    const again = await auth.post('/api/user/email/confirm', { token })
    expect([again.statusCode, again.json().code]).toEqual([410, 'link_expired'])
  })
})

describe('a changed address', () => {
  test('holds at once and is not confirmed; it gets its link, and the former one a notice', async () => {
    const user = await confirmedUser(auth)
    const response = await user.change('  new@example.org ')
    expect(response.json()).toMatchObject({ email: 'new@example.org', emailConfirmed: false })
    expect(await user.state()).toMatchObject({ formerEmail: user.address })
    expect(await user.mails()).toEqual([
      { kind: 'email-changed', address: user.address },
      { kind: 'confirm-email', address: 'new@example.org' },
    ])
  })

  test('is confirmed only with the password', async () => {
    const user = await confirmedUser(auth)
    await user.change('second@example.org')
    const token = await user.link('confirm-email', 'second@example.org')
    const missing = await user.confirm(token)
    expect([missing.statusCode, missing.json().fields]).toEqual([400, { password: 'Password is required' }])
    const wrong = await user.confirm(token, 'wrong')
    expect([wrong.statusCode, wrong.json().fields]).toEqual([400, { password: 'Incorrect password' }])
    expect(await user.state()).toMatchObject({ emailConfirmed: false })
    expect((await user.confirm(token, PASSWORD)).statusCode).toBe(204)
    expect(await user.state()).toEqual({ email: 'second@example.org', emailConfirmed: true, formerEmail: null })
  })

  test('needs the password also in an account that had none before', async () => {
    const browser = await auth.register('dora')
    await browser.call('PUT', '/api/user', { email: 'dora@example.org' })
    const token = await linkIn(auth, browser.userId, 'confirm-email', 'dora@example.org')
    expect((await auth.post('/api/user/email/confirm', { token })).statusCode).toBe(400)
    expect((await auth.post('/api/user/email/confirm', { token, password: PASSWORD })).statusCode).toBe(204)
  })

  test('wrong passwords are limited, apart from the logins of the account', async () => {
    const user = await confirmedUser(auth)
    await user.change('guessed@example.org')
    const token = await user.link('confirm-email', 'guessed@example.org')
    const statuses = []
    for (let guess = 0; guess < 11; guess++) statuses.push((await user.confirm(token, `guess ${guess}`)).statusCode)
    expect(statuses).toEqual([...Array(10).fill(400), 429])
    expect((await auth.post('/api/login', { username: user.username, password: PASSWORD })).statusCode).toBe(200)
  })

  test('makes the link to the address before useless, and a mail to it that still waits has none', async () => {
    const user = await confirmedUser(auth)
    await user.change('typo@example.org')
    const old = await user.link('confirm-email', 'typo@example.org')
    await user.change('late@example.org')
    await user.change('right@example.org')
    expect((await user.confirm(old, PASSWORD)).statusCode).toBe(410)
    expect(await sendMail(auth, user.userId, 'confirm-email', 'late@example.org')).toBeNull()
    const token = await user.link('confirm-email', 'right@example.org')
    expect((await user.confirm(token, PASSWORD)).statusCode).toBe(204)
  })

  test('keeps the last confirmed one as the former address over several changes, with a notice for each', async () => {
    const user = await confirmedUser(auth)
    await user.change('one@example.org')
    await user.change(null)
    await user.change('two@example.org')
    expect(await user.state()).toEqual({ email: 'two@example.org', emailConfirmed: false, formerEmail: user.address })
    const notices = (await user.mails()).filter(({ kind }) => kind === 'email-changed')
    expect(notices.map(({ address }) => address)).toEqual(Array(3).fill(user.address))
  })

  test('is confirmed at once when it is the former one again, and the link to the one between is useless', async () => {
    const user = await confirmedUser(auth)
    await user.change('between@example.org')
    const token = await user.link('confirm-email', 'between@example.org')
    expect((await user.change(user.address)).json()).toMatchObject({ email: user.address, emailConfirmed: true })
    expect(await user.state()).toMatchObject({ formerEmail: null })
    expect((await user.confirm(token, PASSWORD)).statusCode).toBe(410)
  })

  test('an unchanged address stays confirmed and sends no mail', async () => {
    const user = await confirmedUser(auth)
    expect((await user.change(user.address)).json().emailConfirmed).toBe(true)
    expect(await user.mails()).toEqual([])
  })

  test('is rejected when it is none', async () => {
    const user = await confirmedUser(auth)
    for (const email of ['nobody', 'a@b', 'a@example.org\nBcc: b@example.org']) {
      const response = await user.change(email)
      expect([response.statusCode, response.json().fields]).toEqual([400, { email: 'Invalid email address' }])
    }
    expect(await user.state()).toMatchObject({ email: user.address, emailConfirmed: true })
  })
})

describe('taking a change back', () => {
  test('restores the address, confirmed, and ends all sessions', async () => {
    const user = await confirmedUser(auth)
    const thief = await auth.signIn(user.username)
    await thief.call('PUT', '/api/user', { email: 'thief@example.org' })
    const stolen = await user.link('confirm-email', 'thief@example.org')
    const token = await user.link('revert-email', user.address)
    expect((await user.revert(token)).statusCode).toBe(204)
    expect(await user.state()).toEqual({ email: user.address, emailConfirmed: true, formerEmail: null })
    expect([await isSignedIn(user), await isSignedIn(thief)]).toEqual([false, false])
    expect((await user.confirm(stolen, PASSWORD)).statusCode).toBe(410)
    expect((await user.revert(token)).statusCode).toBe(410)
  })

  test('gives the browser of the request a new session if the user is signed in there', async () => {
    const user = await confirmedUser(auth)
    const other = await auth.signIn(user.username)
    await user.change('new@example.org')
    const token = await user.link('revert-email', user.address)
    const response = await user.call('POST', '/api/user/email/revert', { token })
    expect(response.statusCode).toBe(204)
    const next = await auth.signedIn(response.headers['set-cookie'])
    expect(await Promise.all([next, user, other].map(isSignedIn))).toEqual([true, false, false])
  })

  test("ends the user's sessions when somebody else is signed in where the link is opened", async () => {
    const user = await confirmedUser(auth)
    const neighbour = await confirmedUser(auth, 'neighbour')
    await user.change('new@example.org')
    const token = await user.link('revert-email', user.address)
    expect((await neighbour.call('POST', '/api/user/email/revert', { token })).statusCode).toBe(204)
    expect([await isSignedIn(user), await isSignedIn(neighbour)]).toEqual([false, true])
  })

  test('works after the new address was confirmed, for whoever knew the password', async () => {
    const user = await confirmedUser(auth)
    await user.change('thief@example.org')
    const token = await user.link('revert-email', user.address)
    await user.confirm(await user.link('confirm-email', 'thief@example.org'), PASSWORD)
    expect((await user.revert(token)).statusCode).toBe(204)
    expect(await user.state()).toMatchObject({ email: user.address, emailConfirmed: true })
  })

  test('works by the notice of each of several changes, and takes back all later ones', async () => {
    const user = await confirmedUser(auth)
    await user.change('one@example.org')
    const first = await user.link('revert-email', user.address)
    await user.confirm(await user.link('confirm-email', 'one@example.org'), PASSWORD)
    await user.change('two@example.org')
    const second = await user.link('revert-email', 'one@example.org')
    expect((await user.revert(second)).statusCode).toBe(204)
    expect(await user.state()).toMatchObject({ email: 'one@example.org' })
    expect((await user.revert(first)).statusCode).toBe(204)
    expect(await user.state()).toMatchObject({ email: user.address })
  })

  test('takes the links of later changes away, sent or not', async () => {
    const user = await confirmedUser(auth)
    await user.change('one@example.org')
    const first = await user.link('revert-email', user.address)
    await user.confirm(await user.link('confirm-email', 'one@example.org'), PASSWORD)
    await user.change('two@example.org')
    const second = await user.link('revert-email', 'one@example.org')
    await user.change('three@example.org')
    expect((await user.revert(first)).statusCode).toBe(204)
    expect((await user.revert(second)).statusCode).toBe(410)
    expect(await user.mails()).toEqual([])
  })

  test('leaves the mail of an earlier change to be sent when a later link is used, though its link is made afterwards', async () => {
    const user = await confirmedUser(auth)
    await user.change('thief@example.org')
    await user.confirm(await user.link('confirm-email', 'thief@example.org'), PASSWORD)
    await user.change('other@example.org')
    const ofThief = await user.link('revert-email', 'thief@example.org')
    expect((await user.revert(ofThief)).statusCode).toBe(204)
    const token = await user.link('revert-email', user.address)
    expect((await user.revert(token)).statusCode).toBe(204)
    expect(await user.state()).toMatchObject({ email: user.address, emailConfirmed: true })
  })

  test('needs a token that is known and not expired', async () => {
    const user = await confirmedUser(auth)
    await user.change('new@example.org')
    const token = await user.link('revert-email', user.address)
    await auth.db.accountToken.updateMany({ where: { userId: user.userId }, data: { expiresAt: new Date() } })
    for (const unusable of [token, 'x'.repeat(43), 'x'.repeat(5_000), '', 'nul\0', undefined]) {
      for (const route of ['revert', 'confirm']) {
        const response = await auth.post(`/api/user/email/${route}`, { token: unusable })
        expect([response.statusCode, response.json().code]).toEqual([410, 'link_expired'])
      }
    }
  })
})

describe('the mail that confirms an address', () => {
  const send = (browser: Pick<Awaited<ReturnType<TestAuth['register']>>, 'call'>) =>
    browser.call('POST', '/api/user/email/confirmation')

  test('is sent again on request, and then the link before is useless', async () => {
    const browser = await auth.register('edith', { email: 'edith@example.org' })
    const first = await linkIn(auth, browser.userId, 'confirm-email', 'edith@example.org')
    const response = await send(browser)
    expect([response.statusCode, response.json()]).toEqual([202, {}])
    const second = await linkIn(auth, browser.userId, 'confirm-email', 'edith@example.org')
    expect((await auth.post('/api/user/email/confirm', { token: first })).statusCode).toBe(410)
    expect((await auth.post('/api/user/email/confirm', { token: second })).statusCode).toBe(204)
  })

  test('is not sent for a confirmed address, or without one', async () => {
    const confirmed = await send(await confirmedUser(auth))
    expect([confirmed.statusCode, confirmed.json().code]).toEqual([409, 'email_confirmed'])
    const none = await send(await auth.register('frank'))
    expect([none.statusCode, none.json().code]).toEqual([409, 'no_email'])
  })

  test('is limited for an account and for an address, as are changes', async () => {
    const limited = await startAuthWithMail({ addressMailsPerHour: 2 })
    const [user, other] = [await limited.register('grace'), await limited.register('henry')]
    const change = (browser: typeof user, email: string) => browser.call('PUT', '/api/user', { email })
    expect((await change(user, 'victim@example.org')).statusCode).toBe(200)
    expect((await send(user)).statusCode).toBe(202)
    const rejected = await send(user)
    expect(rejected.statusCode).toBe(429)
    expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(3000)
    expect((await change(user, 'grace@example.org')).statusCode).toBe(429)
    expect((await user.call('PUT', '/api/user', { firstName: 'Grace', email: 'victim@example.org' })).statusCode).toBe(
      200,
    )
    expect((await change(other, 'Victim@example.org')).statusCode).toBe(429)
    expect((await change(other, 'henry@example.org')).statusCode).toBe(200)
    await limited.close()
  })
})

test('many registrations with one address do not send it more mails than allowed', async () => {
  const limited = await startAuthWithMail({ addressMailsPerHour: 2 })
  for (const name of ['judith', 'karl', 'laura']) await limited.register(name, { email: 'victim@example.org' })
  expect([await limited.db.user.count(), await limited.db.mail.count()]).toEqual([3, 2])
  await limited.close()
})

test('tells the gateway whether mail can be sent', async () => {
  const silent = await startAuth()
  const read = ({ nats }: TestAuth) => sendRequest(nats, mailStatus, {}, { timeoutMs: 5_000 })
  expect([await read(auth), await read(silent)]).toMatchObject([{ available: true }, { available: false }])
  await silent.close()
})

test('addresses can be changed without a mail server, no mail is requested, and none can be', async () => {
  const silent = await startAuth()
  const browser = await silent.register('isabel', { email: 'isabel@example.org' })
  await silent.db.user.update({ where: { id: browser.userId }, data: { emailConfirmed: true } })
  const changed = await browser.call('PUT', '/api/user', { email: 'new@example.org' })
  expect(changed.json()).toMatchObject({ email: 'new@example.org', emailConfirmed: false })
  const response = await browser.call('POST', '/api/user/email/confirmation')
  expect([response.statusCode, response.json().code]).toEqual([503, 'mail_not_configured'])
  expect(await silent.db.mail.count()).toBe(0)
  await silent.close()
})
