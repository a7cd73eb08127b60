import type { ObjectStore } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { originalKey } from '../files/object-keys.ts'
import { readChecksum } from '../files/read-checksum.ts'
import type { Photo } from '../generated/client.ts'

interface ChecksumDeps {
  db: Database
  store: ObjectStore
  signal?: AbortSignal
}

/**
 * Reads the original of a photo that has no checksum yet, and stores its CRC-32. Returns false when the original is missing or
 * incomplete.
 * @throws when the signal is aborted, or the store is unavailable
 */
export async function addChecksum(
  { db, store, signal }: ChecksumDeps,
  { id, filename, filesize }: Pick<Photo, 'id' | 'filename' | 'filesize'>,
): Promise<boolean> {
  const checksum = await readChecksum(store, originalKey(filename), { size: filesize, signal })
  if (checksum === null) return false
  await db.photo.updateMany({ where: { id, filename }, data: { crc32: checksum.crc32 } })
  return true
}
