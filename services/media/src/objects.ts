import { randomBytes } from 'node:crypto'
import type { Photo } from './generated/client.ts'

/** 128 random bits as hex, and the true extension. Hex never begins with the `p-` of print orders' images. */
export function newName(extension: 'jpg' | 'webp'): string {
  return `${randomBytes(16).toString('hex')}.${extension}`
}

export const NAME = /^[0-9a-f]{32}\.(jpg|webp)$/

export const ORIGINALS = 'originals/'
export const RENDITIONS = 'renditions/'

/** Where the store keeps the original of this name. */
export function originalKey(filename: string): string {
  return ORIGINALS + filename
}

/** Where the store keeps the rendition of this name. */
export function renditionKey(name: string): string {
  return RENDITIONS + name
}

/** The keys of all objects that belong to a photo. */
export function keysOf(photo: Pick<Photo, 'filename' | 'thumbnail' | 'preview'>): string[] {
  const renditions = [photo.thumbnail, photo.preview].filter((name) => name !== null)
  return [originalKey(photo.filename), ...renditions.map(renditionKey)]
}

/** The type that belongs to a name that `newName` made. */
export function contentType(name: string): string {
  return name.endsWith('.webp') ? 'image/webp' : 'image/jpeg'
}
