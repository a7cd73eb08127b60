/** Pixels of a print. */
export interface PrintSize {
  shortSide: number
  longSide: number
}

const DPI = 300
const INCHES = /^\D{0,3}?(\d{1,3}(?:\.\d{1,3})?)\s*(?:"|”|in\.?)?\s*[x×]\s*(\d{1,3}(?:\.\d{1,3})?)/i
/** Far above any print; so that a strange size does not request an image that cannot be rendered. */
const PIXELS_MAX = 15_000

interface SizedProduct {
  productSize: string | null
  resWidth: string | null
  resHeight: string | null
}

/** The pixels that a product is rendered with: its inches at 300 dpi, else the partner's own figures; null without either. */
export function printSizeOf({ productSize, resWidth, resHeight }: SizedProduct): PrintSize | null {
  const [, width, height] = INCHES.exec(productSize?.trim() ?? '') ?? []
  return toSize(Number(width) * DPI, Number(height) * DPI) ?? toSize(Number(resWidth), Number(resHeight))
}

function toSize(width: number, height: number): PrintSize | null {
  const [shortSide = 0, longSide = 0] = [Math.round(width), Math.round(height)].sort((a, b) => a - b)
  return shortSide >= 1 && longSide <= PIXELS_MAX ? { shortSide, longSide } : null
}
