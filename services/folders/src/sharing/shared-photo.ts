import { Nullable, notFound } from '@skyfolio/kit'
import type { Pool } from 'pg'
import { type Static, Type } from 'typebox'
import { PublicMetadata, publicMetadata } from './public-metadata.ts'
import { type PhotoRow, PublicPhoto, publicPhoto } from './public-photo.ts'
import { SHARE_CODE } from './share-pages.ts'

/** One photo of a share, with the metadata that lists omit. */
export const SharedPhoto = Type.Object({
  ...PublicPhoto.properties,
  metadata: Nullable(PublicMetadata),
})

const PHOTO = `
SELECT placed_photos.*, photos.metadata
FROM folders JOIN placed_photos ON placed_photos.folder_id = folders.id AND visible
JOIN photos ON photos.id = placed_photos.id
WHERE folders.share_code = $1 AND folders.is_public AND placed_photos.id = $2`

/** A photo that visitors of this share see at this moment. Throws 404. */
export async function readSharedPhoto(pool: Pool, shareCode: string, id: number): Promise<Static<typeof SharedPhoto>> {
  if (!SHARE_CODE.test(shareCode)) throw notFound('Photo not found')
  const { rows } = await pool.query<PhotoRow & { metadata: unknown }>({
    name: 'shared-photo',
    text: PHOTO,
    values: [shareCode, id],
  })
  const [photo] = rows
  if (!photo) throw notFound('Photo not found')
  return { ...publicPhoto(photo), metadata: publicMetadata(photo.metadata) }
}
