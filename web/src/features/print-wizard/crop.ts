import type { Crop, PrintProduct } from '../../api/print-orders.ts'

export interface Dimensions {
  width: number
  height: number
}

/** The size of a print in inches. */
export interface PrintSize {
  short: number
  long: number
}

/** Below this resolution a print may look soft. */
export const GOOD_DPI = 200
export const MAX_ZOOM = 4
/** Fractions are sent with this precision: a thousandth of a pixel. */
const PRECISION = 1e7

/** '4x6', '8"x10"': the server renders prints by the same rule. */
const INCHES = /^\D{0,3}?(\d{1,3}(?:\.\d{1,3})?)\s*(?:"|”|in\.?)?\s*[x×]\s*(\d{1,3}(?:\.\d{1,3})?)/i
const PRINT_DPI = 300

type Sized = Pick<PrintProduct, 'productSize' | 'resWidth' | 'resHeight'>

/** The size of a product's print, from '4x6' or else from its pixels; null if neither is known. */
export function printSizeOf({ productSize, resWidth, resHeight }: Sized): PrintSize | null {
  const [, width, height] = INCHES.exec(productSize?.trim() ?? '') ?? []
  return toSize(Number(width) * PRINT_DPI, Number(height) * PRINT_DPI) ?? toSize(Number(resWidth), Number(resHeight))
}

function toSize(width: number, height: number): PrintSize | null {
  const [short = 0, long = 0] = [Math.round(width), Math.round(height)].sort((a, b) => a - b)
  return short >= 1 ? { short: short / PRINT_DPI, long: long / PRINT_DPI } : null
}

const clamp = (value: number, max: number) => Math.min(Math.max(0, value), max)
const round = (value: number) => Math.round(value * PRECISION) / PRECISION

/** A crop of this size around a centre, moved inside the picture. */
function cropAround(width: number, height: number, centre: { x: number; y: number }): Crop {
  const [w, h] = [Math.min(1, round(width)), Math.min(1, round(height))]
  return placed({ x: centre.x - w / 2, y: centre.y - h / 2, width: w, height: h })
}

/** The crop with its corner moved inside the picture and rounded so that it never leaves it. */
function placed(crop: Crop): Crop {
  const inside = (corner: number, max: number) => clamp(round(clamp(corner, max)), max)
  return { ...crop, x: inside(crop.x, 1 - crop.width), y: inside(crop.y, 1 - crop.height) }
}

const centreOf = (crop: Crop) => ({ x: crop.x + crop.width / 2, y: crop.y + crop.height / 2 })

/** The largest crop of a print, in fractions of the picture. */
function largest(picture: Dimensions, size: PrintSize, landscape: boolean): { width: number; height: number } {
  const ratio = landscape ? size.long / size.short : size.short / size.long
  const relative = ratio / (picture.width / picture.height)
  return relative >= 1 ? { width: 1, height: 1 / relative } : { width: relative, height: 1 }
}

/** The crop without a choice: the largest part in the middle, the print turned like the picture. */
export function defaultCrop(picture: Dimensions, size: PrintSize): Crop {
  const { width, height } = largest(picture, size, picture.width >= picture.height)
  return cropAround(width, height, { x: 0.5, y: 0.5 })
}

/** True when the print lies on its long side. */
export function isLandscape(crop: Crop, picture: Dimensions): boolean {
  return crop.width * picture.width >= crop.height * picture.height
}

/** The crop moved by fractions of the picture; it stays inside. */
export function moveCrop(crop: Crop, dx: number, dy: number): Crop {
  return placed({ ...crop, x: crop.x + dx, y: crop.y + dy })
}

/** How much smaller than the largest crop it is: 1 to MAX_ZOOM. */
export function zoomOf(crop: Crop, picture: Dimensions, size: PrintSize): number {
  return Math.max(1, largest(picture, size, isLandscape(crop, picture)).width / crop.width)
}

/** The crop with another zoom around the same centre. */
export function zoomCrop(crop: Crop, picture: Dimensions, size: PrintSize, zoom: number): Crop {
  const { width, height } = largest(picture, size, isLandscape(crop, picture))
  const factor = Math.min(Math.max(1, zoom), MAX_ZOOM)
  return cropAround(width / factor, height / factor, centreOf(crop))
}

/** The print turned by a quarter: the largest crop around the same centre. */
export function turnCrop(crop: Crop, picture: Dimensions, size: PrintSize): Crop {
  const { width, height } = largest(picture, size, !isLandscape(crop, picture))
  return cropAround(width, height, centreOf(crop))
}

/** The resolution of the print in dots per inch, from the pixels that a print can use. */
export function dpiOf(crop: Crop, source: Dimensions, size: PrintSize): number {
  const [x, y] = isLandscape(crop, source) ? [size.long, size.short] : [size.short, size.long]
  return Math.floor(Math.min((crop.width * source.width) / x, (crop.height * source.height) / y) + 1e-6)
}
