import { hash } from 'node:crypto'
import { extname } from 'node:path'
import {
  AppError,
  type Identity,
  isPublicName,
  isUnlocked,
  type LinkCookies,
  notFound,
  type PublicName,
  type PublicNames,
  revisionsOf,
  unavailable,
  type ViewAudit,
  visitorIdentity,
} from '@skyfolio/kit'
import { safeTitle } from '../archives/safe-names.ts'
import { cardOfPreview, FILE_NAME_PATTERN } from '../files/object-keys.ts'
import { isShownByBrowsers, withTrueExtension } from '../files/responses.ts'
import type { CurrentLink, Folders } from '../projection/folders.ts'
import { type LinkProof, photoNotFound, requireSight, type Sight } from './may-see.ts'
import type { PhotoReading, PicturePhoto, PicturePhotos } from './picture-photos.ts'

/** A file of a photo that the caller may have at this moment, and how its response shows it. */
export interface Picture {
  photoId: number
  /** The stored name of an original or a rendition, or that of a card, which is made of one. */
  storedName: string
  isOriginal: boolean
  isCard: boolean
  /** It is given by a link, which may end while it is sent. */
  byLink: boolean
  /** What is left out of an original; null: nothing. */
  cleaning: Cleaning | null
  etag: string
  /** The name under which a browser saves the file. */
  savedAs: string
  /** Shared caches may keep the response for a second. */
  isShareable: boolean
  /** When the older of the requests was sent on whose responses the permission rests, in the time of `performance.now()`. */
  confirmedAt: number
}

/** An original is sent without its places, and with or without what the camera wrote of itself. */
export interface Cleaning {
  camera: boolean
}

/** Who requests a picture. */
export interface PictureCaller {
  identity: Identity
  cookies: string | undefined
  /** The browser is to save the file, not to show it. */
  isDownload: boolean
}

interface PicturesDeps {
  photos: PicturePhotos
  folders: Folders
  viewAudit: ViewAudit
  publicNames: PublicNames
  linkCookies: LinkCookies
}

/** A photo of which the caller may have files. */
interface SeenReading extends Pick<Sight, 'right' | 'link'> {
  photo: PicturePhoto
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
  const { photos, folders, publicNames, linkCookies } = deps

  async function see({ photo, requestedAt }: PhotoReading, identity: Identity, link?: LinkProof): Promise<SeenReading> {
    if (!photo) throw photoNotFound()
    const sight = await requireSight(deps, photo, identity, link)
    const { right, link: shown } = sight
    return { photo, right, link: shown, confirmedAt: Math.min(requestedAt, sight.requestedAt ?? requestedAt) }
  }

  /** Opens the same to everybody, the owner included. */
  async function byPublicName(
    text: string,
    name: PublicName,
    { cookies, isDownload }: Pick<PictureCaller, 'cookies' | 'isDownload'>,
  ): Promise<Picture> {
    // The requests for photo and folder run at the same time; `requireSight` shares this one.
    const fetching = folders.fetchSince(name.folderId, name.linkRevision).catch(() => {})
    const reading = await photos.byId(name.photoId)
    await fetching
    if (reading.photo?.folderId !== name.folderId) throw photoNotFound()
    const storedName = storedNameOf(reading.photo, name)
    const seen = await see(reading, VISITOR, {
      find: ({ links }) => links.find(({ revision }) => revision === name.linkRevision),
      unlocked: linkCookies.unlocked.read(cookies),
    })
    const link = seen.link as CurrentLink
    const isOriginal = name.kind === 'original'
    if (isOriginal ? link.downloads !== 'original' : isDownload && link.downloads === 'none') throw downloadsOff()
    // What a password protects is for those who have entered it, not for shared caches.
    const isShareable = link.passwordRevision === null
    const cleaning = isOriginal ? cleaningOf(link) : null
    const picture = publicly(seen, storedName, text)
    const savedAs = safeTitle(seen.photo, text)
    return { ...picture, savedAs, byLink: true, cleaning, isShareable, isCard: name.kind === 'card' }
  }

  async function byStoredName(storedName: string, identity: Identity): Promise<Picture> {
    return privately(await see(await photos.byStoredName(storedName), identity), storedName, identity)
  }

  /** A picture for somebody who does not learn its stored name. */
  function publicly({ photo, confirmedAt }: SeenReading, storedName: string, name: string): Picture {
    const etag = publicNames.entityTag(name, storedName)
    return { ...fileOf(photo, storedName), etag, savedAs: name, isShareable: false, confirmedAt }
  }

  /** The link whose code is given decides; otherwise any in the cookies, an unlocked one first. */
  function proofOf(shareCode: string | undefined, cookies: string | undefined): LinkProof {
    const unlocked = linkCookies.unlocked.read(cookies)
    return {
      unlocked,
      find({ id, links }) {
        const given = shareCode && hash('sha256', shareCode, 'buffer')
        const revisions = revisionsOf(linkCookies.opened.read(cookies), id)
        const shown = links.filter(({ revision }) => revisions.includes(revision))
        const byCode = given && links.find(({ codeHash }) => codeHash.equals(given))
        return byCode || (shown.find((link) => isUnlocked(unlocked, link)) ?? shown[0])
      },
    }
  }

  return {
    /** The picture under a public or a stored name. @throws AppError 403, 404, 503 */
    async byName(text: string, caller: PictureCaller): Promise<Picture> {
      if (isPublicName(text)) {
        const name = publicNames.verify(text)
        if (!name) throw photoNotFound()
        return byPublicName(text, name, caller)
      }
      if (!FILE_NAME_PATTERN.test(text)) throw photoNotFound()
      return byStoredName(text, caller.identity)
    },

    /** The largest picture of a photo that browsers can show. @throws AppError 403, 404, 503 */
    async largestOf(photoId: number, caller: PictureCaller & { shareCode: string | undefined }): Promise<Picture> {
      const { identity, cookies, isDownload, shareCode: given } = caller
      const shareCode = given !== undefined && SHARE_CODE.test(given) ? given : undefined
      // Counting ids costs nothing behind this.
      if (identity.userId === null && !cookies && !shareCode) throw photoNotFound()
      const seen = await see(await photos.byId(photoId), identity, proofOf(shareCode, cookies))
      const { photo, link } = seen
      if (isDownload && link?.downloads === 'none') throw downloadsOff()
      const givesOriginal = !link || (link.downloads === 'original' && !cleaningOf(link))
      const storedName = photo.preview ?? (givesOriginal ? photo.filename : '')
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
  return { photoId: id, storedName, isOriginal: storedName === filename, isCard: false, byLink: false, cleaning: null }
}

/** What is left out of the originals that the link gives; null: nothing. */
export function cleaningOf({ showPlaces, showCamera }: CurrentLink): Cleaning | null {
  return showPlaces && showCamera ? null : { camera: showCamera }
}

/** The error for a kind of file that the link does not give. */
export function downloadsOff(): AppError {
  return new AppError(403, 'downloads_off', 'The photographer does not offer this download.')
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
