import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import type { ObjectStore } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { mediaTypeOf, newName, RENDITION_COLUMNS, type RenditionNames, renditionKey } from '../files/object-keys.ts'
import { scheduleRemovals } from '../files/object-removals.ts'
import { type Lease, releaseLease } from './leases.ts'

/** An erasure deletes the photo long before. */
const ERASURE_SECONDS = 3600

type Column = keyof RenditionNames

/** The columns by which archives are made of previews without reading them. */
export function previewChecksum(preview: Buffer | null): { previewBytes: number | null; previewCrc32: number | null } {
  if (preview === null) return { previewBytes: null, previewCrc32: null }
  return { previewBytes: preview.length, previewCrc32: crc32(preview) }
}

/** Stores renditions under new names, at the same time. Returns the names; null for those that the photo has not. */
export async function storeRenditions<Some extends Column>(
  store: ObjectStore,
  renditions: Record<Some, Buffer | null>,
): Promise<Pick<RenditionNames, Some>> {
  const columns = RENDITION_COLUMNS.filter((column): column is Some => column in renditions)
  const names = await Promise.all(columns.map((column) => put(store, renditions[column])))
  return Object.fromEntries(columns.map((column, index) => [column, names[index]])) as Pick<RenditionNames, Some>
}

async function put(store: ObjectStore, bytes: Buffer | null): Promise<string | null> {
  if (bytes === null) return null
  const name = newName('webp')
  await store.put(renditionKey(name), Readable.from([bytes]), { contentType: mediaTypeOf(name) })
  return name
}

/**
 * After a lost lease: schedules the removal of renditions that belong to no photo now. The photo of a deleted user waits
 * for its erasure.
 */
export async function discardRenditions(
  db: Database,
  lease: Lease,
  result: { [column in Column]?: unknown },
): Promise<void> {
  const names = RENDITION_COLUMNS.map((column) => result[column]).filter((name) => typeof name === 'string')
  const { userId } = lease.photo
  await scheduleRemovals(
    db,
    names.map((name) => ({ key: renditionKey(name), userId })),
  )
  await releaseLease(db, lease, ERASURE_SECONDS, true)
}
