import { Nullable, notFound, type PublicNames } from '@skyfolio/kit'
import type { Pool } from 'pg'
import { type Static, Type } from 'typebox'
import { PublicMetadata, publicMetadata } from './public-metadata.ts'
import { type PhotoRow, PublicPhoto, pictureUrls, publicPhoto, RAW_FILE } from './public-photo.ts'
import { SHARE_CODE } from './share-pages.ts'

/** One photo of a share, with the metadata that lists omit. */
export const SharedPhoto = Type.Object({
  ...PublicPhoto.properties,
  metadata: Nullable(PublicMetadata),
})

const PHOTO = `
SELECT photo.*, photos.metadata, ${RAW_FILE}
FROM folders JOIN photos_with_visibility AS photo ON photo.folder_id = folders.id AND visible
JOIN photos ON photos.id = photo.id
WHERE folders.share_code = $1 AND folders.is_public AND NOT folders.owner_suspended AND photo.id = $2`

/** A photo that visitors of this share see at this moment, and the revision of its link. Throws 404. */
export async function readSharedPhoto(
  { pool, publicNames }: { pool: Pool; publicNames: PublicNames },
  shareCode: string,
  id: number,
): Promise<{ photo: Static<typeof SharedPhoto>; folderId: number; linkRevision: number }> {
  if (!SHARE_CODE.test(shareCode)) throw notFound('Photo not found')
  const { rows } = await pool.query<PhotoRow & { metadata: unknown }>({
    name: 'shared-photo',
    text: PHOTO,
    values: [shareCode, id],
  })
  const [row] = rows
  if (!row) throw notFound('Photo not found')
  const { folder_id: folderId, link_revision: linkRevision } = row
  const photo = publicPhoto(row, pictureUrls(row, publicNames))
  return { photo: { ...photo, metadata: publicMetadata(row.metadata) }, folderId, linkRevision }
}
