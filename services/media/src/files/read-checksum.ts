import { crc32 } from 'node:zlib'
import type { ObjectStore } from '@skyfolio/kit'

/** Of an object: its length and its CRC-32. */
export interface Checksum {
  bytes: number
  crc32: number
}

/**
 * Reads an object to its end. Null when it is missing, ends early, or has not the expected size.
 * @throws when the signal is aborted, or the store is unavailable
 */
export async function readChecksum(
  store: ObjectStore,
  key: string,
  { size, signal }: { size?: number; signal?: AbortSignal } = {},
): Promise<Checksum | null> {
  const object = await store.get(key)
  if (!object) return null
  if (size !== undefined && object.size !== size) {
    object.body.destroy()
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
  return bytes === object.size ? { bytes, crc32: checksum } : null
}
