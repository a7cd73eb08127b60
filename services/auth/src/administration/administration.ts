import type { Logger } from '@skyfolio/kit'
import { limitAddressMail } from '../accounts/address-mails.ts'
import type { RateLimits } from '../accounts/rate-limits.ts'
import type { Database } from '../database.ts'
import { mailNotConfigured } from '../mail/mail-not-configured.ts'
import type { SessionEndings } from '../sessions/session-endings.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { type AdminUser, readAdminUser } from './admin-users.ts'
import type { UserChanges } from './change-form.ts'
import { changeUser } from './change-user.ts'
import { grantInSessions } from './grant-in-sessions.ts'
import { sendPasswordReset } from './send-password-reset.ts'

export interface AdministrationDeps {
  db: Database
  rateLimits: RateLimits
  sessions: Sessions
  sessionEndings: SessionEndings
  /** Whether a mail server is configured. */
  canSendMail: boolean
  logger: Logger
  /** Called after a commit with events. */
  onCommit(): void
}

/** What administrators do to users. Each checks in its transaction that the actor is still one. */
export interface Administration {
  /** @throws 403, 404, 409 as `changeUser`, 429 after too many changes of the address */
  change(actorId: number, userId: number, changes: UserChanges): Promise<AdminUser>
  /** @throws 403, 404, 409 as `sendPasswordReset`, 429 after too many for the user, 503 without a mail server */
  sendPasswordReset(actorId: number, userId: number): Promise<void>
}

export function createAdministration(deps: AdministrationDeps): Administration {
  const { db, rateLimits, sessions, sessionEndings, canSendMail, logger, onCommit } = deps
  return {
    async change(actorId, userId, changes) {
      if (canSendMail) await limitAddressMail(deps, userId, changes.email)
      const changed = await db.$transaction((tx) => changeUser(tx, { actorId, userId, changes, canSendMail }))
      onCommit()
      if (changed.ending !== null) await sessionEndings.carryOut(changed.ending)
      if (changed.isPromoted) {
        await grantInSessions(db, sessions, userId).catch((error) =>
          logger.warn({ err: error, userId }, 'administrator right not set in running sessions'),
        )
      }
      return readAdminUser(db, userId)
    },

    async sendPasswordReset(actorId, userId) {
      if (!canSendMail) throw mailNotConfigured()
      await rateLimits.sentReset(userId)
      await db.$transaction((tx) => sendPasswordReset(tx, actorId, userId))
    },
  }
}
