import type { Readable } from 'node:stream'
import type { ObjectStore } from '@skyfolio/kit'
import type { Format } from '@skyfolio/proto'
import { formatOf, originalKey } from '../files/object-keys.ts'
import { type ByteSource, bufferSource, objectSource } from '../formats/byte-source.ts'
import type { Photo } from '../generated/client.ts'

/** Larger originals are not held in the worker's memory: ranges are read as needed. */
export const MAX_IN_MEMORY_BYTES = 32 * 1024 * 1024

/** A photo's original, in memory when it is small and no DNG. */
export interface Original {
  format: Format
  bytes: Buffer | null
  source: ByteSource
  /** The whole file, from the store. @throws when it is missing */
  stream(): Promise<Readable>
}

/**
 * Opens a photo's original; null when the store does not have it. `onChunk` is called with all bytes when they are read into
 * memory.
 */
export async function openOriginal(
  store: ObjectStore,
  photo: Pick<Photo, 'filename' | 'filesize'>,
  onChunk: (chunk: Buffer) => void = () => {},
): Promise<Original | null> {
  const format = formatOf(photo.filename)
  const key = originalKey(photo.filename)

  async function stream(): Promise<Readable> {
    const object = await store.get(key)
    if (!object) throw new Error(`the object ${key} is missing`)
    return object.body
  }

  // Of a DNG only the camera's preview is needed, a small part of the file.
  if (format === 'dng' || photo.filesize > MAX_IN_MEMORY_BYTES) {
    const head = await store.head(key)
    return head && { format, bytes: null, source: objectSource(store, key, head.size), stream }
  }
  const object = await store.get(key)
  if (!object) return null
  const chunks: Buffer[] = []
  for await (const chunk of object.body) {
    onChunk(chunk)
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  return { format, bytes, source: bufferSource(bytes), stream }
}
