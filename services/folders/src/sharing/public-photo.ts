import { Nullable, type PictureKind, type PublicNames, withoutZone } from '@skyfolio/kit'
import { type Static, Type } from 'typebox'
import type { OpenedLink } from './opened-link.ts'

/** The photo fields that visitors get. Fields that are not listed here are never sent. */
export const PublicPhoto = Type.Object({
  id: Type.Integer(),
  folderId: Nullable(Type.Integer()),
  title: Type.String(),
  description: Nullable(Type.String()),
  filename: Type.String({ description: 'Public name of the original, which ends with the link' }),
  filesize: Type.Integer({ description: 'Bytes' }),
  isPublic: Type.Boolean(),
  latitude: Nullable(Type.String({ description: 'Decimal degrees' })),
  longitude: Nullable(Type.String({ description: 'Decimal degrees' })),
  altitude: Nullable(Type.Number({ description: 'Meters above sea level' })),
  city: Nullable(Type.String()),
  county: Nullable(Type.String()),
  state: Nullable(Type.String()),
  dateTaken: Nullable(Type.String({ description: 'ISO 8601; without a time zone if the camera wrote none' })),
  createdAt: Type.String({ format: 'date-time' }),
  status: Type.Union([Type.Literal('processing'), Type.Literal('ready'), Type.Literal('failed')]),
  statusMessage: Nullable(Type.String()),
  url: Type.String(),
  smallUrl: Nullable(Type.String({ description: '320 pixels wide' })),
  thumbnailUrl: Nullable(Type.String({ description: '640 pixels wide' })),
  mediumUrl: Nullable(Type.String({ description: '1,280 pixels wide' })),
  previewUrl: Nullable(Type.String({ description: '2,048 pixels' })),
  thumbhash: Nullable(Type.String({ description: 'Base64' })),
  width: Nullable(Type.Integer({ description: 'Pixels after orientation' })),
  height: Nullable(Type.Integer({ description: 'Pixels after orientation' })),
  projection: Nullable(Type.Enum(['sphere', 'wide'], { description: 'Of a panorama: how it is looked at' })),
  pairedWith: Nullable(Type.Integer({ description: 'The id of the raw file of the same shot' })),
  raw: Nullable(
    Type.Object(
      {
        id: Type.Integer(),
        filename: Type.String({ description: 'Public name, which ends with the link' }),
        filesize: Type.Integer({ description: 'Bytes' }),
        width: Nullable(Type.Integer()),
        height: Nullable(Type.Integer()),
      },
      { description: 'The raw file, of a JPEG that stands for a pair' },
    ),
  ),
})

/** A row of the view `photos_with_visibility` that visitors see. */
export interface PhotoRow extends PictureFiles {
  title: string
  description: string | null
  filesize: number
  is_public: boolean
  latitude: string | null
  longitude: string | null
  altitude: number | null
  city: string | null
  county: string | null
  state: string | null
  date_taken: string | null
  created_at: Date
  status: 'processing' | 'ready' | 'failed'
  status_message: string | null
  width: number | null
  height: number | null
  thumbhash: string | null
  projection: 'sphere' | 'wide' | null
  raw: RawFile | null
}

/** The raw file of a pair, with its stored name. */
interface RawFile {
  id: number
  filename: string
  filesize: number
  width: number | null
  height: number | null
}

/** SQL: the column `raw` of the row of `photo`. */
export const RAW_FILE = `(
  SELECT json_build_object('id', id, 'filename', filename, 'filesize', filesize, 'width', width, 'height', height)
  FROM photos AS raw_file WHERE raw_file.raw_of = photo.id AND NOT raw_file.deleted LIMIT 1
) AS raw`

const NO_PLACE = { latitude: null, longitude: null, altitude: null, city: null, county: null, state: null }

