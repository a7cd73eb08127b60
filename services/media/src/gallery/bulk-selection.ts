import { conflict } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { findAllPositions } from './list-positions.ts'
import type { ListQuery } from './list-query.ts'

/** The count that a user confirmed: the number of photos at a moment of the database. */
export interface ConfirmedCount {
  count: number
  until: Date
}

const ID_BATCH = 5000

/** Counts a list without some photos, exactly. */
export async function countSelected(db: Database, query: ListQuery, except: number[]): Promise<ConfirmedCount> {
  const [{ until }] = await db.$queryRaw<[{ until: Date }]>`SELECT now() AS until`
  return { count: (await findIds(db, query, except, until)).length, until }
}

/**
 * Returns the ids of a list without some photos, and never more than the user confirmed: photos that were uploaded later
 * are left out.
 * @throws AppError 409 when other photos have come into the list, by a change
 */
export async function findSelectedIds(
  db: Database,
  query: ListQuery,
  except: number[],
  confirmed: ConfirmedCount | null,
): Promise<number[]> {
  const ids = await findIds(db, query, except, confirmed?.until ?? null)
  if (confirmed && ids.length > confirmed.count) {
    throw conflict('There are more photos than before. Please look at them again.', 'more_photos')
  }
  return ids
}

async function findIds(db: Database, query: ListQuery, except: number[], until: Date | null): Promise<number[]> {
  const excluded = new Set(except)
  const ids: number[] = []
  for await (const batch of findAllPositions(db, query, 'newest', ID_BATCH)) {
    for (const { id, createdAt } of batch) {
      if (!excluded.has(id) && (!until || createdAt <= until)) ids.push(id)
    }
  }
  return ids
}
