import { createHash, randomBytes } from 'node:crypto'
import { AppError } from '@skyfolio/kit'
import { confirmedAddress } from '../accounts/address.ts'
import { findAndLockUser } from '../accounts/users.ts'
import type { Database, Transaction } from '../database.ts'
import type { User } from '../generated/client.ts'

// Tokens of the links in mails. They are made when a mail is sent and leave the process only in that mail: the database has
// their SHA-256, and neither Redis nor logs have them.

export type TokenPurpose = 'confirm-email' | 'reset-password' | 'revert-email'

/** As long as the limit of requests for an e-mail address counts: whoever it stops has a link that is valid. */
const RESET_SECONDS = 3600
const LIFETIME_SECONDS: Record<TokenPurpose, number> = {
  'confirm-email': 7 * 24 * 3600,
  'reset-password': RESET_SECONDS,
  'revert-email': 7 * 24 * 3600,
}

export interface TokenRequest {
  purpose: TokenPurpose
  userId: number
  /** confirm-email: the address to confirm; revert-email: the one to restore; reset-password: where the link goes. */
  address: string
  /** The mail that carries the link. */
  mailId: string
}

/**
 * Makes a token for a mail that is about to be sent. Each attempt to send the mail makes one, and all of them are valid;
 * those of earlier mails of the same purpose become invalid, except that a notice of a changed address never takes away the
 * link of an earlier one. Locks the user's row.
 * Returns null when the link would be of no use, so that the mail, or this part of it, is to be dropped: the mail was dropped
 * meanwhile, a later one was sent, or the address is no longer that of the purpose.
 */
export async function createToken(tx: Transaction, request: TokenRequest): Promise<string | null> {
  const { purpose, userId, address, mailId } = request
  const user = await findAndLockUser(tx, userId)
  if (!user || !isOfUse(purpose, user, address)) return null
  const mail = await tx.mail.findUnique({ where: { id: mailId }, select: { seq: true, status: true } })
  if (mail?.status !== 'waiting') return null
  if (purpose !== 'revert-email') {
    const same = { userId, purpose }
    if (await tx.accountToken.findFirst({ where: { ...same, mailSeq: { gt: mail.seq } } })) return null
    await tx.accountToken.deleteMany({ where: { ...same, mailSeq: { lt: mail.seq } } })
  }
  const token = randomBytes(32).toString('base64url')
  // By the clock of the database, which is also the one that decides when it has expired.
  await tx.$executeRaw`
    INSERT INTO account_tokens (hash, purpose, user_id, address, mail_seq, expires_at)
    VALUES (${hashOf(token)}, ${purpose}, ${userId}, ${address}, ${mail.seq},
      now() + make_interval(secs => ${LIFETIME_SECONDS[purpose]}))`
  return token
}

function isOfUse(purpose: TokenPurpose, user: User, address: string): boolean {
  if (purpose === 'confirm-email') return user.email === address && !user.emailConfirmed
  if (purpose === 'reset-password') return confirmedAddress(user) === address
  return true
}

/** What a valid token stands for. */
export interface ValidToken {
  userId: number
  address: string
  /** Orders the mails of a user, and with them the changes that they are about. */
  mailSeq: bigint
}

/** Reads a valid token, which stays valid. @throws 410 for one that is unknown, used, replaced or expired */
export async function readToken(db: Database | Transaction, purpose: TokenPurpose, token: string): Promise<ValidToken> {
  const [found] = await db.$queryRaw<ValidToken[]>`
    SELECT user_id AS "userId", address, mail_seq AS "mailSeq" FROM account_tokens
    WHERE hash = ${hashOf(token)} AND purpose = ${purpose} AND expires_at > now()`
  if (!found) throw linkExpired()
  return found
}

/**
 * Uses a valid token: of two concurrent uses one succeeds. The user's row must be locked before.
 * @throws 410 like `readToken`
 */
export async function consumeToken(tx: Transaction, purpose: TokenPurpose, token: string): Promise<ValidToken> {
  const found = await readToken(tx, purpose, token)
  const { count } = await tx.accountToken.deleteMany({ where: { hash: hashOf(token) } })
  if (count === 0) throw linkExpired()
  return found
}

/** Makes all tokens of a user with these purposes invalid. The user's row must be locked before. */
export async function deleteTokens(tx: Transaction, userId: number, ...purposes: TokenPurpose[]): Promise<void> {
  await tx.accountToken.deleteMany({ where: { userId, purpose: { in: purposes } } })
}

/** Deletes expired tokens. Returns their number. */
export async function sweepTokens(db: Database): Promise<number> {
  return db.$executeRaw`DELETE FROM account_tokens WHERE expires_at <= now()`
}

/** 410 */
export function linkExpired(): AppError {
  return new AppError(410, 'link_expired', 'This link has expired or was already used.')
}

function hashOf(token: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(token).digest())
}
