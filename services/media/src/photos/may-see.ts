import type { Identity } from '@skyfolio/kit'
import type { Photo } from '../generated/client.ts'
import type { Folders } from '../projection/folders.ts'
import { isPublic } from './visibility.ts'

/**
 * Whether the caller may have the photo's bytes: its owner and administrators always, others while the photo is visible
 * in a folder that the folders service reports as public.
 * @throws AppError 503 when the folders service does not respond
 */
export async function maySee(photo: Photo, identity: Identity, folders: Folders): Promise<boolean> {
  if (identity.isAdmin || identity.userId === photo.userId) return true
  if (photo.folderId === null) return false
  const folder = await folders.fetchCurrent(photo.folderId)
  return folder?.isPublic === true && isPublic(photo, folder)
}
