import { randomBytes } from 'node:crypto'
import { parse } from 'node:path'
import type { ObjectStore } from '@skyfolio/kit'
import { type Format, UPLOAD_FORMATS } from '@skyfolio/proto'
import type { Photo, PrintImage } from '../generated/client.ts'
import type { Started } from '../jobs/job-rows.ts'

const FORMATS = Object.keys(UPLOAD_FORMATS) as Format[]

/** File names of originals, whose extension is the true format, and of renditions. */
export const FILE_NAME_PATTERN = new RegExp(`^[0-9a-f]{32}\\.(${[...FORMATS, 'webp'].join('|')})$`)
export const RENDITION_NAME_PATTERN = /^[0-9a-f]{32}\.webp$/
/** Cards are made of previews when they are requested. */
export const CARD_NAME_PATTERN = /^[0-9a-f]{32}\.jpg$/

export const ORIGINALS_PREFIX = 'originals/'
export const RENDITIONS_PREFIX = 'renditions/'
export const PRINT_IMAGES_PREFIX = 'print-images/'
export const EXPORTS_PREFIX = 'exports/'

export const PRINT_IMAGE_MEDIA_TYPE = 'image/jpeg'

/** Returns 128 random bits in hex. Hex never begins with the `p-` of print orders' images. */
export function newId(): string {
  return randomBytes(16).toString('hex')
}

/** The object key of an original, by its file name or id. Keys have no extension: they exist before the format is known. */
export function originalKey(filename: string): string {
  return ORIGINALS_PREFIX + parse(filename).name
}

/** The object key of a rendition. */
export function renditionKey(name: string): string {
  return RENDITIONS_PREFIX + name
}

/** The name of the card that is made of a preview. */
export function cardOfPreview(name: string): string {
  return `${parse(name).name}.jpg`
}

export function previewOfCard(name: string): string {
  return `${parse(name).name}.webp`
}

/** The object key of a print image, by its id. */
export function printImageKey(id: string): string {
  return PRINT_IMAGES_PREFIX + id
}

/** The object key of a file that an export has beside originals. Each worker that starts on it has its own ones. */
export function exportFileKey({ id, run, starts }: Started<string>, number: number): string {
  return `${EXPORTS_PREFIX}${id}/${run}-${starts}-${number}`
}

/** The columns with the names of a photo's renditions, from the narrowest to the widest. */
export const RENDITION_COLUMNS = ['small', 'thumbnail', 'medium', 'preview'] as const

export type RenditionNames = Pick<Photo, (typeof RENDITION_COLUMNS)[number]>

/** Selects what `objectKeysOf` needs. */
export const OBJECT_NAMES = { filename: true, small: true, thumbnail: true, medium: true, preview: true } as const

/** The keys of all objects of a photo. */
export function objectKeysOf(photo: RenditionNames & Pick<Photo, 'filename'>): string[] {
  const renditions = RENDITION_COLUMNS.map((column) => photo[column]).filter((name) => name !== null)
  return [originalKey(photo.filename), ...renditions.map(renditionKey)]
}

/** The keys of all objects of a print image. Until an upload is rendered, its original is one of them. */
export function objectKeysOfPrintImage({ id, source }: Pick<PrintImage, 'id' | 'source'>): string[] {
  return source === null ? [printImageKey(id)] : [printImageKey(id), originalKey(source)]
}

/** The file names or ids under which a photo or a print image can refer to the object. */
export function possibleNames(key: string): string[] {
  const name = key.slice(key.lastIndexOf('/') + 1)
  return key.startsWith(ORIGINALS_PREFIX) ? FORMATS.map((format) => `${name}.${format}`) : [name]
}

/** Whether the store holds the photo's complete original. */
export async function hasOriginal(store: ObjectStore, photo: Pick<Photo, 'filename' | 'filesize'>): Promise<boolean> {
  const head = await store.head(originalKey(photo.filename))
  return head?.size === photo.filesize
}

/** The format of an original, by its file name. */
export function formatOf(filename: string): Format {
  const format = FORMATS.find((one) => filename.endsWith(`.${one}`))
  if (!format) throw new TypeError(`not the name of an original: ${filename}`)
  return format
}

/** The media type of an original or a rendition, by its file name. */
export function mediaTypeOf(name: string): string {
  return name.endsWith('.webp') ? 'image/webp' : UPLOAD_FORMATS[formatOf(name)].mediaType
}
