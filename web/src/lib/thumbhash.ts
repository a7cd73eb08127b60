import { thumbHashToRGBA } from 'thumbhash'

/** Decodes a base64 thumbhash into pixels; null if it is invalid. */
export function thumbhashPixels(thumbhash: string): ImageData | null {
  try {
    const bytes = Uint8Array.from(atob(thumbhash), (character) => character.charCodeAt(0))
    const { w, h, rgba } = thumbHashToRGBA(bytes)
    return new ImageData(new Uint8ClampedArray(rgba), w, h)
  } catch {
    return null
  }
}
