import { createHash } from 'node:crypto'
import { Nullable } from '@skyfolio/kit'
import type { Pool } from 'pg'
import { type Static, Type } from 'typebox'
import { GroundMetadata, groundMetadata } from './public-metadata.ts'

/** What the ground in a photo is computed from, beside its position. */
export const SharedCamera = Type.Object({ id: Type.Integer(), metadata: Nullable(GroundMetadata) })

/** Of all photos of a share, as JSON. */
export interface SharedCameras {
  json: string
  version: string
}

const CAMERAS = `
SELECT id, metadata FROM photos_with_visibility AS photo JOIN photos USING (id)
WHERE photo.folder_id = $1 AND visible AND link_revision = $2 AND photo.latitude IS NOT NULL AND photo.longitude IS NOT NULL
ORDER BY id`

/** The cameras of the photos with a position that visitors with this link see. */
export async function readCameras(pool: Pool, folderId: number, linkRevision: number): Promise<SharedCameras> {
  const { rows } = await pool.query<{ id: number; metadata: unknown }>({
    name: 'share-cameras',
    text: CAMERAS,
    values: [folderId, linkRevision],
  })
  const cameras = rows.map(({ id, metadata }): Static<typeof SharedCamera> => {
    return { id, metadata: groundMetadata(metadata) }
  })
  const json = JSON.stringify(cameras)
  return { json, version: createHash('sha256').update(json).digest('base64url').slice(0, 22) }
}
