import { invalidFields } from '@skyfolio/kit'
import type { Transaction } from '../database.ts'

/** Throws 400 unless the photo can be the folder's cover: it is in the folder and has a thumbnail. */
export async function requireCover(
  tx: Transaction,
  folderId: number,
  photoId: number | null | undefined,
): Promise<void> {
  if (photoId == null) return
  const photo = await tx.photo.findFirst({
    where: { id: photoId, folderId, deleted: false, thumbnail: { not: null } },
    select: { id: true },
  })
  if (!photo) throw invalidFields({ coverPhotoId: 'This photo is not in the folder, or has no preview yet.' })
}
