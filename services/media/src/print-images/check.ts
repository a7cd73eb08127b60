import type { CheckPrintImagesRequest } from '@skyfolio/proto'
import type { PrintImagesDeps } from './prepare.ts'
import { NOT_FOUND, type PrintImageMessage, toMessage } from './responses.ts'
import { extendSoonExpiring } from './rows.ts'

const MAX_NAMES = 500

/** Which file names are valid and of images of this user. An image that an order could outlive gets a new name. */
export async function checkPrintImages(
  { db, printImageNames: names, printLimits }: PrintImagesDeps,
  { userId, filenames }: CheckPrintImagesRequest,
): Promise<{ images: PrintImageMessage[] }> {
  if (filenames.length > MAX_NAMES) throw new Error(`a request for ${filenames.length} print images`)
  const ids = filenames.map((filename) => names.verify(filename)?.id)
  const known = [...new Set(ids)].filter((id) => id !== undefined)
  const found = await db.printImage.findMany({ where: { id: { in: known }, userId, status: 'ready' } })
  const live = await extendSoonExpiring(db, found, printLimits)
  const messages = new Map(live.map((image) => [image.id, toMessage(image, names)]))
  return { images: ids.map((id) => (id === undefined ? undefined : messages.get(id)) ?? NOT_FOUND) }
}
