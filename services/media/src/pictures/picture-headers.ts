import { mediaTypeOf } from '../files/object-keys.ts'
import { contentDisposition, isShownByBrowsers } from '../files/responses.ts'
import type { ObjectHeaders } from '../files/send-object.ts'
import type { Picture } from './pictures.ts'

/** Browsers revalidate each time, since permission can be withdrawn; shared caches keep what everybody may see for a second. */
const SHAREABLE = 'public, max-age=0, s-maxage=1, must-revalidate'
const PRIVATE = 'private, no-cache'

/** The headers of a picture's response. @param isDownload the browser is to save the file, not to show it */
export function pictureHeaders(picture: Picture, isDownload: boolean): ObjectHeaders {
  const { storedName, etag, savedAs, isShareable } = picture
  const kind = isShownByBrowsers(storedName) && !isDownload ? 'inline' : 'attachment'
  return {
    etag,
    'cache-control': isShareable ? SHAREABLE : PRIVATE,
    'content-type': mediaTypeOf(storedName),
    'content-disposition': contentDisposition(kind, savedAs),
  }
}
