import { invalidFields, oneLine } from '@skyfolio/kit'

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
