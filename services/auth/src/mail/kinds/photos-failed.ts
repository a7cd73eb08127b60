import { mailTo, noticeAddress, type OutgoingMail, type UserComposition } from './composition.ts'
import { noticeFooter, plural, quoteInert } from './words.ts'

/** What is stored of the event, so that the words can change later. */
export interface PhotosFailedData {
  /** At most 20 of them. */
  photos: { title: string; message: string }[]
  /** Of all. */
  count: number
}

export function composePhotosFailed({ mail, user, origin }: UserComposition): OutgoingMail[] {
  const { photos, count } = mail.data as unknown as PhotosFailedData
  const listed = photos.map(({ title, message }) => `${quoteInert(title) || 'Untitled'}: ${quoteInert(message)}`)
  const rest = count - photos.length
  return mailTo(noticeAddress(user), {
    subject: `Skyfolio: ${plural(count, 'photo')} could not be processed`,
    title: `${plural(count, 'photo')} could not be processed`,
    blocks: [
      `Of the photos that you uploaded to Skyfolio, ${count === 1 ? 'this one' : 'these'} could not be processed:`,
      { items: rest > 0 ? [...listed, `and ${rest.toLocaleString('en-US')} more`] : listed },
      { label: 'Open Skyfolio', url: `${origin}/` },
    ],
    footer: noticeFooter(user.username, origin),
  })
}
