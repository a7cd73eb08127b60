import { createToken } from '../../tokens/tokens.ts'
import { mailTo, type OutgoingMail, type UserComposition } from './composition.ts'
import { accountFooter, formatTime, quote } from './words.ts'

/** To the former confirmed address, with the link that takes the change back. */
export async function composeEmailChanged({ tx, mail, user, origin }: UserComposition): Promise<OutgoingMail[]> {
  const { address } = mail
  const isBack = user.email === address && user.emailConfirmed
  if (address === null || isBack) return []
  const token = await createToken(tx, { purpose: 'revert-email', userId: user.id, address, mailId: mail.id })
  if (token === null) return []
  return mailTo(address, {
    subject: 'Your Skyfolio email address was changed',
    title: 'Your email address was changed',
    blocks: [
      `This address was removed from your Skyfolio account ${quote(user.username)} on ${formatTime(mail.createdAt)}.`,
      'If it was you, you need not do anything.',
      'If it was not you, change it back and then choose a new password. This also signs out everybody who is signed in to the account.',
      { label: 'Change it back', url: `${origin}/revert-email#token=${token}` },
      'The link is valid for 7 days.',
    ],
    footer: accountFooter(user.username, origin),
  })
}
