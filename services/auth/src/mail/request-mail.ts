import { AppError } from '@skyfolio/kit'
import type { Transaction } from '../database.ts'
import type { Prisma } from '../generated/client.ts'

export type MailKind =
  | 'confirm-email'
  | 'reset-password'
  | 'password-changed'
  | 'email-changed'
  | 'photos-failed'
  | 'order-ready'
  | 'export-ready'
  | 'deletion-scheduled'
  | 'deletion-revoked'

export interface MailRequest {
  kind: MailKind
  /** Null for a requested reset: whose the address is, is looked up when the mail is sent. */
  userId: number | null
  /** Null: the user's confirmed address when the mail is sent; without one the mail is dropped. */
  address: string | null
  /** What the templates need; no token. */
  data?: Prisma.InputJsonObject
  /** Of a notice about an event, unique: an event that is delivered twice is one mail. */
  eventKey?: string
}

/** Commits a mail with the change that it is about. The worker sends it. */
export async function requestMail(tx: Transaction, { data, eventKey, ...mail }: MailRequest): Promise<void> {
  await tx.mail.createMany({ data: [{ ...mail, data: data ?? {}, eventKey: eventKey ?? null }], skipDuplicates: true })
}

/** 503 for what needs a mail server, on an installation without one. */
export function mailNotConfigured(): AppError {
  return new AppError(503, 'mail_not_configured', 'This installation cannot send mail. Please ask its administrator.')
}
