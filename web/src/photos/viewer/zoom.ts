export interface Size {
  width: number
  height: number
}

/** Pixels from the centre of the box. */
export interface Point {
  x: number
  y: number
}

/** How a picture lies in its box: at scale 1 it is whole; `x` and `y` are what its centre is moved by, in pixels. */
export interface View extends Point {
  scale: number
}

export const INITIAL_VIEW: View = { scale: 1, x: 0, y: 0 }

/** Every picture can be enlarged so far, and none farther than the last. */
const MIN_ENLARGEMENT = 2
const MAX_ENLARGEMENT = 32
/** Pixels of the screen for one of the photo, at most. */
const SCREEN_PIXELS_PER_PIXEL = 2

/** The size of a picture that is shown whole in a box. */
export function fitInto(box: Size, picture: Size): Size {
  const scale = Math.min(box.width / picture.width, box.height / picture.height)
  return { width: picture.width * scale, height: picture.height * scale }
}

/** How far a picture that is `fitted` at scale 1 can be enlarged: beyond its own pixels there is nothing to see. */
export function maxScale(fitted: Size, picture: Size, pixelRatio: number): number {
  const full = (picture.width * SCREEN_PIXELS_PER_PIXEL) / (fitted.width * pixelRatio)
  return clamp(full || 0, MIN_ENLARGEMENT, MAX_ENLARGEMENT)
}

/** The view with its scale between whole and the largest, and the picture's edges not inside the box's. */
export function clampView({ scale, x, y }: View, box: Size, fitted: Size, largest: number): View {
  const allowed = clamp(scale, 1, largest)
  const reachX = Math.max(0, (fitted.width * allowed - box.width) / 2)
  const reachY = Math.max(0, (fitted.height * allowed - box.height) / 2)
  return { scale: allowed, x: clamp(x, -reachX, reachX), y: clamp(y, -reachY, reachY) }
}

/** The view at another scale; what lies at the point stays there. */
export function zoomAround(view: View, scale: number, at: Point): View {
  const factor = scale / view.scale
  return { scale, x: at.x - (at.x - view.x) * factor, y: at.y - (at.y - view.y) * factor }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most) + 0 // Never a negative zero.
}
