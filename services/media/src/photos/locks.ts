import type { Transaction } from '../database.ts'
import { waitForAdding } from '../erasure/tombstone.ts'
import type { Folder, Photo } from '../generated/client.ts'

// All code that changes several photos locks their owners' uploads before them, and photos before folders, each in the order of
// their ids, so that no two changes deadlock. Under the lock of the uploads more photos of the user may be locked later.

/**
 * Locks photos, and with one of a pair the other, and returns them, ordered by id. Photos that do not exist are left out, and with
 * `ownerId` those of others. The lock of the owners' uploads comes first: no photo becomes ready or one of a pair meanwhile.
 */
export async function lockPhotos(tx: Transaction, ids: number[], ownerId: number | null = null): Promise<Photo[]> {
  if (ids.length === 0) return []
  const owners = ownerId === null ? await findOwners(tx, ids) : [ownerId]
  for (const owner of owners) await waitForAdding(tx, 'uploads', owner)
  await tx.$queryRaw`
    SELECT 1 FROM photos
    WHERE (id = ANY (${ids}) OR paired_with = ANY (${ids})) AND (${ownerId}::int IS NULL OR user_id = ${ownerId}::int)
    ORDER BY id FOR UPDATE`
  const where = ownerId === null ? eitherOf(ids) : { ...eitherOf(ids), userId: ownerId }
  return tx.photo.findMany({ where, orderBy: { id: 'asc' } })
}

async function findOwners(tx: Transaction, ids: number[]): Promise<number[]> {
  const rows = await tx.$queryRaw<{ id: number }[]>`
    SELECT DISTINCT user_id AS id FROM photos WHERE id = ANY (${ids}) ORDER BY id`
  return rows.map(({ id }) => id)
}

/** The condition that a photo is one of these, or of a pair with one of them. */
export function eitherOf(ids: number[]) {
  return { OR: [{ id: { in: ids } }, { pairedWith: { in: ids } }] }
}

/** Locks photos and returns those that are in a gallery: the user's, or whoever owns them (null). */
export async function lockGalleryPhotos(tx: Transaction, ids: number[], ownerId: number | null): Promise<Photo[]> {
  return (await lockPhotos(tx, ids, ownerId)).filter((photo) => photo.purpose !== 'metadata')
}

/**
 * Locks folders and returns a lookup by id. Nobody can delete or flip them while photos move into them or change in
 * them.
 */
export async function lockFolders(
  tx: Transaction,
  ids: (number | null)[],
): Promise<(id: number | null) => Folder | null> {
  const distinct = [...new Set(ids)].filter((id) => id !== null)
  if (distinct.length === 0) return () => null
  const rows = await tx.$queryRaw<Folder[]>`
    SELECT id, user_id AS "userId", is_public AS "isPublic", revision, visibility_revision AS "visibilityRevision", deleted
    FROM folders WHERE id = ANY (${distinct}) ORDER BY id FOR SHARE`
  return (id) => rows.find((row) => row.id === id) ?? null
}
