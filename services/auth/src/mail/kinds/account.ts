import { confirmedAddress } from '../../accounts/address.ts'
import { createToken } from '../../tokens/tokens.ts'
import {
  accountFooter,
  formatTime,
  mailTo,
  type OutgoingMail,
  quote,
  quoteInert,
  type UserComposition,
} from './words.ts'

// The mails about an account, which cannot be switched off; those for a forgotten password are in reset-password.ts.

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
      `This address was entered for the Skyfolio account ${name}. Confirm it so that Skyfolio can help you if you forget your password, and can tell you about your photos and orders.`,
      { label: 'Confirm address', url: `${origin}/confirm-email#token=${token}` },
      user.emailChanged
        ? 'The link is valid for 7 days. To confirm, you also need the password of the account.'
        : 'The link is valid for 7 days.',
      'If this is not your account, ignore this email. Unless you confirm it, Skyfolio will not use this address for anything else.',
    ],
    footer: [
      `You received this email because someone entered this address for the Skyfolio account ${name} at ${origin}.`,
    ],
  })
}

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
      'If this was you, you can ignore this email.',
      'If this was not you, change it back and then choose a new password. This also logs everyone out of the account.',
      { label: 'Change it back', url: `${origin}/revert-email#token=${token}` },
      'The link is valid for 7 days.',
    ],
    footer: accountFooter(user.username, origin),
  })
}

/** What is stored of the change. */
interface PasswordChangedData {
  by?: 'change' | 'reset'
}

export function composePasswordChanged({ mail, user, origin }: UserComposition): OutgoingMail[] {
  const { by } = mail.data as PasswordChangedData
  const how =
    by === 'reset'
      ? ', with a link from an email. You were logged out on all devices.'
      : '. You were logged out on all other devices.'
  return mailTo(mail.address ?? confirmedAddress(user), {
    subject: 'Your Skyfolio password was changed',
    title: 'Your password was changed',
    blocks: [
      `The password of your Skyfolio account ${quote(user.username)} was changed on ${formatTime(mail.createdAt)}${how}`,
      'If this was you, you can ignore this email.',
      'If this was not you, choose a new password now:',
      { label: 'Reset password', url: `${origin}/forgot-password` },
    ],
    footer: accountFooter(user.username, origin),
  })
}

/** What is stored of the request, so that the words can change later. */
export interface DeletionScheduledData {
  /** ISO 8601. */
  deletesAt: string
  byAdmin: boolean
}

/** To the address that was confirmed when the deletion was requested, unless it was taken back since. */
export async function composeDeletionScheduled({ tx, mail, user, origin }: UserComposition): Promise<OutgoingMail[]> {
  if (!(await tx.accountDeletion.findUnique({ where: { userId: user.id } }))) return []
  const { deletesAt, byAdmin } = mail.data as unknown as DeletionScheduledData
  const who = byAdmin ? 'An administrator requested' : 'You requested'
  return mailTo(mail.address, {
    subject: 'Your Skyfolio account will be deleted',
    title: 'Your account will be deleted',
    blocks: [
      `${who} the deletion of the Skyfolio account ${quote(user.username)} on ${formatTime(mail.createdAt)}.`,
      `It will be deleted for good on ${formatTime(new Date(deletesAt))}, with all photos, folders, rankings and print orders. Until then, nobody else can see what you shared.`,
      ...(byAdmin
        ? ['Only an administrator can cancel the deletion. Ask the person who runs Skyfolio.']
        : [
            'To keep your account, log in before then and choose "Keep my account":',
            { label: 'Log in', url: `${origin}/auth` },
            'If this was not you, log in, keep your account, and then choose a new password.',
          ]),
    ],
    footer: accountFooter(user.username, origin),
  })
}

/** To the address that was confirmed when the deletion was taken back. */
export function composeDeletionRevoked({ mail, user, origin }: UserComposition): OutgoingMail[] {
  return mailTo(mail.address, {
    subject: 'Your Skyfolio account will not be deleted',
    title: 'Your account will not be deleted',
    blocks: [
      `The deletion of the Skyfolio account ${quote(user.username)} was canceled on ${formatTime(mail.createdAt)}. Nothing was deleted, and the folders that you shared are public again.`,
      { label: 'Open Skyfolio', url: `${origin}/` },
      'If this was not you, choose a new password.',
    ],
    footer: accountFooter(user.username, origin),
  })
}
