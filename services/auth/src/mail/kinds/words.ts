import { oneLine } from '@skyfolio/kit'
import type { Transaction } from '../../database.ts'
import type { Mail, User } from '../../generated/client.ts'
import { type MailContent, shorten } from '../render-mail.ts'

// What mails are made of, and what those of several kinds say.

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

/** Longest text of other people that a mail repeats. */
const MAX_QUOTE = 200
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

/** A name, title or reason in a sentence: a right-to-left one does not turn the words around it. */
export function quote(text: string): string {
  const line = shorten(oneLine(text), MAX_QUOTE)
  return RIGHT_TO_LEFT.test(line) ? `\u2068${line}\u2069` : line
}

/** Like `quote`, of what others wrote or somebody who may be a stranger: mail programs find no address to make a link of. */
export function quoteInert(text: string): string {
  return quote(text).replaceAll(/[.:/@](?=[^\s\u2069])/g, '$&\u2060')
}

export function formatTime(time: Date): string {
  const format = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
  return `${format.format(time)} UTC`
}

export function plural(count: number, singular: string, plural = `${singular}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? singular : plural}`
}

/** For mails about the account, which cannot be switched off. */
export function accountFooter(username: string, origin: string): string[] {
  return [`You received this email because it is about the Skyfolio account ${quote(username)} at ${origin}.`]
}
