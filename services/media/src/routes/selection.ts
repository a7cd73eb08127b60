import { invalidFields } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { MediaDeps } from '../deps.ts'
import { type ConfirmedCount, findSelectedIds } from '../gallery/bulk-selection.ts'
import { FilterQuery, readFilter } from '../gallery/filter.ts'
import type { ListQuery } from '../gallery/list-query.ts'
import { Id } from './schemas.ts'

/** The gateway accepts their JSON together with the rest of the request. */
export const MAX_EXCEPT = 5000

// A misspelt filter must not select all photos.
export const strict = { additionalProperties: false }
export const ListFilter = Type.Object(
  {
    ...FilterQuery.properties,
    folder: Type.Optional(
      Type.String({ pattern: '^[1-9][0-9]{0,8}$', description: 'The id of an own folder: only its photos' }),
    ),
  },
  { ...strict, description: 'Instead of ids: all own photos that a list with this filter has' },
)
export const Except = Type.Optional(
  Type.Array(Id, { maxItems: MAX_EXCEPT, description: 'Photos that match the filter and are not selected' }),
)

interface Selection {
  ids?: number[]
  filter?: Type.Static<typeof ListFilter>
  except?: number[]
}

/** The list of own photos that a filter describes. @throws AppError 400, 404, 503 */
export async function ownList(
  { folders }: Pick<MediaDeps, 'folders'>,
  userId: number,
  { folder, ...filter }: Type.Static<typeof ListFilter>,
): Promise<ListQuery> {
  // A folder's list has no condition on the user.
  const folderId = folder === undefined ? null : Number(folder)
  if (folderId !== null) await folders.findOwn(folderId, userId)
  return { scope: { userId, folderId }, filter: readFilter(filter) }
}

/** The photos that a request names by ids or by a filter, of whoever they are. @throws AppError 400, 404, 409, 503 */
export async function selectIds(
  deps: Pick<MediaDeps, 'db' | 'folders'>,
  userId: number,
  { ids, filter, except }: Selection,
  confirmed: ConfirmedCount | null = null,
): Promise<number[]> {
  if ((ids === undefined) === (filter === undefined)) {
    throw invalidFields({ ids: 'Please name the photos either by their ids or by a filter.' })
  }
  if (ids && (except || confirmed)) {
    throw invalidFields({ ids: 'Exceptions and a count belong to a filter, not to ids.' })
  }
  return ids ?? findSelectedIds(deps.db, await ownList(deps, userId, filter ?? {}), except ?? [], confirmed)
}
