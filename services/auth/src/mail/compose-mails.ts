import type { Mail } from '../generated/client.ts'
import type { Composition, OutgoingMail, UserComposition } from './kinds/composition.ts'
import { composeConfirmEmail } from './kinds/confirm-email.ts'
import { composeDeletionRevoked } from './kinds/deletion-revoked.ts'
import { composeDeletionScheduled } from './kinds/deletion-scheduled.ts'
import { composeEmailChanged } from './kinds/email-changed.ts'
import { composeExportReady } from './kinds/export-ready.ts'
import { composeOrderReady } from './kinds/order-ready.ts'
import { composePasswordChanged } from './kinds/password-changed.ts'
import { composePhotosFailed } from './kinds/photos-failed.ts'
import { composeResetPassword } from './kinds/reset-password.ts'
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
  const kind = kindOf(composition.mail)
  if (kind === 'reset-password') return composeResetPassword(composition)
  const { tx, mail } = composition
  const user = mail.userId === null ? null : await tx.user.findUnique({ where: { id: mail.userId } })
  return user ? COMPOSE[kind]({ ...composition, user }) : []
}

export function kindOf(mail: Pick<Mail, 'kind'>): MailKind {
  return mail.kind as MailKind
}
