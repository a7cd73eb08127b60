import { isDatabaseUnavailable, isUnavailable, type ObjectStore } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { publishChanged } from '../events.ts'
import { formatOf, originalKey } from '../files/object-keys.ts'
import { objectSource } from '../formats/byte-source.ts'
import type { Photo } from '../generated/client.ts'
import { extractTags } from '../metadata/extract-tags.ts'
import type { Metadata } from '../metadata/facts.ts'
import type { MetadataReader } from '../metadata/metadata-reader.ts'
import { projectionOf } from '../photos/projection.ts'

const BATCH = 100

export interface PanoramaReading {
  /** Photos that became spheres. */
  spheres: number
  /** Spheres and wide photos that other services were told of again. */
  published: number
  /** Photos whose original could not be read. */
  unreadable: number
}

/**
 * Reads whether photos are spheres from the originals of all photos that were processed before that was read: those that are
 * about twice as wide as high, or more. May be repeated, and run beside workers.
 * @throws errors of a store or database that is unavailable
 */
export async function readPanoramas(deps: {
  db: Database
  store: ObjectStore
  metadata: MetadataReader
}): Promise<PanoramaReading> {
  const reading: PanoramaReading = { spheres: 0, published: 0, unreadable: 0 }
  for (let after = 0; ; ) {
    const ids = await deps.db.$queryRaw<{ id: number }[]>`
      SELECT id FROM photos
      WHERE id > ${after} AND purpose = 'gallery' AND status = 'ready' AND width >= 1.9 * height
      ORDER BY id LIMIT ${BATCH}`
    for (const { id } of ids) {
      const outcome = await readPanorama(deps, id)
      if (outcome) reading[outcome] += 1
      after = id
    }
    if (ids.length < BATCH) return reading
  }
}

async function readPanorama(
  { db, store, metadata }: Parameters<typeof readPanoramas>[0],
  id: number,
): Promise<keyof PanoramaReading | null> {
  const photo = await db.photo.findUnique({ where: { id } })
  if (!photo) return null
  const known = photo.metadata as Metadata | null
  try {
    const panorama = known?.panorama ?? (await panoramaIn(store, metadata, photo))
    if (panorama && !known?.panorama) return (await save(db, photo, { ...known, panorama })) ? 'spheres' : null
  } catch (error) {
    if (isUnavailable(error) || isDatabaseUnavailable(error)) throw error
    return 'unreadable'
  }
  if (projectionOf(photo) === null) return null
  await db.$transaction((tx) => publishChanged(tx, photo))
  return 'published'
}

async function panoramaIn(store: ObjectStore, reader: MetadataReader, { filename }: Photo) {
  const key = originalKey(filename)
  const head = await store.head(key)
  if (!head) throw new Error(`the object ${key} is missing`)
  const tags = await extractTags(objectSource(store, key, head.size), formatOf(filename))
  return tags ? (await reader.read(tags)).metadata?.panorama : undefined
}

/** False when the photo changed meanwhile: its processing reads the panorama, and another run finds it else. */
async function save(db: Database, { id, revision }: Photo, metadata: Metadata): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const where = { id, revision, status: 'ready' }
    const saved = await tx.photo.updateManyAndReturn({ where, data: { metadata, revision: { increment: 1 } } })
    await publishChanged(tx, ...saved)
    return saved.length > 0
  })
}
