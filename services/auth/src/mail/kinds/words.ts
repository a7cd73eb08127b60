import { oneLine } from '@skyfolio/kit'
import { shorten } from '../render-mail.ts'

// What the mails of several kinds say.

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
  return [`This mail is about the account ${quote(username)} of Skyfolio at ${origin}.`]
}

/** For notices. */
export function noticeFooter(username: string, origin: string): string[] {
  return [...accountFooter(username, origin), `You can switch these notices off in your profile: ${origin}/profile`]
}