/** A photo as visitors with the link get it. */
export function publicPhoto(photo: PhotoRow, link: OpenedLink, urls: PictureUrls): Static<typeof PublicPhoto> {
  const { latitude, longitude, altitude, city, county, state } = link.showPlaces ? photo : NO_PLACE
  // Raw files cannot be cleaned.
  const hasRaw = link.downloads === 'original' && link.showPlaces && link.showCamera
  return {
    id: photo.id,
    folderId: photo.folder_id,
    title: photo.title,
    description: photo.description,
    filename: urls.filename,
    filesize: photo.filesize,
    isPublic: photo.is_public,
    latitude,
    longitude,
    altitude,
    city,
    county,
    state,
    dateTaken: photo.date_taken && (link.showPlaces ? photo.date_taken : withoutZone(photo.date_taken)),
    createdAt: photo.created_at.toISOString(),
    status: photo.status,
    statusMessage: photo.status_message,
    url: urls.url,
    smallUrl: urls.smallUrl,
    thumbnailUrl: urls.thumbnailUrl,
    mediumUrl: urls.mediumUrl,
    previewUrl: urls.previewUrl,
    thumbhash: photo.thumbhash,
    width: photo.width,
    height: photo.height,
    projection: photo.projection,
    pairedWith: photo.raw?.id ?? null,
    raw: hasRaw && photo.raw ? { ...photo.raw, filename: publicNameIn(urls.raw?.url ?? '') } : null,
  }
}

/** The stored names of a photo's files, and what else their public names are made of. */
interface PictureFiles {
  id: number
  folder_id: number
  filename: string
  small: string | null
  thumbnail: string | null
  medium: string | null
  preview: string | null
  raw: RawFile | null
}

/** Where browsers with the link get the pictures of a photo. */
export interface PictureUrls {
  /** Public name of the original. */
  filename: string
  url: string
  smallUrl: string | null
  thumbnailUrl: string | null
  mediumUrl: string | null
  previewUrl: string | null
  /** Of the raw file. */
  raw: { id: number; url: string } | null
}

const UPLOADS = '/api/uploads/'

/** The URL of a file by its stored or public name. */
export function uploadUrl(name: string): string {
  return `${UPLOADS}${name}`
}

/** The name in such a URL. */
export function publicNameIn(url: string): string {
  return url.slice(UPLOADS.length)
}

/**
 * The URLs of a photo's pictures. Each costs an HMAC: for a page of 5,000 photos 100 ms of CPU where the rest takes 25. So
 * those of `before`, made for the same photo, folder and link revision, are kept, and a change costs what it did before: all
 * else in a name is the kind of picture, and the extension.
 */
export function pictureUrls(
  photo: PictureFiles,
  link: Pick<OpenedLink, 'folderId' | 'revision'>,
  publicNames: PublicNames,
  before?: PictureUrls,
): PictureUrls {
  function urlOf(kind: PictureKind, storedName: string, known: string | null | undefined, photoId = photo.id): string {
    const extension = storedName.slice(storedName.lastIndexOf('.') + 1)
    if (known?.endsWith(`.${extension}`)) return known
    const { folderId, revision: linkRevision } = link
    return uploadUrl(publicNames.sign({ photoId, folderId, linkRevision, kind, extension }))
  }

  const { small, thumbnail, medium, preview, raw } = photo
  const url = urlOf('original', photo.filename, before?.url)
  return {
    filename: publicNameIn(url),
    url,
    smallUrl: small && urlOf('small', small, before?.smallUrl),
    thumbnailUrl: thumbnail && urlOf('thumbnail', thumbnail, before?.thumbnailUrl),
    mediumUrl: medium && urlOf('medium', medium, before?.mediumUrl),
    previewUrl: preview && urlOf('preview', preview, before?.previewUrl),
    raw: raw && {
      id: raw.id,
      url: urlOf('original', raw.filename, before?.raw?.id === raw.id ? before.raw.url : null, raw.id),
    },
  }
}
