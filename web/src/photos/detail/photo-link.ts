import type { Folder, Photo } from '../../api/types.ts'

/**
 * The link to a photo: the share page's for a photo that visitors see, otherwise the app's, which only its owner can
 * open.
 */
export function photoLink(photo: Photo, folder: Folder | null, origin: string): { url: string; isPublic: boolean } {
  const isPublic = photo.isPublic && folder?.isPublic === true
  const path = isPublic ? `/share/${folder.shareCode}` : folder ? `/folders/${folder.id}` : '/'
  return { url: `${origin}${path}?photo=${photo.id}`, isPublic }
}
