import type { Transaction } from '../database.ts'
import type { Folder, Photo } from '../generated/client.ts'

// All code locks photos before folders, and both in the order of their ids, so that no two changes deadlock.

/** Locks photos and returns them, ordered by id. Photos that do not exist are left out. */
export async function lockPhotos(tx: Transaction, ids: number[]): Promise<Photo[]> {
  if (ids.length === 0) return []
  await tx.$queryRaw`SELECT 1 FROM photos WHERE id = ANY (${ids}) ORDER BY id FOR UPDATE`
  return tx.photo.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } })
}

/** Locks photos and returns those that are in a gallery, whoever owns it. */
export async function lockGalleryPhotos(tx: Transaction, ids: number[]): Promise<Photo[]> {
  return (await lockPhotos(tx, ids)).filter((photo) => photo.purpose === 'gallery')
}

/** Locks photos and returns those that are in the user's gallery. */
export async function lockOwnPhotos(tx: Transaction, ids: number[], userId: number): Promise<Photo[]> {
  return (await lockGalleryPhotos(tx, ids)).filter((photo) => photo.userId === userId)
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
