import {
  composeConfirmEmail,
  composeDeletionRevoked,
  composeDeletionScheduled,
  composeEmailChanged,
  composePasswordChanged,
} from './kinds/account.ts'
import { composeExportReady, composeOrderReady, composePhotosFailed } from './kinds/notices.ts'
import { composeResetPassword } from './kinds/reset-password.ts'
import type { Composition, OutgoingMail, UserComposition } from './kinds/words.ts'
import type { MailKind } from './request-mail.ts'

type Compose = (composition: UserComposition) => OutgoingMail[] | Promise<OutgoingMail[]>

const COMPOSE: Record<Exclude<MailKind, 'reset-password'>, Compose> = {
  'confirm-email': composeConfirmEmail,
  'password-changed': composePasswordChanged,
  'email-changed': composeEmailChanged,
  'photos-failed': composePhotosFailed,
  'order-ready': composeOrderReady,
  'export-ready': composeExportReady,
  'deletion-scheduled': composeDeletionScheduled,
  'deletion-revoked': composeDeletionRevoked,
}

/**
 * What is to be sent for a row of `mails`, by the state of its user now; nothing when that leaves no reason to send it.
 * Makes the tokens of its links.
 */
export async function composeMails(composition: Composition): Promise<OutgoingMail[]> {
  const kind = composition.mail.kind as MailKind
  if (kind === 'reset-password') return composeResetPassword(composition)
  const { tx, mail } = composition
  const user = mail.userId === null ? null : await tx.user.findUnique({ where: { id: mail.userId } })
  return user ? COMPOSE[kind]({ ...composition, user }) : []
}
