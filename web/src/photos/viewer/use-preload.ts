import { useEffect } from 'react'
import type { PublicPhoto } from '../../api/types.ts'
import { sourcesForWidth } from '../renditions.ts'
import { fitInto, type Size } from './use-zoom.ts'

/** The fields that the viewer needs, common to a user's own and public photos. */
export type ViewedPhoto = Omit<PublicPhoto, 'folderId'>

/** Loads the pictures of the neighbours, for a box of this size, once the picture that is looked at is there. */
export function usePreload(photos: readonly (ViewedPhoto | undefined)[], box: Size | null): void {
  const [before, after] = photos
  useEffect(() => {
    if (!box || savesData()) return
    for (const photo of [after, before]) if (photo) preload(photo, box)
  }, [before, after, box])
}

function preload(photo: ViewedPhoto, box: Size): void {
  const { width, height } = photo
  const shownWidth = width && height ? fitInto(box, { width, height }).width : box.width
  const { src, srcSet = '', sizes = '' } = sourcesForWidth(shownWidth, photo)
  if (src === null) return
  const image = new Image()
  image.sizes = sizes
  image.srcset = srcSet
  image.src = src
}

/** The user asked the browser to load little. */
export function savesData(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true
}
