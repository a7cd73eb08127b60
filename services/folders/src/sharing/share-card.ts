import type { PublicNames } from '@skyfolio/kit'
import type { Static } from 'typebox'
import type { LinkKind } from './opened-link.ts'
import { type PublicPhoto, publicNameIn, uploadUrl } from './public-photo.ts'

type Photo = Static<typeof PublicPhoto>

/** What the gateway's page of a public folder has before the application has loaded. */
export interface ShareCard {
  name: string
  description: string | null
  photographer: string | null
  /** Whether it is the folder's main link, which has all pages, and otherwise which one it has. */
  main: boolean
  kind: LinkKind
  /** The sites whose pages may show it in a frame. */
  embedOrigins: string[]
  /** How many. */
  photos: number
  /** The folder's cover, or else the newest photo that has a preview. */
  cover: { url: string; title: string; city: string | null; state: string | null } | null
  /** The cover, if the owner has chosen one. */
  chosen: ReturnType<typeof cardPhoto> | null
  /** The first photos of the page. */
  pictures: ReturnType<typeof cardPhoto>[]
}

/** The first row of the widest grid, and what a telephone shows without scrolling. */
const CARD_PHOTOS = 4

/**
 * @param photos in the order of the page
 * @param chosen the one of them that the owner has chosen as the cover
 */
export function shareCard(
  folder: Omit<ShareCard, 'photos' | 'cover' | 'chosen' | 'pictures'>,
  photos: Photo[],
  chosen: Photo | undefined,
  publicNames: PublicNames,
): ShareCard {
  const cover = chosen ?? photos.find(({ previewUrl }) => previewUrl !== null)
  return {
    ...folder,
    photos: photos.length,
    cover: cover ? coverOf(cover, publicNames) : null,
    chosen: chosen ? cardPhoto(chosen) : null,
    pictures: photos.slice(0, CARD_PHOTOS).map(cardPhoto),
  }
}

function coverOf({ previewUrl, title, city, state }: Photo, publicNames: PublicNames): ShareCard['cover'] {
  const name = publicNames.verify(publicNameIn(previewUrl ?? ''))
  return name && { url: uploadUrl(publicNames.sign({ ...name, kind: 'card', extension: 'jpg' })), title, city, state }
}

function cardPhoto(photo: Photo) {
  const { title, city, state, width, height, thumbhash, smallUrl, thumbnailUrl, mediumUrl, previewUrl } = photo
  return { title, city, state, width, height, thumbhash, smallUrl, thumbnailUrl, mediumUrl, previewUrl }
}
