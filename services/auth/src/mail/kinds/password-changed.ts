import { mailTo, type OutgoingMail, type UserComposition, warningAddress } from './composition.ts'
import { accountFooter, formatTime, quote } from './words.ts'

export function composePasswordChanged({ mail, user, origin }: UserComposition): OutgoingMail[] {
  return mailTo(warningAddress(user), {
    subject: 'Your Skyfolio password was changed',
    title: 'Your password was changed',
    blocks: [
      `The password of your Skyfolio account ${quote(user.username)} was changed on ${formatTime(mail.createdAt)}. All other sessions were signed out.`,
      'If it was you, you need not do anything.',
      'If it was not you, choose a new password now:',
      { label: 'Reset password', url: `${origin}/forgot-password` },
    ],
    footer: accountFooter(user.username, origin),
  })
}
