import { conflict, toAppError } from '@skyfolio/kit'
import type { MediaDeps } from '../app.ts'
import type { Database } from '../database.ts'
import type { Photo } from '../generated/client.ts'
import { type Actor, deletePhotos, movePhotos, setPrivacy } from '../photos/changes.ts'
import { findAll } from './find.ts'
import type { Search } from './list-sql.ts'

/** What is to be done with many photos. */
export type BulkAction =
  | { action: 'move'; folderId: number | null }
  | { action: 'privacy'; isPublic: boolean }
  | { action: 'delete' }

export interface BulkResult {
  done: number[]
  failed: { id: number; message: string }[]
}

/** Photos changed in one transaction: short enough to hold up no single change. */
const BATCH = 100
/** Below the time for which the gateway waits. */
const ENOUGH_MS = 40_000
const IDS_AT_ONCE = 5000

/** What a user was told before agreeing to a change: how many photos there were at which moment of the database. */
export interface Counted {
  count: number
  until: Date
}

/** Ids of all photos of a list as it is now, but for some, and for those that were uploaded later than `until`. */
async function listIds(db: Database, search: Search, except: number[], until: Date | null): Promise<number[]> {
  const left = new Set(except)
  const ids: number[] = []
  for await (const batch of findAll(db, search, 'newest', IDS_AT_ONCE)) {
    for (const { id, createdAt } of batch) if (!left.has(id) && (!until || createdAt <= until)) ids.push(id)
  }
  return ids
}

/** How many photos a list has now but for some, exactly. */
export async function countListed(db: Database, search: Search, except: number[]): Promise<Counted> {
  const [{ until }] = await db.$queryRaw<[{ until: Date }]>`SELECT now() AS until`
  return { count: (await listIds(db, search, except, until)).length, until }
}

/**
 * Ids of all photos of a list but for some; never more than the user agreed to: what was uploaded since is left alone.
 * @throws AppError 409 when others have come into the list by a change of their own
 */
export async function idsOf(db: Database, search: Search, except: number[], agreed: Counted | null): Promise<number[]> {
  const ids = await listIds(db, search, except, agreed?.until ?? null)
  if (agreed && ids.length > agreed.count) {
    throw conflict('There are more photos than before. Please look at them again.', 'more_photos')
  }
  return ids
}

function change({ db, folders }: MediaDeps, ids: number[], by: Actor, wanted: BulkAction): Promise<Photo[]> {
  const { userId } = by
  switch (wanted.action) {
    case 'move':
      return movePhotos(db, folders, ids, { userId, folderId: wanted.folderId })
    case 'privacy':
      return setPrivacy(db, folders, ids, { userId, isPublic: wanted.isPublic })
    case 'delete':
      return deletePhotos(db, ids, by)
  }
}

/**
 * Does the same with many photos, by the same rules as with one. Each is changed whole or not at all; one that fails
 * harms no other. What was done before an error stays done, and what was not begun in `enoughMs` counts as failed:
 * asking again does the rest.
 * @throws AppError 404 for a folder that is not the user's, 503
 */
export async function changeMany(
  deps: MediaDeps,
  ids: number[],
  by: Actor,
  wanted: BulkAction,
  enoughMs = ENOUGH_MS,
): Promise<BulkResult> {
  if (wanted.action === 'move' && wanted.folderId !== null) await deps.folders.own(wanted.folderId, by.userId)
  const end = performance.now() + enoughMs
  const distinct = [...new Set(ids)]
  const done = await thatLieThere(deps.db, distinct, by, wanted)
  const left = distinct.filter((id) => !done.has(id))
  let reason = 'There was not enough time. Please try again.'
  let at = 0
  for (; at < left.length && performance.now() < end; at += BATCH) {
    try {
      for (const { id } of await change(deps, left.slice(at, at + BATCH), by, wanted)) done.add(id)
    } catch (error) {
      // Who has heard nothing of what was done could not know what is left to do.
      if (at === 0) throw error
      deps.logger.warn({ err: error, done: done.size }, 'a change of many photos ended early')
      reason = toAppError(error).message
      break
    }
    deps.relay.wake()
  }
  const tried = new Set(left.slice(0, at))
  return {
    done: distinct.filter((id) => done.has(id)),
    failed: distinct.flatMap((id) => {
      if (done.has(id)) return []
      return { id, message: tried.has(id) ? 'Photo not found' : reason }
    }),
  }
}

/** Those of a move's photos that lie in its folder already: most of a large list need not be touched. */
async function thatLieThere(db: Database, ids: number[], { userId }: Actor, wanted: BulkAction): Promise<Set<number>> {
  if (wanted.action !== 'move') return new Set()
  const rows = await db.$queryRaw<{ id: number }[]>`
    SELECT id FROM photos WHERE id = ANY (${ids}) AND user_id = ${userId}::int AND purpose = 'gallery'
      AND folder_id IS NOT DISTINCT FROM ${wanted.folderId}::int`
  return new Set(rows.map(({ id }) => id))
}
