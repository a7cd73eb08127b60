import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import type { ObjectStore } from '@skyfolio/kit'
import { mediaTypeOf, newName, RENDITION_COLUMNS, type RenditionNames, renditionKey } from '../files/object-keys.ts'

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
