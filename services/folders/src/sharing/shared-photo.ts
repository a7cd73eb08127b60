import { isUnlocked, Nullable, notFound, type Pair, type PublicNames, passwordRequired } from '@skyfolio/kit'
import type { Pool } from 'pg'
import { type Static, Type } from 'typebox'
import { OPENED_LINK, type OpenedLink } from './opened-link.ts'
import { PublicMetadata, publicMetadata } from './public-metadata.ts'
import { type PhotoRow, PublicPhoto, pictureUrls, publicPhoto, RAW_FILE } from './public-photo.ts'
import { SHARE_CODE } from './share-pages.ts'

/** One photo of a share, with the metadata that lists omit. */
export const SharedPhoto = Type.Object({
  ...PublicPhoto.properties,
  metadata: Nullable(PublicMetadata),
})

const PHOTO = `
SELECT ${OPENED_LINK} AS link, photo.*, photos.metadata, ${RAW_FILE}
FROM open_links AS link JOIN folders ON folders.id = link.folder_id
LEFT JOIN photos_with_visibility AS photo ON photo.folder_id = folders.id AND visible AND photo.id = $2
LEFT JOIN photos ON photos.id = photo.id
WHERE code = $1 AND folders.is_public AND NOT folders.owner_suspended`

/** A photo that visitors with this code see at this moment, and their link. Throws 404, or 403 as the page of the link. */
export async function readSharedPhoto(
  { pool, publicNames }: { pool: Pool; publicNames: PublicNames },
  { shareCode, id, unlocked }: { shareCode: string; id: number; unlocked: readonly Pair[] },
): Promise<{ photo: Static<typeof SharedPhoto>; link: OpenedLink }> {
  if (!SHARE_CODE.test(shareCode)) throw notFound('Photo not found')
  const { rows } = await pool.query<(PhotoRow | { id: null }) & { link: OpenedLink; metadata: unknown }>({
    name: 'shared-photo',
    text: PHOTO,
    values: [shareCode, id],
  })
  const [row] = rows
  if (!row) throw notFound('Photo not found')
  const { link } = row
  if (!isUnlocked(unlocked, link)) throw passwordRequired()
  if (row.id === null) throw notFound('Photo not found')
  const photo = publicPhoto(row, link, pictureUrls(row, link, publicNames))
  return { photo: { ...photo, metadata: publicMetadata(row.metadata, link) }, link }
}
