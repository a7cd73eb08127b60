import type { Transaction } from '../../database.ts'
import type { Mail, User } from '../../generated/client.ts'
import type { MailContent } from '../render-mail.ts'

/** What a mail is made of when it is sent. */
export interface Composition {
  /** In which tokens are made; it commits before the mail is sent. */
  tx: Transaction
  mail: Mail
  origin: string
}

export interface UserComposition extends Composition {
  user: User
}

export interface OutgoingMail {
  to: string
  content: MailContent
}

/** The mail about an account to an address, unless there is none. */
export function mailTo(address: string | null, content: MailContent): OutgoingMail[] {
  return address === null ? [] : [{ to: address, content }]
}

/** Where notices go; null when the user wants none or has confirmed no address. */
export function noticeAddress({ email, emailConfirmed, emailNotifications }: User): string | null {
  return emailConfirmed && emailNotifications ? email : null
}

/** Where warnings go: the address that was confirmed last. */
export function warningAddress({ email, emailConfirmed, formerEmail }: User): string | null {
  return emailConfirmed ? email : formerEmail
}
