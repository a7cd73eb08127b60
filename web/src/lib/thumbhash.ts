import { thumbHashToDataURL } from 'thumbhash'

/** The picture of a base64 thumbhash as a data URL; null if the thumbhash is invalid. */
export function thumbhashUrl(thumbhash: string): string | null {
  try {
    return thumbHashToDataURL(Uint8Array.from(atob(thumbhash), (character) => character.charCodeAt(0)))
  } catch {
    return null
  }
}
