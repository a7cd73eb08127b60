import { invalidFields } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { MediaDeps } from '../deps.ts'
import { type ConfirmedCount, findSelectedIds } from '../gallery/bulk-selection.ts'
import { GalleryFilterQuery, readGalleryQuery } from '../gallery/gallery-query.ts'
import { Id } from './schemas.ts'

/** The gateway accepts their JSON together with the rest of the request. */
export const MAX_EXCEPT = 5000

// A misspelt filter must not select all photos.
export const strict = { additionalProperties: false }
export const ListFilter = Type.Object(GalleryFilterQuery.properties, {
  ...strict,
  description: 'Instead of ids: all own photos that `GET /api/photos` lists with this filter',
})
export const Except = Type.Optional(
  Type.Array(Id, { maxItems: MAX_EXCEPT, description: 'Photos that match the filter and are not selected' }),
)

interface Selection {
  ids?: number[]
  filter?: Type.Static<typeof ListFilter>
  except?: number[]
}

/** The photos that a request names by ids or by a filter, of whoever they are. @throws AppError 400, 409, 503 */
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
  if (ids) return ids
  const query = await readGalleryQuery(deps, userId, filter ?? {})
  return findSelectedIds(deps.db, query, except ?? [], confirmed)
}
