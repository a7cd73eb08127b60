import { type Logger, type Relay, toAppError } from '@skyfolio/kit'
import { type Static, Type } from 'typebox'
import type { Database } from '../database.ts'
import type { Photo } from '../generated/client.ts'
import { type PositionChange, setPositions } from '../photos/corrections.ts'
import { type Actor, deletePhotos, requireMayDelete } from '../photos/delete-photos.ts'
import { movePhotos, PhotoPlace, placesOf, restorePlaces, setPrivacy } from '../photos/placement.ts'
import type { Places } from '../places/places.ts'
import type { Folders } from '../projection/folders.ts'

export interface BulkChangeDeps {
  db: Database
  folders: Folders
  places: Places
  logger: Logger
  relay: Pick<Relay, 'wake'>
}

/** A change that is applied to many photos. */
export type BulkAction =
  | { action: 'move'; folderId: number | null }
  | { action: 'privacy'; isPublic: boolean }
  | { action: 'restore'; place: PhotoPlace }
  | { action: 'delete' }
  | { action: 'position'; change: PositionChange }

/** Photos that had the same place before a change. Those that needed no change are absent. */
const PhotosBefore = Type.Object({ ...PhotoPlace.properties, ids: Type.Array(Type.Integer()) })
type PhotosBefore = Static<typeof PhotosBefore>

export const BulkResult = Type.Object({
  done: Type.Array(Type.Integer(), { description: 'Of a pair both ids' }),
  photos: Type.Integer({ description: 'How many photos these are: a pair is one' }),
  failed: Type.Array(Type.Object({ id: Type.Integer(), message: Type.String() })),
  before: Type.Optional(
    Type.Array(PhotosBefore, {
      description:
        'With a move or a change of visibility: folder and visibility that the changed photos had before, for undoing it',
    }),
  ),
})

export type BulkResult = Static<typeof BulkResult>

/** Photos per transaction: short enough not to delay single changes. */
const BATCH = 100
/** Shorter than the gateway's timeout. */
const TIME_LIMIT_MS = 40_000

/**
 * Applies the same change to many photos, by the rules for one. A photo is changed completely or not at all; one that
 * fails does not affect the others. Changes before an error remain. Photos that were not started within `timeLimitMs`
 * count as failed; a repeated request does the rest.
 * @throws AppError 404 for a folder that is not the user's, 403 for photos that the user may not delete now, 503
 */
export async function changeMany(
  deps: BulkChangeDeps,
  ids: number[],
  actor: Actor,
  change: BulkAction,
  timeLimitMs = TIME_LIMIT_MS,
): Promise<BulkResult> {
  if (change.action === 'move' && change.folderId !== null) await deps.folders.findOwn(change.folderId, actor.userId)
  const end = performance.now() + timeLimitMs
  const distinct = [...new Set(ids)]
  if (change.action === 'delete') await requireMayDelete(deps.db, distinct, actor)
  // Each with the JPEG that it is the raw file of; null for the others.
  const done = await alreadyInFolder(deps.db, distinct, actor, change)
  const pending = distinct.filter((id) => !done.has(id))
  const canBeUndone = change.action === 'move' || change.action === 'privacy'
  const before = new Map<string, PhotosBefore>()
  let reason = 'There was not enough time. Please try again.'
  let next = 0
  for (; next < pending.length && performance.now() < end; next += BATCH) {
    try {
      // A photo may have been changed with the other one of its pair.
      const batch = pending.slice(next, next + BATCH).filter((id) => !done.has(id))
      const batchBefore = canBeUndone ? await placesOf(deps.db, batch, actor.userId) : []
      for (const photo of await changeBatch(deps, batch, actor, change)) done.set(photo.id, jpegOf(photo))
      const changed = batchBefore.filter(({ id }) => done.has(id))
      addGroups(before, changed)
    } catch (error) {
      // After the first batch the client needs a response that says what was done and what is left.
      if (next === 0) throw error
      deps.logger.warn({ err: error, done: done.size }, 'bulk change stopped early')
      reason = toAppError(error).message
      break
    }
    deps.relay.wake()
  }
  const attempted = new Set(pending.slice(0, next))
  return {
    done: [...new Set([...distinct, ...done.keys()])].filter((id) => done.has(id)),
    photos: [...done.values()].filter((jpeg) => jpeg === null || !done.has(jpeg)).length,
    failed: distinct
      .filter((id) => !done.has(id))
      .map((id) => ({ id, message: attempted.has(id) ? messageOf(change) : reason })),
    ...(canBeUndone && { before: [...before.values()] }),
  }
}

/** The JPEG of whose pair a photo is the raw file; null: of none. */
function jpegOf({ purpose, pairedWith }: Pick<Photo, 'purpose' | 'pairedWith'>): number | null {
  return purpose === 'raw' ? pairedWith : null
}

/** The photos of a folder are a group, and so are those of them with another visibility. */
function addGroups(groups: Map<string, PhotosBefore>, photos: (PhotoPlace & { id: number })[]): void {
  for (const { id, ...place } of photos) {
    const key = JSON.stringify(place)
    const group = groups.get(key) ?? { ...place, ids: [] }
    group.ids.push(id)
    groups.set(key, group)
  }
}

/** Why a photo was not changed that was attempted. */
function messageOf(change: BulkAction): string {
  const needsPosition = change.action === 'position' && 'by' in change.change
  return needsPosition ? 'The photo was not found, or has no position.' : 'Photo not found'
}

/** Returns the photos of a move that are in its folder already: most of a large list need not be changed. */
async function alreadyInFolder(
  db: Database,
  ids: number[],
  { userId }: Actor,
  change: BulkAction,
): Promise<Map<number, number | null>> {
  if (change.action !== 'move') return new Map()
  const rows = await db.$queryRaw<Pick<Photo, 'id' | 'purpose' | 'pairedWith'>[]>`
    SELECT id, purpose, paired_with AS "pairedWith" FROM photos
    WHERE (id = ANY (${ids}) OR paired_with = ANY (${ids})) AND user_id = ${userId}::int AND purpose <> 'metadata'
      AND folder_id IS NOT DISTINCT FROM ${change.folderId}::int`
  return new Map(rows.map((row) => [row.id, jpegOf(row)]))
}

function changeBatch(
  { db, folders, places }: BulkChangeDeps,
  ids: number[],
  actor: Actor,
  change: BulkAction,
): Promise<Photo[]> {
  const { userId } = actor
  const placing = { db, folders, userId }
  switch (change.action) {
    case 'move':
      return movePhotos(placing, ids, change.folderId)
    case 'privacy':
      return setPrivacy(placing, ids, change.isPublic)
    case 'restore':
      return restorePlaces(placing, ids, change.place)
    case 'delete':
      return deletePhotos(db, ids, actor)
    case 'position':
      return setPositions({ db, places, userId }, ids, change.change)
  }
}
