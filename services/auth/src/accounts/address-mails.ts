import type { Database, Transaction } from '../database.ts'
import type { User } from '../generated/client.ts'
import { requestMail } from '../mail/request-mail.ts'
import { deleteTokens } from '../tokens/tokens.ts'
import { confirmedAddress } from './address.ts'
import type { RateLimits } from './rate-limits.ts'

/**
 * Counts a change of the address that sends mail, to an address of somebody's choice; undefined changes nothing.
 * @throws 429 after too many for the user or to the address
 */
export async function limitAddressMail(
  { db, rateLimits }: { db: Database; rateLimits: RateLimits },
  userId: number,
  email: string | null | undefined,
): Promise<void> {
  if (email === undefined) return
  const user = await db.user.findUnique({ where: { id: userId } })
  const sendsMail = user && user.email !== email && (email === null || confirmedAddress(user) !== email)
  if (sendsMail) await rateLimits.addressMail(userId, email)
}

export interface AddressChange {
  before: User
  after: User
  /** Whether a mail server is configured. */
  canSendMail: boolean
}

/** Makes the links to the old address useless, and requests the mails about a changed one. */
export async function announceAddress(tx: Transaction, { before, after, canSendMail }: AddressChange): Promise<void> {
  const { id: userId, email, emailConfirmed } = after
  if (email === before.email) return
  await deleteTokens(tx, userId, 'confirm-email')
  if (!canSendMail || emailConfirmed) return
  const former = confirmedAddress(before)
  if (former) await requestMail(tx, { kind: 'email-changed', userId, address: former })
  if (email) await requestMail(tx, { kind: 'confirm-email', userId, address: email })
}
