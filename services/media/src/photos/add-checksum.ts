import { crc32 } from 'node:zlib'
import type { ObjectStore } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { originalKey } from '../files/object-keys.ts'
import type { Photo } from '../generated/client.ts'

interface ChecksumDeps {
  db: Database
  store: ObjectStore
  signal?: AbortSignal
}

/**
 * Reads the original of a photo that has no checksum yet, and stores and returns its CRC-32; null when the original is missing or
 * incomplete.
 * @throws when the signal is aborted, or the store is unavailable
 */
export async function addChecksum(
  { db, store, signal }: ChecksumDeps,
  { id, filename, filesize }: Pick<Photo, 'id' | 'filename' | 'filesize'>,
): Promise<number | null> {
  const object = await store.get(originalKey(filename))
  if (object?.size !== filesize) {
    object?.body.destroy()
    return null
  }
  let bytes = 0
  let checksum = 0
  for await (const chunk of object.body) {
    bytes += chunk.length
    checksum = crc32(chunk, checksum)
    if (signal?.aborted) break
  }
  signal?.throwIfAborted()
  if (bytes !== filesize) return null
  await db.photo.updateMany({ where: { id, filename }, data: { crc32: checksum } })
  return checksum
}
