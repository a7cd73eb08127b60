import type { Database, Transaction } from '../database.ts'
import { publishUserChanged } from '../events.ts'
import type { User } from '../generated/client.ts'
import { requestMail } from '../mail/request-mail.ts'
import { deleteTokens } from '../tokens/tokens.ts'
import { addressOf, confirmedAddress, enterAddress } from './address.ts'
import { lockUser } from './lock-user.ts'
import type { ProfileChanges } from './profile-form.ts'
import type { RateLimits } from './rate-limits.ts'

export interface ProfileDeps {
  db: Database
  rateLimits: RateLimits
  /** Whether a mail server is configured. */
  canSendMail: boolean
  /** Called after a commit with events. */
  onCommit(): void
}

/** What users change of their own account. */
export interface Profiles {
  /** @throws 429 after too many changes of the address */
  update(userId: number, changes: ProfileChanges): Promise<User>
}

export function createProfiles({ db, rateLimits, canSendMail, onCommit }: ProfileDeps): Profiles {
  /** Counts a change of the address that sends mail, to an address of the user's choice. */
  async function limitMail(userId: number, email: string | null | undefined): Promise<void> {
    if (!canSendMail || email === undefined) return
    const user = await db.user.findUnique({ where: { id: userId } })
    const sendsMail = user && user.email !== email && (email === null || confirmedAddress(user) !== email)
    if (sendsMail) await rateLimits.addressMail(userId, email)
  }

  async function apply(tx: Transaction, userId: number, { email, ...rest }: ProfileChanges): Promise<User> {
    const user = await lockUser(tx, userId)
    const address = email === undefined ? addressOf(user) : enterAddress(addressOf(user), email)
    const isPublished = rest.publicByDefault !== undefined && rest.publicByDefault !== user.publicByDefault
    const changed = await tx.user.update({
      where: { id: userId },
      data: { ...rest, ...address, ...(isPublished && { revision: { increment: 1 } }) },
    })
    if (changed.email !== user.email) await announce(tx, user, changed)
    if (isPublished) await publishUserChanged(tx, changed)
    return changed
  }

  /** Makes the links to the old address useless, and requests the mails about a changed one. */
  async function announce(tx: Transaction, { id: userId, ...before }: User, { email, emailConfirmed }: User) {
    await deleteTokens(tx, userId, 'confirm-email')
    if (!canSendMail || emailConfirmed) return
    const former = confirmedAddress(before)
    if (former) await requestMail(tx, { kind: 'email-changed', userId, address: former })
    if (email) await requestMail(tx, { kind: 'confirm-email', userId, address: email })
  }

  return {
    async update(userId, changes) {
      await limitMail(userId, changes.email)
      const user = await db.$transaction((tx) => apply(tx, userId, changes))
      onCommit()
      return user
    },
  }
}
