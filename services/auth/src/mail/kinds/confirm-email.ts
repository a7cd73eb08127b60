import { createToken } from '../../tokens/tokens.ts'
import { mailTo, type OutgoingMail, type UserComposition } from './composition.ts'
import { quoteInert } from './words.ts'

/** To an address that was given for an account: it may be a stranger's. */
export async function composeConfirmEmail({ tx, mail, user, origin }: UserComposition): Promise<OutgoingMail[]> {
  const { id: mailId, address } = mail
  if (address === null) return []
  const token = await createToken(tx, { purpose: 'confirm-email', userId: user.id, address, mailId })
  if (token === null) return []
  const name = quoteInert(user.username)
  return mailTo(address, {
    subject: 'Confirm your email address for Skyfolio',
    title: 'Confirm your email address',
    blocks: [
      `This address was given for the Skyfolio account ${name}. Confirm it, so that Skyfolio can help you when you forget your password and tell you about your photos and orders.`,
      { label: 'Confirm address', url: `${origin}/confirm-email#token=${token}` },
      user.emailChanged
        ? 'The link is valid for 7 days. To confirm, you also need the password of the account.'
        : 'The link is valid for 7 days.',
      'If this is not your account, ignore this mail. Without your confirmation, Skyfolio uses this address for nothing else.',
    ],
    footer: [`Somebody entered this address for the account ${name} of Skyfolio at ${origin}.`],
  })
}
