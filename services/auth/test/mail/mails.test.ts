import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Message } from '@skyfolio/mailbox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MailSystem, ORIGIN, openMailSystem, tokenIn } from './support.ts'

/* What is sent, and to whom: read from the mailbox of a real server. */

let system: MailSystem
beforeAll(async () => {
  system = await openMailSystem()
  await system.start()
})
afterAll(() => system.close())

const readWeb = (path: string) => readFile(new URL(`../../../../web/${path}`, import.meta.url), 'utf8')
const hashOf = (token: string) => new Uint8Array(createHash('sha256').update(token).digest())
const tokenRow = (token: string) => system.db.accountToken.findUnique({ where: { hash: hashOf(token) } })

/** The mail to this address, once it is recorded as sent. */
async function sentTo(to: string): Promise<Message> {
  const mail = await system.settled('sent')
  expect(mail).toMatchObject({ address: null, data: {}, leaseId: null, leaseUntil: null })
  expect(mail.finishedAt).not.toBeNull()
  return system.mailbox.waitForMail({ to })
}

describe('a mail', () => {
  test('says who sends it, that a machine does, has the id of its row, and the colours of the application', async () => {
    const user = await system.addUser()
    await system.request({ kind: 'password-changed', userId: user.id, address: null })
    const [row] = await system.mails()
    const mail = await sentTo(user.email ?? '')
    expect(mail).toMatchObject({
      from: 'Skyfolio <no-reply@skyfolio.test>',
      sender: 'no-reply@skyfolio.test',
      to: [user.email],
      messageId: `<${row?.id}@skyfolio.test>`,
      source: expect.not.stringContaining('Content-Disposition'),
    })
    expect(mail.headers).toMatchObject({
      'auto-submitted': 'auto-generated',
      'mime-version': '1.0',
      to: user.email,
      date: expect.stringMatching(/GMT|\+0000/),
      'content-type': expect.stringMatching(/^multipart\/alternative;/),
    })
    expect(Object.keys(mail.headers)).not.toContain('x-mailer')
    expect(mail.text).toContain(user.username)
    expect(mail.html).toContain('<html lang="en">')
    expect(mail.html).not.toMatch(/<img|<script|<link|src=|url\(/)
    const application = await Promise.all(['src/styles.css', 'public/icon.svg'].map(readWeb))
    for (const [color] of mail.html.matchAll(/#[\da-f]{6}\b/g)) expect(application.join()).toContain(color)
  })
})

describe('confirm-email', () => {
  test('goes to the new address with a token for it', async () => {
    const user = await system.addUser({ email: 'new@example.com', emailConfirmed: false })
    await system.request({ kind: 'confirm-email', userId: user.id, address: 'new@example.com' })
    const mail = await sentTo('new@example.com')
    expect(mail.subject).toBe('Confirm your email address for Skyfolio')
    expect(mail.text).toContain('valid for 7 days')
    expect(mail.text).not.toContain('password of the account')
    const token = tokenIn(mail, 'confirm-email')
    expect(mail.html).toContain(`href="${ORIGIN}/confirm-email#token=${token}"`)
    expect(await tokenRow(token)).toMatchObject({
      userId: user.id,
      purpose: 'confirm-email',
      address: 'new@example.com',
    })
  })

  test('says that a changed address needs the password', async () => {
    const user = await system.addUser({ email: 'changed@example.com', emailConfirmed: false, emailChanged: true })
    await system.request({ kind: 'confirm-email', userId: user.id, address: 'changed@example.com' })
    expect((await sentTo('changed@example.com')).text).toContain('you also need the password of the account')
  })

  test('is dropped when the address is no longer that of the user', async () => {
    const user = await system.addUser({ email: 'other@example.com', emailConfirmed: false })
    await system.request({ kind: 'confirm-email', userId: user.id, address: 'given-up@example.com' })
    expect(await system.settled('dropped')).toMatchObject({ address: null })
    expect(await system.mailbox.messages('given-up@example.com')).toEqual([])
  })

  test('makes no link of a name that looks like an address', async () => {
    const user = await system.addUser({
      username: 'http://win.example/now',
      email: 'stranger@example.com',
      emailConfirmed: false,
    })
    await system.request({ kind: 'confirm-email', userId: user.id, address: 'stranger@example.com' })
    const mail = await sentTo('stranger@example.com')
    expect(mail.text).not.toContain('win.example')
    expect(mail.html).not.toContain('win.example')
  })
})

describe('reset-password', () => {
  test('has a link for each account with that confirmed address, and sends it as it was confirmed', async () => {
    const address = 'Shared@example.com'
    const users = [await system.addUser({ email: address }), await system.addUser({ email: address })]
    const unconfirmed = await system.addUser({ email: address, emailConfirmed: false })
    await system.request({ kind: 'reset-password', userId: null, address: 'shared@EXAMPLE.com' })
    const mail = await sentTo(address)
    expect(mail.to).toEqual([address])
    expect(mail.text).not.toContain(unconfirmed.username)
    const tokens = [...mail.text.matchAll(/reset-password#token=([\w-]{43})/g)].map(([, token]) => token ?? '')
    const rows = await Promise.all(tokens.map(tokenRow))
    expect(rows.map((row) => row?.userId)).toEqual(users.map(({ id }) => id))
    for (const { username } of users) expect(mail.text).toContain(`Choose a new password for ${username}:`)
    expect(mail.text).toContain('valid for an hour')
  })

  test('goes to each spelling of an address apart, so that nobody gets the link of another mailbox', async () => {
    const plain = await system.addUser({ email: 'kim@example.org' })
    const kelvin = await system.addUser({ email: '\u212aim@example.org' })
    await system.request({ kind: 'reset-password', userId: null, address: '\u212aim@example.org' })
    await sentTo('kim@example.org')
    for (const user of [plain, kelvin]) {
      // The mailbox compares addresses regardless of case.
      const mails = (await system.mailbox.messages(user.email ?? '')).filter(({ to }) => to[0] === user.email)
      expect(mails.map(({ text }) => text)).toEqual([expect.stringContaining(`account ${user.username}`)])
      expect(await tokenRow(tokenIn(mails[0] ?? { text: '' }, 'reset-password'))).toMatchObject({ userId: user.id })
    }
  })

  test('goes to the former address while the new one is not confirmed, never to the new one', async () => {
    const fields = { email: 'thief@example.com', emailConfirmed: false, formerEmail: 'Proven@example.com' }
    const { id: userId } = await system.addUser(fields)
    await system.request({ kind: 'reset-password', userId: null, address: 'thief@example.com' })
    await system.settled('dropped')
    await system.request({ kind: 'reset-password', userId: null, address: 'proven@EXAMPLE.com' })
    const mail = await sentTo('Proven@example.com')
    expect(await tokenRow(tokenIn(mail, 'reset-password'))).toMatchObject({ userId, address: 'Proven@example.com' })
    expect(await system.mailbox.messages('thief@example.com')).toEqual([])
  })

  test('no longer goes to an address that a confirmed one has replaced', async () => {
    await system.addUser({ email: 'current@example.com', formerEmail: 'given-up@example.com' })
    await system.request({ kind: 'reset-password', userId: null, address: 'given-up@example.com' })
    await system.settled('dropped')
    expect(await system.mailbox.messages('given-up@example.com')).toEqual([])
  })

  test('lists 20 accounts and says that there are more', async () => {
    const email = 'many@example.com'
    for (let number = 0; number < 21; number++) await system.addUser({ email })
    await system.request({ kind: 'reset-password', userId: null, address: email })
    const mail = await sentTo(email)
    expect(mail.text.match(/reset-password#token=/g)).toHaveLength(20)
    expect(mail.text).toContain('More accounts have this address than the 20 that one email can list.')
  })

  test('is dropped silently for an address that no account has confirmed', async () => {
    await system.addUser({ email: 'pending@example.com', emailConfirmed: false })
    await system.request({ kind: 'reset-password', userId: null, address: 'pending@example.com' })
    await system.settled('dropped')
    await system.request({ kind: 'reset-password', userId: null, address: 'nobody@example.com' })
    await system.settled('dropped')
    expect(await system.mailbox.messages('pending@example.com')).toEqual([])
    expect(await system.mailbox.messages('nobody@example.com')).toEqual([])
  })
})

describe('warnings', () => {
  test('a changed password is told to the address that was confirmed last', async () => {
    const user = await system.addUser({
      email: 'thief@example.com',
      emailConfirmed: false,
      formerEmail: 'own@example.com',
    })
    await system.request({ kind: 'password-changed', userId: user.id, address: null })
    const mail = await sentTo('own@example.com')
    expect(mail.subject).toBe('Your Skyfolio password was changed')
    expect(mail.text).toMatch(/was changed on \w+ \d+, \d{4} at \d+:\d\d [AP]M UTC/)
    expect(mail.text).toContain(`${ORIGIN}/forgot-password`)
  })

  test('a reset password is told where the link was used, also after another change of the address', async () => {
    const user = await system.addUser({ email: 'later@example.com', emailConfirmed: false })
    const request = { userId: user.id, address: 'then@example.com', data: { by: 'reset' } }
    await system.request({ kind: 'password-changed', ...request })
    expect((await sentTo('then@example.com')).text).toContain(
      'with a link from an email. You were logged out on all devices.',
    )
  })

  test('are not sent without any confirmed address', async () => {
    const user = await system.addUser({ emailConfirmed: false })
    await system.request({ kind: 'password-changed', userId: user.id, address: null })
    await system.settled('dropped')
  })

  test('a changed address is told to the former one, with the link that takes it back', async () => {
    const user = await system.addUser({ email: 'b@example.com', emailConfirmed: false, formerEmail: 'a@example.com' })
    await system.request({
      kind: 'email-changed',
      userId: user.id,
      address: 'a@example.com',
      data: { newEmail: 'b@example.com' },
    })
    const mail = await sentTo('a@example.com')
    expect(mail.text).not.toContain('b@example.com')
    const row = await tokenRow(tokenIn(mail, 'revert-email'))
    expect(row).toMatchObject({ userId: user.id, purpose: 'revert-email', address: 'a@example.com' })
  })
})

describe('notices', () => {
  const photos = Array.from({ length: 20 }, (_, index) => ({ title: `DJI_${index}`, message: 'The photo is damaged.' }))

  test('failed photos are listed, with the number of the others', async () => {
    const user = await system.addUser()
    await system.request({ kind: 'photos-failed', userId: user.id, address: null, data: { photos, count: 1024 } })
    const mail = await sentTo(user.email ?? '')
    expect(mail.subject).toBe('Skyfolio: 1,024 photos could not be processed')
    expect(mail.text).toContain('- DJI_19: The photo is damaged.\n- and 1,004 more')
    expect(mail.text).toContain(`${ORIGIN}/profile`)
  })

  test('an order that is ready is announced with its number, store and link', async () => {
    const user = await system.addUser()
    const data = { orderId: 7, orderNumber: '512345', storeNumber: '59', prints: 1, isTest: true }
    await system.request({ kind: 'order-ready', userId: user.id, address: null, data })
    const mail = await sentTo(user.email ?? '')
    expect(mail.text).toContain('Your order 512345 with 1 print is ready for pickup at store 59.')
    expect(mail.text).toContain('nothing was printed')
    expect(mail.text).toContain(`${ORIGIN}/orders/7`)
  })

  test.each([
    { emailNotifications: false },
    { emailConfirmed: false },
    { email: null },
    { emailConfirmed: false, formerEmail: 'former@example.com' },
  ])('are dropped for a user with %j when they would be sent', async (fields) => {
    const user = await system.addUser(fields)
    await system.request({ kind: 'photos-failed', userId: user.id, address: null, data: { photos, count: 20 } })
    await system.settled('dropped')
  })
})

describe('export-ready', () => {
  const request = (userId: number, expiresAt: Date) =>
    system.request({ kind: 'export-ready', userId, address: null, data: { expiresAt: expiresAt.toISOString() } })

  test('says where and until when, to users who want no notices too: they asked for it', async () => {
    const user = await system.addUser({ emailNotifications: false })
    await request(user.id, new Date('2100-04-05T06:07:00Z'))
    const mail = await sentTo(user.email ?? '')
    expect(mail.subject).toBe('Your Skyfolio export is ready')
    expect(mail.text).toContain(`${ORIGIN}/profile`)
    expect(mail.text).toContain('until April 5, 2100 at 6:07 AM UTC')
    expect(mail.text).toContain(`account ${user.username}`)
  })

  test.each([
    [{ emailConfirmed: false, formerEmail: 'former@example.com' }, '2100-01-01'],
    [{ email: null }, '2100-01-01'],
    [{}, '2020-01-01'],
  ])('is dropped for a user with %j when it expires on %s', async (fields, expires) => {
    const user = await system.addUser(fields)
    await request(user.id, new Date(expires))
    await system.settled('dropped')
  })
})

test('a user who was deleted gets nothing', async () => {
  const user = await system.addUser()
  const stop = await system.start()
  await stop()
  await system.request({ kind: 'password-changed', userId: user.id, address: null })
  await system.db.user.delete({ where: { id: user.id } })
  expect(await system.mails()).toEqual([])
})

describe('values of users', () => {
  const HOSTILE = 'eve\r\nBcc: all@example.com\r\n\r\n<b>x</b>\u202e\u0007\u2028'

  test('become neither headers nor markup, whatever they contain', async () => {
    const user = await system.addUser({ username: HOSTILE })
    const data = {
      photos: [{ title: `${HOSTILE}${'long'.repeat(500)}`, message: '<script>alert(1)</script>' }],
      count: 1,
    }
    await system.request({ kind: 'photos-failed', userId: user.id, address: null, data })
    const mail = await sentTo(user.email ?? '')
    expect(Object.keys(mail.headers)).not.toContain('bcc')
    expect(mail.to).toEqual([user.email])
    expect(mail.text).not.toMatch(/^Bcc/m)
    expect(mail.text + mail.html).not.toMatch(/[\u202e\u2028]/)
    expect(mail.html).not.toMatch(/<script|<b>/)
    expect(mail.html).toContain('&lt;script&gt;')
    expect(mail.text.split('\n').every((line) => line.length < 1_000)).toBe(true)
  })

  test('right-to-left names do not turn the words around them', async () => {
    const user = await system.addUser({ username: 'טייס' })
    await system.request({ kind: 'password-changed', userId: user.id, address: null })
    const mail = await sentTo(user.email ?? '')
    expect(mail.text).toContain('\u2068טייס\u2069')
  })
})
