import { conflict, invalidFields } from '@skyfolio/kit'
import { Type } from 'typebox'
import type { Database } from '../database.ts'
import type { MediaDeps } from '../deps.ts'
import { GalleryFilterQuery, readGalleryQuery } from '../gallery/filter.ts'
import { findAllPositions } from '../gallery/list-positions.ts'
import type { ListQuery } from '../gallery/list-query.ts'
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

/**
 * The photos that a request names by ids or by a filter, of whoever they are, and never more than the user confirmed: photos that
 * were uploaded later are left out.
 * @throws AppError 400, 409 when other photos have come into the list, by a change, 503
 */
export async function selectIds(
  deps: Pick<MediaDeps, 'db' | 'folders'>,
  userId: number,
  { ids, filter, except }: Selection,
  confirmed?: ConfirmedCount,
): Promise<number[]> {
  if ((ids === undefined) === (filter === undefined)) {
    throw invalidFields({ ids: 'Please name the photos either by their ids or by a filter.' })
  }
  if (ids && (except || confirmed)) {
    throw invalidFields({ ids: 'Exceptions and a count belong to a filter, not to ids.' })
  }
  if (ids) return ids
  const query = await readGalleryQuery(deps, userId, filter ?? {})
  const found = await findIds(deps.db, query, except ?? [], confirmed?.lastId ?? null)
  if (confirmed && found.length > confirmed.count) {
    throw conflict('There are more photos than before. Please look at them again.', 'more_photos')
  }
  return found
}

/** The count that a user confirmed. Photos with a greater id than `lastId` were uploaded later. */
interface ConfirmedCount {
  count: number
  lastId: number
}

const ID_BATCH = 5000

/** Counts a list without some photos, exactly. */
export async function countSelected(db: Database, query: ListQuery, except: number[]): Promise<ConfirmedCount> {
  const [{ lastId }] = await db.$queryRaw<[{ lastId: number }]>`SELECT coalesce(max(id), 1) AS "lastId" FROM photos`
  return { count: (await findIds(db, query, except, lastId)).length, lastId }
}

async function findIds(db: Database, query: ListQuery, except: number[], lastId: number | null): Promise<number[]> {
  const excluded = new Set(except)
  const ids: number[] = []
  for await (const batch of findAllPositions(db, query, 'newest', ID_BATCH)) {
    for (const { id } of batch) {
      if (!excluded.has(id) && (lastId === null || id <= lastId)) ids.push(id)
    }
  }
  return ids
}
