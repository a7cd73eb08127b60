import { createToken, type TokenPurpose } from '../src/tokens/tokens.ts'
import { type AuthOptions, type Browser, startAuth, type TestAuth } from './support.ts'

/** Auth with a mail server configured. No worker runs: tests take the tokens of mails as the worker does. */
export function startAuthWithMail(limits: AuthOptions['limits'] = {}): Promise<TestAuth> {
  return startAuth({ settings: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'no-reply@skyfolio.test' }, limits })
}

const KINDS: Record<TokenPurpose, string> = {
  'confirm-email': 'confirm-email',
  'revert-email': 'email-changed',
  'reset-password': 'reset-password',
}

/** The mails of a user that wait to be sent, oldest first. */
export async function mailsOf(auth: TestAuth, userId: number) {
  const mails = await auth.db.mail.findMany({ where: { userId, status: 'waiting' }, orderBy: { seq: 'asc' } })
  return mails.map(({ kind, address }) => ({ kind, address }))
}

/** Sends the latest waiting mail of this purpose to an address, as the worker does; returns the token of its link, or null. */
export async function sendMail(auth: TestAuth, userId: number, purpose: TokenPurpose, address: string) {
  const where = { userId, address, kind: KINDS[purpose], status: 'waiting' }
  const mail = await auth.db.mail.findFirst({ where, orderBy: { seq: 'desc' } })
  if (!mail) throw new Error(`no mail to ${purpose} waits`)
  const request = { purpose, userId, address, mailId: mail.id }
  const token = await auth.db.$transaction((tx) => createToken(tx, request))
  const data = { status: token === null ? 'dropped' : 'sent', finishedAt: new Date() }
  await auth.db.mail.update({ where: { id: mail.id }, data })
  return token
}

/** Like `sendMail`, for a mail that must have a link. */
export async function linkIn(auth: TestAuth, userId: number, purpose: TokenPurpose, address: string): Promise<string> {
  const token = await sendMail(auth, userId, purpose, address)
  if (token === null) throw new Error('the mail was dropped')
  return token
}

let users = 0

/** A user whose address was confirmed, with a way to change it and to open the links of mails. */
export async function confirmedUser(auth: TestAuth, name = 'owner') {
  users += 1
  const address = `${name}${users}@example.org`
  const browser = await auth.register(`${name}${users}`, { email: address })
  const person = { ...browser, username: `${name}${users}`, address, ...actionsOf(auth, browser) }
  const token = await linkIn(auth, browser.userId, 'confirm-email', address)
  const confirmed = await person.confirm(token)
  if (confirmed.statusCode !== 204) throw new Error(`not confirmed: ${confirmed.body}`)
  return person
}

export type Person = Awaited<ReturnType<typeof confirmedUser>>

function actionsOf(auth: TestAuth, browser: Browser) {
  return {
    /** What the database has of the address. */
    async state() {
      const { email, emailConfirmed, formerEmail } = await auth.db.user.findUniqueOrThrow({
        where: { id: browser.userId },
      })
      return { email, emailConfirmed, formerEmail }
    },
    change: (email: string | null) => browser.call('PUT', '/api/user', { email }),
    link: (purpose: TokenPurpose, address: string) => linkIn(auth, browser.userId, purpose, address),
    mails: () => mailsOf(auth, browser.userId),
    confirm: (token: string, password?: string) =>
      auth.post('/api/user/email/confirm', { token, ...(password !== undefined && { password }) }),
    revert: (token: string) => auth.post('/api/user/email/revert', { token }),
  }
}
