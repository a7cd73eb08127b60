import { mailTo, type OutgoingMail, type UserComposition } from './composition.ts'
import { accountFooter, formatTime, quote } from './words.ts'

/** What is stored of the event, so that the words can change later. */
export interface ExportReadyData {
  /** ISO 8601. */
  expiresAt: string
}

/** The response to the user's own request, so it is sent without notices too, while the export can be downloaded. */
export function composeExportReady({ mail, user, origin }: UserComposition): OutgoingMail[] {
  const expiresAt = new Date((mail.data as unknown as ExportReadyData).expiresAt)
  if (expiresAt.getTime() <= Date.now()) return []
  return mailTo(user.emailConfirmed ? user.email : null, {
    subject: 'Your Skyfolio export is ready',
    title: 'Your export is ready',
    blocks: [
      `The export of your Skyfolio account ${quote(user.username)}, with all your photos and data, is ready.`,
      `You can download it in your profile until ${formatTime(expiresAt)}:`,
      { label: 'Open profile', url: `${origin}/profile` },
      'If it was not you who requested it, choose a new password in your profile.',
    ],
    footer: accountFooter(user.username, origin),
  })
}
