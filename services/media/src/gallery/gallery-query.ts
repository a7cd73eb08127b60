import { Type } from 'typebox'
import type { Folders } from '../projection/folders.ts'
import { FilterQuery, readFilter } from './filter.ts'
import { type ListQuery, NO_FOLDER, UNKNOWN_FOLDER } from './list-query.ts'

const LAST_ID = 2 ** 31 - 1

/** Filters of the whole gallery. */
export const GalleryFilterQuery = Type.Object({
  ...FilterQuery.properties,
  folder: Type.Optional(
    Type.String({
      pattern: '^(none|[1-9][0-9]{0,9})$',
      description: 'Only photos of this own folder, or `none`: only photos in no folder',
    }),
  ),
})

/** The list of a user's photos for the filters of a request. @throws AppError 400 for an invalid date, 503 */
export async function readGalleryQuery(
  folders: Pick<Folders, 'find'>,
  userId: number,
  { folder, ...filter }: Type.Static<typeof GalleryFilterQuery>,
): Promise<ListQuery> {
  return { scope: { userId, folderId: await readFolder(folders, userId, folder) }, filter: readFilter(filter) }
}

async function readFolder(
  folders: Pick<Folders, 'find'>,
  userId: number,
  folder: string | undefined,
): Promise<number | null> {
  if (folder === undefined) return null
  if (folder === 'none') return NO_FOLDER
  const id = Number(folder)
  const found = id <= LAST_ID ? await folders.find(id) : null
  return found?.userId === userId ? id : UNKNOWN_FOLDER
}
