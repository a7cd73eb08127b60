import { randomBytes } from 'node:crypto'
import { type Format, UPLOAD_FORMATS } from '@skyfolio/proto'
import type { Photo } from '../generated/client.ts'

const FORMATS = Object.keys(UPLOAD_FORMATS) as Format[]

/** 128 random bits as hex. Hex never begins with the `p-` of print orders' images. */
export function newId(): string {
  return randomBytes(16).toString('hex')
}

/** A name for a new rendition. */
export function newName(extension: 'webp'): string {
  return `${newId()}.${extension}`
}

/** The names of originals, whose extension is the true format, and of renditions. */
export const NAME = new RegExp(`^[0-9a-f]{32}\\.(${[...FORMATS, 'webp'].join('|')})$`)

export const ORIGINALS = 'originals/'
export const RENDITIONS = 'renditions/'

function withoutExtension(name: string): string {
  return name.replace(/\.[a-z]+$/, '')
}

/** Where the store keeps the original of this name or id: a key has no extension, since it is older than the format. */
export function originalKey(filename: string): string {
  return ORIGINALS + withoutExtension(filename)
}

/** Where the store keeps the rendition of this name. */
export function renditionKey(name: string): string {
  return RENDITIONS + name
}

/** The names under which photos may know the object of this key. */
export function namesOf(key: string): string[] {
  const name = key.slice(key.lastIndexOf('/') + 1)
  return key.startsWith(ORIGINALS) ? FORMATS.map((format) => `${name}.${format}`) : [name]
}

/** The keys of all objects that belong to a photo. */
export function keysOf(photo: Pick<Photo, 'filename' | 'thumbnail' | 'preview'>): string[] {
  const renditions = [photo.thumbnail, photo.preview].filter((name) => name !== null)
  return [originalKey(photo.filename), ...renditions.map(renditionKey)]
}

/** The format of an original by its name. */
export function formatOf(filename: string): Format {
  const format = FORMATS.find((one) => filename.endsWith(`.${one}`))
  if (!format) throw new TypeError(`not the name of an original: ${filename}`)
  return format
}

/** The media type that belongs to the name of an original or a rendition. */
export function contentType(name: string): string {
  return name.endsWith('.webp') ? 'image/webp' : UPLOAD_FORMATS[formatOf(name)].mediaType
}
