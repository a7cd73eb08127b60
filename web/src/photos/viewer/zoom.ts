export interface Size {
  width: number
  height: number
}

/** Pixels from the centre of the box. */
export interface Point {
  x: number
  y: number
}

/** The view of a picture in its box: scale 1 shows it whole; `x` and `y` move its centre, in pixels. */
export interface View extends Point {
  scale: number
}

export const INITIAL_VIEW: View = { scale: 1, x: 0, y: 0 }

/** Bounds of the maximum scale. */
const MIN_ENLARGEMENT = 2
const MAX_ENLARGEMENT = 32
/** At most this many screen pixels for one pixel of the photo. */
const SCREEN_PIXELS_PER_PIXEL = 2

/** The size of a picture that is shown whole in a box. */
export function fitInto(box: Size, picture: Size): Size {
  const scale = Math.min(box.width / picture.width, box.height / picture.height)
  return { width: picture.width * scale, height: picture.height * scale }
}

/** The maximum scale of a picture that is `fitted` at scale 1: more would show no further details. */
export function maxScale(fitted: Size, picture: Size, pixelRatio: number): number {
  const full = (picture.width * SCREEN_PIXELS_PER_PIXEL) / (fitted.width * pixelRatio)
  return clamp(full || 0, MIN_ENLARGEMENT, MAX_ENLARGEMENT)
}

/** The view of a wide picture that is as high as its box. */
export function fillingView(box: Size, fitted: Size): View {
  return { scale: Math.max(1, box.height / fitted.height), x: 0, y: 0 }
}

/** The view with its scale within bounds, and without a gap between the picture's and the box's edges. */
export function clampView({ scale, x, y }: View, box: Size, fitted: Size, largest: number): View {
  const allowed = clamp(scale, 1, largest)
  const reachX = Math.max(0, (fitted.width * allowed - box.width) / 2)
  const reachY = Math.max(0, (fitted.height * allowed - box.height) / 2)
  return { scale: allowed, x: clamp(x, -reachX, reachX), y: clamp(y, -reachY, reachY) }
}

/** The view at another scale; the content at the point stays there. */
export function zoomAround(view: View, scale: number, at: Point): View {
  const factor = scale / view.scale
  return { scale, x: at.x - (at.x - view.x) * factor, y: at.y - (at.y - view.y) * factor }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most) + 0 // Never a negative zero.
}
