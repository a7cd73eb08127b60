import { notFound, type ObjectStore } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { PRINT_IMAGE_MEDIA_TYPE, printImageKey } from '../files/object-keys.ts'
import { contentDisposition } from '../files/responses.ts'
import { openObject, sendOpened, sendUnchanged } from '../files/send-object.ts'
import type { PrintImageName } from './names.ts'

const CACHE_SECONDS = 3600

/**
 * Sends a print image to anybody who has its signed name, which the caller has verified. The object is all that is needed,
 * so it works while database and folders are unavailable. Without the object, the image was removed: 404.
 */
export async function sendPrintImage(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ObjectStore,
  { id, expiresAt }: PrintImageName,
): Promise<FastifyReply> {
  const remaining = Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1000))
  const headers = {
    etag: `"${id}"`,
    'cache-control': `private, max-age=${Math.min(remaining, CACHE_SECONDS)}`,
    'content-type': PRINT_IMAGE_MEDIA_TYPE,
    'content-disposition': contentDisposition('inline', 'print.jpg'),
  }
  if (sendUnchanged(request, reply, headers)) return reply
  const object = await openObject(request, reply, store, printImageKey(id), headers.etag)
  if (!object) throw notFound('Photo not found')
  return sendOpened(reply, object, headers)
}
