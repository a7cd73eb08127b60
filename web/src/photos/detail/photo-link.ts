import type { Folder, Photo } from '../../api/types.ts'

/** The link to a photo: the shared folder's for what visitors see, otherwise the app's own, for its owner alone. */
export function photoLink(photo: Photo, folder: Folder | null, origin: string): { url: string; isPublic: boolean } {
  const isPublic = photo.isPublic && folder?.isPublic === true
  const path = isPublic ? `/share/${folder.shareCode}` : folder ? `/folders/${folder.id}` : '/'
  return { url: `${origin}${path}?photo=${photo.id}`, isPublic }
}
