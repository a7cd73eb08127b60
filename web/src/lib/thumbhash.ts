import { thumbHashToRGBA } from 'thumbhash'

/** Decodes a base64 thumbhash into pixels; null when it is not one. */
export function thumbhashPixels(thumbhash: string): ImageData | null {
  try {
    const bytes = Uint8Array.from(atob(thumbhash), (character) => character.charCodeAt(0))
    const { w, h, rgba } = thumbHashToRGBA(bytes)
    return new ImageData(new Uint8ClampedArray(rgba), w, h)
  } catch {
    return null
  }
}
