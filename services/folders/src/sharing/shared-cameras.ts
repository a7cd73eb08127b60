import { contentVersion, Nullable } from '@skyfolio/kit'
import type { Pool } from 'pg'
import { type Static, Type } from 'typebox'
import type { OpenedLink } from './opened-link.ts'
import { GroundMetadata, groundMetadata } from './public-metadata.ts'

/** What the ground in a photo is computed from, beside its position. */
export const SharedCamera = Type.Object({ id: Type.Integer(), metadata: Nullable(GroundMetadata) })

/** Of all photos of a share, as JSON. */
export interface SharedCameras {
  json: string
  version: string
}

const CAMERAS = `
SELECT photo.id, metadata
FROM links JOIN photos_with_visibility AS photo USING (folder_id) JOIN photos ON photos.id = photo.id
WHERE links.id = $1 AND links.revision = $2 AND visible AND photo.latitude IS NOT NULL AND photo.longitude IS NOT NULL
ORDER BY photo.id`

/** The cameras of the photos with a position that visitors with this link see; none if it hides places or cameras. */
export async function readCameras(pool: Pool, link: OpenedLink): Promise<SharedCameras> {
  if (!link.showPlaces || !link.showCamera) return { json: '[]', version: 'none' }
  const { rows } = await pool.query<{ id: number; metadata: unknown }>({
    name: 'share-cameras',
    text: CAMERAS,
    values: [link.id, link.revision],
  })
  const cameras = rows.map(({ id, metadata }): Static<typeof SharedCamera> => {
    return { id, metadata: groundMetadata(metadata) }
  })
  const json = JSON.stringify(cameras)
  return { json, version: contentVersion(json) }
}
