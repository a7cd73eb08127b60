import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { type PrintImageSchema, PrintImageStatus } from '@skyfolio/proto'
import type { PrintImage } from '../generated/client.ts'
import type { PrintImageNames } from './names.ts'

/** One image in a response over NATS. */
export type PrintImageMessage = MessageInitShape<typeof PrintImageSchema>

export const NOT_FOUND: PrintImageMessage = { status: PrintImageStatus.NOT_FOUND }

export const TOO_MANY_PRINTS =
  'You have prepared too many prints. Please try again in a few days, when some have expired.'

export function failed(message: string): PrintImageMessage {
  return { status: PrintImageStatus.FAILED, message }
}

export function toMessage(image: PrintImage, names: PrintImageNames): PrintImageMessage {
  if (image.status === 'failed') return failed(image.statusMessage ?? '')
  if (image.status !== 'ready') return { status: PrintImageStatus.RENDERING }
  return {
    status: PrintImageStatus.READY,
    filename: names.sign(image.id, image.expiresAt),
    expiresAt: timestampFromDate(image.expiresAt),
    width: image.width ?? undefined,
    height: image.height ?? undefined,
    sourceWidth: image.sourceWidth ?? undefined,
    sourceHeight: image.sourceHeight ?? undefined,
  }
}
