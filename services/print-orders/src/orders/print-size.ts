/** Pixels of a print. */
export interface PrintSize {
  shortSide: number
  longSide: number
}

const DPI = 300
const INCHES = /^\D{0,3}?(\d{1,3}(?:\.\d{1,3})?)\s*(?:"|”|in\.?)?\s*[x×]\s*(\d{1,3}(?:\.\d{1,3})?)/i
/** The longest side that media renders. */
const LONG_SIDE_MAX = 12_000

interface SizedProduct {
  productSize: string | null
  resWidth: string | null
  resHeight: string | null
}

/**
 * The pixels that a product is rendered with: its inches at 300 dpi, else the partner's own figures, reduced in proportion
 * to the longest side that can be rendered. Null without either.
 */
export function printSizeOf({ productSize, resWidth, resHeight }: SizedProduct): PrintSize | null {
  const [, width, height] = INCHES.exec(productSize?.trim() ?? '') ?? []
  return toSize(Number(width) * DPI, Number(height) * DPI) ?? toSize(Number(resWidth), Number(resHeight))
}

function toSize(width: number, height: number): PrintSize | null {
  const [shortSide = 0, longSide = 0] = [Math.round(width), Math.round(height)].sort((a, b) => a - b)
  if (!(shortSide >= 1 && longSide < Infinity)) return null
  const scale = Math.min(1, LONG_SIDE_MAX / longSide)
  return { shortSide: Math.max(1, Math.round(shortSide * scale)), longSide: Math.round(longSide * scale) }
}
