import { Readable } from 'node:stream'
import { createLinkCookies, createPublicNames, type PictureKind } from '@skyfolio/kit'
import { TEST_LINK_KEYS } from '@skyfolio/testkit'
import { newId, renditionKey } from '../src/files/object-keys.ts'
import type { PhotoResponse } from '../src/photos/photo-response.ts'
import { jpeg, type TestMedia, user } from './support.ts'

const names = createPublicNames(TEST_LINK_KEYS)
const cookie = createLinkCookies(TEST_LINK_KEYS, true).opened

export const OWNER = 1

export interface NameOptions {
  linkRevision?: number
  extension?: string
  folderId?: number
}

/** The URL of a picture as folders gives it to visitors. */
export function publicUrl(photo: PhotoResponse, kind: PictureKind, options: NameOptions = {}): string {
  const { linkRevision = 1, folderId = photo.folderId ?? 0 } = options
  const extension = options.extension ?? (kind === 'original' || kind === 'card' ? 'jpg' : 'webp')
  return `/api/uploads/${names.sign({ photoId: photo.id, folderId, linkRevision, kind, extension })}`
}

/** The Cookie header of a browser that has opened this link of a folder. */
export function linkCookie(folderId: number, linkRevision = 1): Record<string, string> {
  const [value = ''] = (cookie.add(undefined, [folderId, linkRevision]) ?? '').split(';')
  return { cookie: value }
}

/** Stores a rendition with its name as bytes. */
export async function storeRendition({ store }: TestMedia): Promise<string> {
  const name = `${newId()}.webp`
  await store.put(renditionKey(name), Readable.from([Buffer.from(name)]), { contentType: 'image/webp' })
  return name
}

/** A photo with all renditions in a folder, as its owner sees it. */
export async function processedPhoto(media: TestMedia, folderId: number): Promise<PhotoResponse> {
  const { id } = await media.upload(OWNER, { folderId: String(folderId) }, await jpeg())
  return renderAnew(media, id)
}

/** Gives the photo new renditions, like the worker. */
export async function renderAnew(media: TestMedia, id: number, owner = OWNER): Promise<PhotoResponse> {
  const renditions = {
    small: await storeRendition(media),
    thumbnail: await storeRendition(media),
    medium: await storeRendition(media),
    preview: await storeRendition(media),
  }
  await media.db.photo.update({ where: { id }, data: { ...renditions, status: 'ready' } })
  const [photo] = await media.json<PhotoResponse[]>(`/api/photos?ids=${id}`, user(owner))
  if (!photo) throw new Error('the photo is missing')
  return photo
}
