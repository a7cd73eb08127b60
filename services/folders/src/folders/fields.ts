import { invalidFields, oneLine } from '@skyfolio/kit'
import type { Transaction } from '../database.ts'

/** What a user may set on a folder; absent fields stay unchanged. */
export interface FolderFields {
  name?: string
  description?: string | null
  isPublic?: boolean
  /** A photo of the folder; null: none is chosen. */
  coverPhotoId?: number | null
  /** Whether visitors are offered a map of the photos. */
  showMap?: boolean
}

/** In code points, like the CHECK in the database. */
const MAX_NAME_LENGTH = 120

/** Trims the texts; the name becomes one line and an empty description null. Throws 400 for an empty or too long name. */
export function normalizeFields(fields: FolderFields): FolderFields {
  const name = fields.name === undefined ? undefined : oneLine(fields.name)
  if (name === '') throw invalidFields({ name: 'Folder name is required' })
  if (name !== undefined && [...name].length > MAX_NAME_LENGTH) {
    throw invalidFields({ name: `Folder name must be at most ${MAX_NAME_LENGTH} characters` })
  }
  const description = fields.description?.trim() || (fields.description === undefined ? undefined : null)
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(fields.isPublic !== undefined && { isPublic: fields.isPublic }),
    ...(fields.coverPhotoId !== undefined && { coverPhotoId: fields.coverPhotoId }),
    ...(fields.showMap !== undefined && { showMap: fields.showMap }),
  }
}

/** Throws 400 unless the photo can be the folder's cover: it is in the folder and has a thumbnail. */
export async function requireCover(
  tx: Transaction,
  folderId: number,
  photoId: number | null | undefined,
): Promise<void> {
  if (photoId == null) return
  const photo = await tx.photo.findFirst({
    where: { id: photoId, folderId, deleted: false, thumbnail: { not: null } },
    select: { id: true },
  })
  if (!photo) throw invalidFields({ coverPhotoId: 'This photo is not in the folder, or has no preview yet.' })
}
