import { mailTo, noticeAddress, type OutgoingMail, type UserComposition } from './composition.ts'
import { noticeFooter, plural, quoteInert } from './words.ts'

/** What is stored of the event, so that the words can change later. */
export interface OrderReadyData {
  orderId: number
  /** The partner's number. */
  orderNumber: string | null
  storeNumber: string
  prints: number
  /** Placed in the partner's sandbox. */
  isTest: boolean
}

export function composeOrderReady({ mail, user, origin }: UserComposition): OutgoingMail[] {
  const { orderId, orderNumber, storeNumber, prints, isTest } = mail.data as unknown as OrderReadyData
  const order = orderNumber === null ? 'Your order' : `Your order ${quoteInert(orderNumber)}`
  return mailTo(noticeAddress(user), {
    subject: 'Your prints are ready for pickup',
    title: 'Your prints are ready',
    blocks: [
      `${order} with ${plural(prints, 'print')} is ready for pickup at store ${quoteInert(storeNumber)}.`,
      ...(isTest ? ["It was placed in the partner's sandbox: nothing was printed."] : []),
      { label: 'Show order', url: `${origin}/orders/${orderId}` },
    ],
    footer: noticeFooter(user.username, origin),
  })
}
