import { Type } from 'typebox'
import type { Database } from '../database.ts'
import { findFlightId } from '../flights/read-flights.ts'
import type { Folders } from '../projection/folders.ts'
import { FilterQuery, readFilter, UNKNOWN_FLIGHT } from './filter.ts'
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
  flight: Type.Optional(
    Type.String({ pattern: '^[1-9][0-9]{0,9}$', description: 'Only photos of the own flight with this id' }),
  ),
})

interface QueryDeps {
  db: Database
  folders: Pick<Folders, 'find'>
}

/** The list of a user's photos for the filters of a request. @throws AppError 400 for an invalid date, 503 */
export async function readGalleryQuery(
  { db, folders }: QueryDeps,
  userId: number,
  { folder, flight, ...filter }: Type.Static<typeof GalleryFilterQuery>,
): Promise<ListQuery> {
  return {
    scope: { userId, folderId: await readFolder(folders, userId, folder) },
    filter: { ...readFilter(filter), flight: await readFlight(db, userId, flight) },
  }
}

async function readFlight(db: Database, userId: number, flight: string | undefined): Promise<number | null> {
  if (flight === undefined) return null
  return (await findFlightId(db, userId, Number(flight))) ?? UNKNOWN_FLIGHT
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
