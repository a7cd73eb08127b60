import type { MediaDeps } from './app.ts'
import { type Actor, deletePhotos, movePhotos, setPrivacy } from './changes.ts'
import type { Photo } from './generated/client.ts'

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
 * harms no other. What was done before an error stays done: asking again does the rest.
 * @throws AppError 404 for a folder that is not the user's, 503
 */
export async function changeMany(deps: MediaDeps, ids: number[], by: Actor, wanted: BulkAction): Promise<BulkResult> {
  const distinct = [...new Set(ids)]
  const changed = new Set<number>()
  for (let at = 0; at < distinct.length; at += BATCH) {
    const photos = await change(deps, distinct.slice(at, at + BATCH), by, wanted)
    for (const { id } of photos) changed.add(id)
    deps.relay.wake()
  }
  return {
    done: distinct.filter((id) => changed.has(id)),
    failed: distinct.filter((id) => !changed.has(id)).map((id) => ({ id, message: 'Photo not found' })),
  }
}
