import { conflict, type Identity } from '@skyfolio/kit'
import type { Transaction } from '../database.ts'
import type { AuthDeps } from '../deps.ts'
import type { User } from '../generated/client.ts'
import { mailNotConfigured, requestMail } from '../mail/request-mail.ts'
import { carryOutEnding, mayReplaceSession, replaceSession, requestSessionsEnd } from '../sessions/session-endings.ts'
import type { NewSession } from '../sessions/sessions.ts'
import { consumeToken, deleteTokens, linkExpired, readToken, type ValidToken } from '../tokens/tokens.ts'
import { addressOf, confirmAddress, confirmedAddress, restoreAddress } from './address.ts'
import { type EnteredPassword, requirePassword, wrongPassword } from './check-password.ts'
import { findAndLockUser, lockUser, readUser } from './users.ts'

// The mails about addresses, and what their links do; the rules are in address.ts.

/**
 * Counts a change of the address that sends mail, to an address of somebody's choice; undefined changes nothing.
 * @throws 429 after too many for the user or to the address
 */
export async function limitAddressMail(
  { db, rateLimits }: AuthDeps,
  userId: number,
  email: string | null | undefined,
): Promise<void> {
  if (email === undefined) return
  const user = await db.user.findUnique({ where: { id: userId } })
  const sendsMail = user && user.email !== email && (email === null || confirmedAddress(user) !== email)
  if (sendsMail) await rateLimits.addressMail(userId, email)
}

/** Makes the links to the old address useless, and requests the mails about a changed one. */
export async function announceAddress(
  tx: Transaction,
  { before, after, canSendMail }: { before: User; after: User; canSendMail: boolean },
): Promise<void> {
  const { id: userId, email, emailConfirmed } = after
  if (email === before.email) return
  await deleteTokens(tx, userId, 'confirm-email')
  if (!canSendMail || emailConfirmed) return
  const former = confirmedAddress(before)
  if (former) await requestMail(tx, { kind: 'email-changed', userId, address: former })
  if (email) await requestMail(tx, { kind: 'confirm-email', userId, address: email })
}

/** Sends the mail that confirms the address again. @throws 409 without an address to confirm, 429, 503 without mail */
export async function sendConfirmation({ db, rateLimits, canSendMail }: AuthDeps, userId: number): Promise<void> {
  if (!canSendMail) throw mailNotConfigured()
  await rateLimits.addressMail(userId, addressToConfirm(await readUser(db, userId)))
  await db.$transaction(async (tx) => {
    const address = addressToConfirm(await lockUser(tx, userId))
    await requestMail(tx, { kind: 'confirm-email', userId, address })
  })
}

/** @throws 409 */
function addressToConfirm({ email, emailConfirmed }: User): string {
  if (email === null) throw conflict('Your account has no email address.', 'no_email')
  if (emailConfirmed) throw conflict('Your email address is already confirmed.', 'email_confirmed')
  return email
}

/**
 * Confirms the address that the token was sent to.
 * @throws 400 when the password is needed and missing or wrong, 410 for a token that is not valid, 429 after too many wrong passwords
 */
export async function confirmByLink(deps: AuthDeps, token: string, entered: EnteredPassword): Promise<void> {
  const { db } = deps
  const { userId } = await readToken(db, 'confirm-email', token)
  const user = await db.user.findUnique({ where: { id: userId } })
  if (!user) throw linkExpired()
  if (user.emailChanged) await requirePassword(deps, user, entered)
  await db.$transaction((tx) => applyConfirmation(tx, user, token))
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

/**
 * Takes changes of the address back to the one that the token was sent to, and ends the user's sessions. Returns the new
 * one of a browser in which the user is signed in. @throws 410 for a token that is not valid
 */
export async function revertByLink(deps: AuthDeps, token: string, identity: Identity): Promise<NewSession | null> {
  const { db, sessions } = deps
  const { userId } = await readToken(db, 'revert-email', token)
  const hash = identity.userId === userId ? identity.sessionHash : null
  const session = hash === null ? null : await sessions.startLike(hash)
  const { ending, kept } = await replaceSession(sessions, { userId, session }, () =>
    db.$transaction((tx) => applyRevert(tx, { userId, token, session })),
  )
  await carryOutEnding(deps, ending)
  return kept
}

/** `session` is the one that is to stay. */
async function applyRevert(
  tx: Transaction,
  { userId, token, session }: { userId: number; token: string; session: NewSession | null },
) {
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
