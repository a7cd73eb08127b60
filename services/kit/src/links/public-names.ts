import { timingSafeEqual } from 'node:crypto'
import { mac } from '../http/identity.ts'

export type PictureKind = 'original' | 'small' | 'thumbnail' | 'medium' | 'preview' | 'card'

/** The pixels of a card: the picture of a public folder in previews of its link, a JPEG. */
export const CARD = { width: 1200, height: 630 } as const

/** What a public name says: it opens this picture of the photo while it is in this folder with this link. */
export interface PublicName {
  photoId: number
  folderId: number
  /** The folder's link revision when the name was made. */
  linkRevision: number
  kind: PictureKind
  /** Of the file: the true format of an original, `webp` of a rendition, `jpg` of a card. */
  extension: string
}

export interface PublicNames {
  /** The file name under which visitors get the picture. */
  sign(name: PublicName): string
  /** Null for a name that is forged or malformed. */
  verify(text: string): PublicName | null
  /** The entity tag of a file under a name of its photo: it changes with the stored name, and does not show it. */
  entityTag(name: string, storedName: string): string
}

/** Distinguishes public names from those of stored files, which are hex, and of print images. */
const PREFIX = 's-'
const NAME = /^s-([0-9a-z]{1,6})-([0-9a-z]{1,6})-([0-9a-z]{1,6})-([ostmpc])-([\w-]{22})\.([a-z]{3,4})$/
const LETTERS = { original: 'o', small: 's', thumbnail: 't', medium: 'm', preview: 'p', card: 'c' } as const
const KINDS = new Map(Object.entries(LETTERS).map(([kind, letter]) => [letter as string, kind as PictureKind]))
/** 128 bits: guessing takes 2^127 requests on average. */
const MAC_BYTES = 16

/** Whether a file name is meant as a public name, valid or not. */
export function isPublicName(text: string): boolean {
  return text.startsWith(PREFIX)
}

/**
 * Public names of pictures: what they open is text, followed by its MAC, so they are verified without a query. The first
 * key signs, all verify.
 */
export function createPublicNames(keys: string[]): PublicNames {
  const [first] = keys
  if (first === undefined) throw new Error('No key for links is configured')
  return {
    sign(name) {
      const signed = signedText(name)
      return `${PREFIX}${signed}-${signatureOf(signed, name.extension, first)}.${name.extension}`
    },
    verify(text) {
      const [, photo, folder, revision, letter, signature, extension] = NAME.exec(text) ?? []
      if (!photo || !folder || !revision || !letter || !signature || !extension) return null
      const [photoId, folderId, linkRevision] = [photo, folder, revision].map((part) => Number.parseInt(part, 36))
      const name = { photoId, folderId, linkRevision, kind: KINDS.get(letter), extension } as PublicName
      // Compared as text, and what is signed is made anew: several texts decode to the same numbers or bytes.
      const signed = signedText(name)
      if (!text.startsWith(`${PREFIX}${signed}-`)) return null
      const given = Buffer.from(signature)
      const isGenuine = keys.some((key) => timingSafeEqual(given, Buffer.from(signatureOf(signed, extension, key))))
      return isGenuine ? name : null
    },
    entityTag(name, storedName) {
      return `"${mac('entity-tag', `${name}/${storedName}`, first).subarray(0, MAC_BYTES).toString('base64url')}"`
    },
  }
}

function signedText({ photoId, folderId, linkRevision, kind }: PublicName): string {
  return `${photoId.toString(36)}-${folderId.toString(36)}-${linkRevision.toString(36)}-${LETTERS[kind]}`
}

function signatureOf(signed: string, extension: string, key: string): string {
  return mac('public-name', `${signed}.${extension}`, key).subarray(0, MAC_BYTES).toString('base64url')
}
