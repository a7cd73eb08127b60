import { mailTo, type OutgoingMail, type UserComposition } from './composition.ts'
import { accountFooter, formatTime, quote } from './words.ts'

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
      `On ${formatTime(new Date(deletesAt))} it is deleted for good, with all photos, folders, rankings and print orders. Until then nobody else sees what you shared.`,
      ...(byAdmin
        ? ['Only an administrator can take the deletion back: ask the person who runs Skyfolio.']
        : [
            'To keep your account, sign in before that time and choose "Keep my account":',
            { label: 'Sign in', url: `${origin}/auth` },
            'If it was not you, sign in, keep your account, and then choose a new password.',
          ]),
    ],
    footer: accountFooter(user.username, origin),
  })
}
