import { mailTo, type OutgoingMail, type UserComposition, warningAddress } from './composition.ts'
import { accountFooter, formatTime, quote } from './words.ts'

/** What is stored of the change. */
export interface PasswordChangedData {
  by?: 'change' | 'reset'
}

export function composePasswordChanged({ mail, user, origin }: UserComposition): OutgoingMail[] {
  const { by } = mail.data as PasswordChangedData
  const how =
    by === 'reset'
      ? ', with a link from a mail. All sessions were signed out.'
      : '. All other sessions were signed out.'
  return mailTo(mail.address ?? warningAddress(user), {
    subject: 'Your Skyfolio password was changed',
    title: 'Your password was changed',
    blocks: [
      `The password of your Skyfolio account ${quote(user.username)} was changed on ${formatTime(mail.createdAt)}${how}`,
      'If it was you, you need not do anything.',
      'If it was not you, choose a new password now:',
      { label: 'Reset password', url: `${origin}/forgot-password` },
    ],
    footer: accountFooter(user.username, origin),
  })
}
