import { hash } from 'node:crypto'
import { extname } from 'node:path'
import {
  type Identity,
  isPublicName,
  type LinkCookie,
  notFound,
  type PublicName,
  type PublicNames,
  unavailable,
  type ViewAudit,
  visitorIdentity,
} from '@skyfolio/kit'
import { cardOfPreview, FILE_NAME_PATTERN } from '../files/object-keys.ts'
import { isShownByBrowsers, withTrueExtension } from '../files/responses.ts'
import type { Folders } from '../projection/folders.ts'
import { type LinkProof, photoNotFound, requireSight, type Sight } from './may-see.ts'
import type { PhotoReading, PicturePhoto, PicturePhotos } from './picture-photos.ts'

/** A file of a photo that the caller may have at this moment, and how its response shows it. */
export interface Picture {
  photoId: number
  /** The stored name of an original or a rendition, or that of a card, which is made of one. */
  storedName: string
  isOriginal: boolean
  isCard: boolean
  etag: string
  /** The name under which a browser saves the file. */
  savedAs: string
  /** Shared caches may keep the response for a second. */
  isShareable: boolean
  /** When the older of the requests was sent on whose responses the permission rests, in the time of `performance.now()`. */
  confirmedAt: number
}

/** Who requests a picture by the id of its photo. */
export interface PictureCaller {
  identity: Identity
  cookies: string | undefined
  shareCode: string | undefined
}

interface PicturesDeps {
  photos: PicturePhotos
  folders: Folders
  viewAudit: ViewAudit
  publicNames: PublicNames
  linkCookie: Pick<LinkCookie, 'revisionOf'>
}

/** A photo of which the caller may have files. */
interface SeenReading {
  photo: PicturePhoto
  right: Sight['right']
  confirmedAt: number
}

/** A permission may be used for so long. */
const MAX_AGE_MS = 800
const MAX_ATTEMPTS = 3
const SHARE_CODE = /^[\w-]{1,64}$/
/** Somebody without a session; the address counts for nothing here. */
const VISITOR = visitorIdentity('')

export type Pictures = ReturnType<typeof createPictures>

/** Decides anew for each request who gets which file of a photo. */
export function createPictures(deps: PicturesDeps) {
  const { photos, folders, publicNames, linkCookie } = deps

  async function see({ photo, requestedAt }: PhotoReading, identity: Identity, link?: LinkProof): Promise<SeenReading> {
    if (!photo) throw photoNotFound()
    const sight = await requireSight(deps, photo, identity, link)
    return { photo, right: sight.right, confirmedAt: Math.min(requestedAt, sight.requestedAt ?? requestedAt) }
  }

  /** Opens the same to everybody, the owner included. */
  async function byPublicName(text: string, name: PublicName): Promise<Picture> {
    // The requests for photo and folder run at the same time; `requireSight` shares this one.
    folders.fetchCurrent(name.folderId).catch(() => {})
    const reading = await photos.byId(name.photoId)
    if (reading.photo?.folderId !== name.folderId) throw photoNotFound()
    const storedName = storedNameOf(reading.photo, name)
    const link = { opens: ({ linkRevision }: { linkRevision: number }) => linkRevision === name.linkRevision }
    const seen = await see(reading, VISITOR, link)
    return { ...publicly(seen, storedName, text), isShareable: true, isCard: name.kind === 'card' }
  }

  async function byStoredName(storedName: string, identity: Identity): Promise<Picture> {
    return privately(await see(await photos.byStoredName(storedName), identity), storedName, identity)
  }

  /** A picture for somebody who does not learn its stored name. */
  function publicly({ photo, confirmedAt }: SeenReading, storedName: string, name: string): Picture {
    const etag = publicNames.entityTag(name, storedName)
    return { ...fileOf(photo, storedName), etag, savedAs: name, isShareable: false, confirmedAt }
  }

  return {
    /** The picture under a public or a stored name. @throws AppError 404, 503 */
    async byName(text: string, identity: Identity): Promise<Picture> {
      if (isPublicName(text)) {
        const name = publicNames.verify(text)
        if (!name) throw photoNotFound()
        return byPublicName(text, name)
      }
      if (!FILE_NAME_PATTERN.test(text)) throw photoNotFound()
      return byStoredName(text, identity)
    },

    /** The largest picture of a photo that browsers can show. @throws AppError 404, 503 */
    async largestOf(photoId: number, { identity, cookies, shareCode: given }: PictureCaller): Promise<Picture> {
      const shareCode = given !== undefined && SHARE_CODE.test(given) ? given : undefined
      // Counting ids costs nothing behind this.
      if (identity.userId === null && !cookies && !shareCode) throw photoNotFound()
      const link: LinkProof = {
        opens: ({ id, linkRevision, shareCodeHash }) =>
          (shareCode !== undefined && hash('sha256', shareCode, 'buffer').equals(shareCodeHash)) ||
          linkCookie.revisionOf(cookies, id) === linkRevision,
      }
      const seen = await see(await photos.byId(photoId), identity, link)
      const { photo } = seen
      const storedName = photo.preview ?? photo.filename
      if (!isShownByBrowsers(storedName)) throw notFound('There is no preview of this photo.')
      if (identity.isAdmin || seen.right === 'owner') return privately(seen, storedName, identity)
      return publicly(seen, storedName, `photo-${photo.id}${extname(storedName)}`)
    },
  }
}

/**
 * The picture with a permission that is at most 800 ms old: a late response says what was permitted when it was requested.
 * @throws AppError what `confirm` throws, or 503 when all its responses are late
 */
export async function confirmNow(confirm: () => Promise<Picture>): Promise<Picture> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const picture = await confirm()
    if (isFresh(picture)) return picture
  }
  throw unavailable(undefined, 1)
}

/** Whether the permission may still be used. */
export function isFresh({ confirmedAt }: Picture): boolean {
  return performance.now() - confirmedAt <= MAX_AGE_MS
}

/** A picture for somebody who knows its stored name. */
function privately({ photo, confirmedAt }: SeenReading, storedName: string, identity: Identity): Picture {
  const file = fileOf(photo, storedName)
  // Only the owner and administrators see the original name: it may contain names of people and places.
  const showsOriginalName = photo.originalName !== '' && (identity.isAdmin || identity.userId === photo.userId)
  const savedAs = file.isOriginal && showsOriginalName ? withTrueExtension(storedName, photo.originalName) : storedName
  return { ...file, etag: `"${storedName}"`, savedAs, isShareable: false, confirmedAt }
}

function fileOf({ id, filename }: PicturePhoto, storedName: string) {
  return { photoId: id, storedName, isOriginal: storedName === filename, isCard: false }
}

/** The stored name of what a public name means. @throws AppError 404 when the photo has no such file */
function storedNameOf(photo: PicturePhoto, { kind, extension }: PublicName): string {
  const storedName = kind === 'original' ? photo.filename : kind === 'card' ? cardOf(photo) : photo[kind]
  if (!storedName || extname(storedName) !== `.${extension}`) throw photoNotFound()
  return storedName
}

function cardOf({ preview }: PicturePhoto): string | null {
  return preview && cardOfPreview(preview)
}
