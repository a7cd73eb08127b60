import { type AppError, conflict, type Identity, invalidFields, unauthenticated } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import type { User } from '../generated/client.ts'
import { mailNotConfigured } from '../mail/mail-not-configured.ts'
import { requestMail } from '../mail/request-mail.ts'
import { mayReplaceSession, replaceSession } from '../sessions/replace-session.ts'
import { requestSessionsEnd, type SessionEndings } from '../sessions/session-endings.ts'
import type { NewSession, Sessions } from '../sessions/sessions.ts'
import { consumeToken, deleteTokens, linkExpired, readToken, type ValidToken } from '../tokens/tokens.ts'
import { addressOf, confirmAddress, restoreAddress } from './address.ts'
import { type CheckPasswordDeps, checkPassword } from './check-password.ts'
import { findAndLockUser, lockUser } from './lock-user.ts'

export interface AddressDeps extends CheckPasswordDeps {
  db: Database
  sessions: Sessions
  sessionEndings: SessionEndings
  /** Whether a mail server is configured. */
  canSendMail: boolean
}

export interface Confirmation {
  token?: string
  password?: string
}

/** What the links in mails do with addresses; the rules are in address.ts. */
export interface Addresses {
  /** Sends the mail that confirms the address again. @throws 409 without an address to confirm, 429, 503 without mail */
  sendConfirmation(userId: number): Promise<void>
  /**
   * Confirms the address that the token was sent to.
   * @throws 400 when the password is needed and missing or wrong, 410 for a token that is not valid, 429 after too many wrong passwords
   */
  confirm(confirmation: Confirmation, clientAddress: string): Promise<void>
  /**
   * Takes changes of the address back to the one that the token was sent to, and ends the user's sessions. Returns the new
   * one of a browser in which the user is signed in. @throws 410 for a token that is not valid
   */
  revert(token: string, identity: Identity): Promise<NewSession | null>
}

export function createAddresses(deps: AddressDeps): Addresses {
  const { db, rateLimits, sessions, sessionEndings, canSendMail } = deps

  return {
    async sendConfirmation(userId) {
      if (!canSendMail) throw mailNotConfigured()
      const user = await db.user.findUnique({ where: { id: userId } })
      if (!user) throw unauthenticated()
      await rateLimits.addressMail(userId, addressToConfirm(user))
      await db.$transaction(async (tx) => {
        const address = addressToConfirm(await lockUser(tx, userId))
        await requestMail(tx, { kind: 'confirm-email', userId, address })
      })
    },

    async confirm({ token = '', password = '' }, address) {
      const { userId } = await readToken(db, 'confirm-email', token)
      const user = await db.user.findUnique({ where: { id: userId } })
      if (!user) throw linkExpired()
      if (user.emailChanged) {
        if (password === '') throw invalidFields({ password: 'Password is required' })
        if (!(await checkPassword(deps, user, { password, address }))) throw wrongPassword()
      }
      await db.$transaction((tx) => applyConfirmation(tx, user, token))
    },

    async revert(token, identity) {
      const { userId } = await readToken(db, 'revert-email', token)
      const hash = identity.userId === userId ? identity.sessionHash : null
      const session = hash === null ? null : await sessions.startLike(hash)
      const { ending, kept } = await replaceSession(sessions, { userId, session }, () =>
        db.$transaction((tx) => applyRevert(tx, { userId, token, session })),
      )
      await sessionEndings.carryOut(ending)
      return kept
    },
  }
}

/** @throws 409 */
function addressToConfirm({ email, emailConfirmed }: User): string {
  if (email === null) throw conflict('Your account has no email address.', 'no_email')
  if (emailConfirmed) throw conflict('Your email address is already confirmed.', 'email_confirmed')
  return email
}

/** `checked` is the user whose password was checked: one that was changed since must be entered again. */
async function applyConfirmation(tx: Transaction, checked: User, token: string): Promise<void> {
  const user = await findAndLockUser(tx, checked.id)
  const { address } = await consumeToken(tx, 'confirm-email', token)
  if (!user || user.email !== address || user.emailConfirmed) throw linkExpired()
  if (user.emailChanged && user.passwordHash !== checked.passwordHash) throw wrongPassword()
  await tx.user.update({ where: { id: user.id }, data: confirmAddress(addressOf(user)) })
  // Links for a new password that went to the former address.
  await deleteTokens(tx, user.id, 'confirm-email', 'reset-password')
}

interface Revert {
  userId: number
  token: string
  /** The one that is to stay. */
  session: NewSession | null
}

async function applyRevert(tx: Transaction, { userId, token, session }: Revert) {
  const user = await findAndLockUser(tx, userId)
  const valid = await consumeToken(tx, 'revert-email', token)
  if (!user) throw linkExpired()
  await tx.user.update({ where: { id: userId }, data: restoreAddress(addressOf(user), valid.address) })
  await deleteTokens(tx, userId, 'confirm-email', 'reset-password')
  await dropLaterLinks(tx, valid)
  const kept = session && (await mayReplaceSession(tx, user, session)) ? session : null
  return { ending: await requestSessionsEnd(tx, userId, kept?.hash ?? null), kept }
}

/**
 * What was sent, or is still to be sent, because of this change or a later one has no effect any more. Links of earlier
 * changes stay: who took the account over last must not be able to keep its first owner out.
 */
async function dropLaterLinks(tx: Transaction, { userId, mailSeq }: ValidToken): Promise<void> {
  await tx.accountToken.deleteMany({ where: { userId, purpose: 'revert-email', mailSeq: { gte: mailSeq } } })
  const outdated = [
    { kind: { in: ['confirm-email', 'reset-password'] } },
    { kind: 'email-changed', seq: { gte: mailSeq } },
  ]
  await tx.mail.updateMany({
    where: { userId, status: 'waiting', OR: outdated },
    data: { status: 'dropped', address: null, finishedAt: new Date() },
  })
}

function wrongPassword(): AppError {
  return invalidFields({ password: 'Incorrect password' })
}
