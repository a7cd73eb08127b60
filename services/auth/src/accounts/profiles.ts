import type { Database, Transaction } from '../database.ts'
import { publishUserChanged } from '../events.ts'
import type { User } from '../generated/client.ts'
import { addressOf, enterAddress } from './address.ts'
import { announceAddress, limitAddressMail } from './address-mails.ts'
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
  async function apply(tx: Transaction, userId: number, { email, ...rest }: ProfileChanges): Promise<User> {
    const user = await lockUser(tx, userId)
    const address = email === undefined ? addressOf(user) : enterAddress(addressOf(user), email)
    const isPublished = rest.publicByDefault !== undefined && rest.publicByDefault !== user.publicByDefault
    const changed = await tx.user.update({
      where: { id: userId },
      data: { ...rest, ...address, ...(isPublished && { revision: { increment: 1 } }) },
    })
    await announceAddress(tx, { before: user, after: changed, canSendMail })
    if (isPublished) await publishUserChanged(tx, changed)
    return changed
  }

  return {
    async update(userId, changes) {
      if (canSendMail) await limitAddressMail({ db, rateLimits }, userId, changes.email)
      const user = await db.$transaction((tx) => apply(tx, userId, changes))
      onCommit()
      return user
    },
  }
}
