import type { ObjectStore } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { originalKey, renditionKey } from '../files/object-keys.ts'
import { openObject, sendOpened, sendUnchanged } from '../files/send-object.ts'
import { photoNotFound } from './may-see.ts'
import { pictureHeaders } from './picture-headers.ts'
import { isFresh, type Picture } from './pictures.ts'

export interface SendPictureOptions {
  /** Confirms that the caller may have the picture at this moment. */
  confirm(): Promise<Picture>
  isDownload: boolean
}

/**
 * Sends the bytes of a picture. When the store has taken long, or the picture has been rendered anew meanwhile, the
 * permission is confirmed once more before the first byte.
 * @throws AppError what `confirm` throws, 404 when the store has no such file, 416
 */
export async function sendPicture(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ObjectStore,
  { confirm, isDownload }: SendPictureOptions,
): Promise<FastifyReply> {
  const open = (one: Picture) => openObject(request, reply, store, keyOf(one), one.etag)
  let picture = await confirm()
  if (sendUnchanged(request, reply, pictureHeaders(picture, isDownload))) return reply
  let object = await open(picture)
  if (!object || !isFresh(picture)) {
    const former = picture
    picture = await confirm().catch((error) => {
      object?.body.destroy()
      throw error
    })
    if (picture.storedName !== former.storedName) {
      object?.body.destroy()
      object = await open(picture)
    }
  }
  if (object) return sendOpened(reply, object, pictureHeaders(picture, isDownload))
  request.log.error({ photoId: picture.photoId, key: keyOf(picture) }, 'object missing from the store')
  throw photoNotFound()
}

function keyOf({ storedName, isOriginal }: Picture): string {
  return isOriginal ? originalKey(storedName) : renditionKey(storedName)
}
