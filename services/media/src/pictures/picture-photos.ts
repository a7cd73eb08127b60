import { createBatcher } from '@skyfolio/kit'
import type pg from 'pg'
import { OBJECT_NAMES, type RenditionNames } from '../files/object-keys.ts'
import type { Photo } from '../generated/client.ts'
import type { SeenPhoto } from './may-see.ts'

/** What the way of a picture needs of its photo. */
export type PicturePhoto = SeenPhoto & RenditionNames & Pick<Photo, 'filename' | 'originalName' | 'title'>

/** What the database has at `requestedAt` (in the time of `performance.now()`) or later. */
export interface PhotoReading {
  photo: PicturePhoto | null
  requestedAt: number
}

const COLUMNS = `id, user_id AS "userId", folder_id AS "folderId", filename, original_name AS "originalName", title,
small, thumbnail, medium, preview, own_is_public AS "ownIsPublic", own_visibility_revision AS "ownVisibilityRevision",
private_by_choice AS "privateByChoice"`
export const BY_ID = `SELECT ${COLUMNS} FROM photos WHERE id = ANY ($1::int[])`
const NAME_COLUMNS = Object.keys(OBJECT_NAMES) as (keyof typeof OBJECT_NAMES)[]
/** Each column has an index. */
export const BY_STORED_NAME = `SELECT ${COLUMNS} FROM photos
WHERE ${NAME_COLUMNS.map((column) => `${column} = ANY ($1::text[])`).join(' OR ')}`

/** Older readings permit nothing, so no longer wait would help anybody. */
const QUERY_TIMEOUT_MS = 2_000

export type PicturePhotos = ReturnType<typeof createPicturePhotos>

/** Reads the photos of pictures: one query for all requests that wait. */
export function createPicturePhotos(pool: pg.Pool) {
  return {
    byId: createReader<number>(pool, { name: 'picture-photos', text: BY_ID }, ({ id }) => [id]),
    /** By the stored name of its original or of a rendition. */
    byStoredName: createReader<string>(pool, { name: 'picture-photos-by-name', text: BY_STORED_NAME }, storedNamesOf),
  }
}

function createReader<Key extends string | number>(
  pool: pg.Pool,
  statement: { name: string; text: string },
  keysOf: (photo: PicturePhoto) => Key[],
): (key: Key) => Promise<PhotoReading> {
  const batches = createBatcher<Key, PhotoReading>({
    async run(keys) {
      const requestedAt = performance.now()
      const query = { ...statement, values: [[...new Set(keys)]], query_timeout: QUERY_TIMEOUT_MS }
      const { rows } = await pool.query<PicturePhoto>(query)
      const found = new Map(rows.flatMap((photo) => keysOf(photo).map((key) => [key, photo] as const)))
      return keys.map((key) => ({ photo: found.get(key) ?? null, requestedAt }))
    },
    maxInFlight: 2,
    maxBatch: 1_000,
    maxQueued: 10_000,
  })
  return batches.submit
}

function storedNamesOf(photo: PicturePhoto): string[] {
  return NAME_COLUMNS.map((column) => photo[column]).filter((name) => name !== null)
}
