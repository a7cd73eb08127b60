import { mailTo, type OutgoingMail, type UserComposition } from './composition.ts'
import { accountFooter, formatTime, quote } from './words.ts'

/** To the address that was confirmed when the deletion was taken back. */
export function composeDeletionRevoked({ mail, user, origin }: UserComposition): OutgoingMail[] {
  return mailTo(mail.address, {
    subject: 'Your Skyfolio account will not be deleted',
    title: 'Your account stays',
    blocks: [
      `The deletion of the Skyfolio account ${quote(user.username)} was taken back on ${formatTime(mail.createdAt)}. Nothing was deleted, and the folders that you shared are public again.`,
      { label: 'Open Skyfolio', url: `${origin}/` },
      'If it was not you, choose a new password.',
    ],
    footer: accountFooter(user.username, origin),
  })
}
