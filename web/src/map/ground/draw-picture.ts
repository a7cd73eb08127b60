import { sum } from '../camera-view.ts'
import { applyMatrix, cornersWithin, type GroundPicture } from './ground-picture.ts'

// Leaflet is not imported here: a worker draws.

export interface Point {
  x: number
  y: number
}

interface Rectangle {
  left: number
  top: number
  right: number
  bottom: number
}

/** A picture in pixels of the canvas. */
export interface PlacedPicture {
  /** Takes (x, y, 1) of a place in the picture to homogeneous pixels. */
  matrix: GroundPicture['matrix']
  /** What is left of the picture, as fractions of its width and height. */
  part: Rectangle
  /** Of what is left, in order around it. */
  corners: readonly Point[]
  /** Where it fades: around the place below the camera; null: nowhere. */
  fading: { center: Point; from: number; to: number } | null
}

/** Pictures whose camera looked more obliquely fade towards the far ground, in degrees from straight down. */
const MIN_FADING_TILT = 20
/** Where that begins, between the nearest and the farthest ground. */
const FADING_FROM = 0.5

/** Places a picture: `camera` is the point below its camera. */
export function placePicture(picture: GroundPicture, camera: Point, pixelsPerMetre: number): PlacedPicture {
  const [east, north, w] = picture.matrix
  const x = sum([pixelsPerMetre, east], [camera.x, w])
  const y = sum([-pixelsPerMetre, north], [camera.y, w])
  const matrix = [x, y, w] as const
  const places = cornersWithin(picture.far)
  const [[left, top], , [right, bottom]] = places
  const corners = places.map(([x, y]) => pointAt(matrix, x, y))
  const ways = corners.map((corner) => distance(corner, camera))
  const [near, far] = [Math.min(...ways), Math.max(...ways)]
  const isFading = picture.tilt >= MIN_FADING_TILT
  return {
    matrix,
    part: { left, top, right, bottom },
    corners,
    fading: isFading ? { center: camera, from: near + (far - near) * FADING_FROM, to: far } : null,
  }
}

function pointAt(matrix: PlacedPicture['matrix'], x: number, y: number): Point {
  const [pixelsX, pixelsY, w] = applyMatrix(matrix, [x, y])
  return { x: pixelsX / w, y: pixelsY / w }
}

export function distance(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y)
}

/** The smallest rectangle around points. */
export function boundsOf(points: readonly Point[]): Rectangle {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)]
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) }
}

/** Draws pictures, the lowest first. */
export function drawPictures(
  canvas: OffscreenCanvas,
  pictures: readonly { placed: PlacedPicture; bitmap: ImageBitmap }[],
): void {
  const context = canvas.getContext('2d')
  if (!context) return
  // One that fades is drawn beside the others first: on their canvas it would take away what is below it.
  let scratch: OffscreenCanvas | undefined
  for (const { placed, bitmap } of pictures) {
    if (!placed.fading) {
      drawPart(context, bitmap, placed, placed.part)
      continue
    }
    scratch ??= new OffscreenCanvas(canvas.width, canvas.height)
    const { left, top, right, bottom } = boundsWithin(placed.corners, canvas)
    const box = [left, top, right - left, bottom - top] as const
    if (right <= left || bottom <= top) continue
    drawFading(scratch, bitmap, placed, { ...placed.fading, box })
    context.resetTransform()
    context.drawImage(scratch, ...box, ...box)
  }
}

type Box = readonly [left: number, top: number, width: number, height: number]

/** In whole pixels. */
function boundsWithin(corners: readonly Point[], { width, height }: { width: number; height: number }): Rectangle {
  const { left, top, right, bottom } = boundsOf(corners)
  return {
    left: Math.max(0, Math.floor(left)),
    top: Math.max(0, Math.floor(top)),
    right: Math.min(width, Math.ceil(right)),
    bottom: Math.min(height, Math.ceil(bottom)),
  }
}

type Context = OffscreenCanvasRenderingContext2D

function drawFading(
  scratch: OffscreenCanvas,
  bitmap: ImageBitmap,
  placed: PlacedPicture,
  { center, from, to, box }: NonNullable<PlacedPicture['fading']> & { box: Box },
): void {
  const context = scratch.getContext('2d')
  if (!context) return
  context.globalCompositeOperation = 'source-over'
  context.resetTransform()
  context.clearRect(...box)
  drawPart(context, bitmap, placed, placed.part)
  const gradient = context.createRadialGradient(center.x, center.y, from, center.x, center.y, to)
  gradient.addColorStop(0, '#000')
  gradient.addColorStop(1, '#0000')
  context.resetTransform()
  context.globalCompositeOperation = 'destination-in'
  context.fillStyle = gradient
  context.fillRect(...box)
}

/** Errors that nobody sees, in pixels. */
const MAX_ERROR = 0.5
/** Smaller parts of a picture are not divided, as fractions of it. */
const SMALLEST = 1 / 1024
/** Parts overlap so far that no gap is between them, in pixels. */
const OVERLAP = 1.5

/** Draws a part of a picture by the affine transform that is nearest to its perspective; where that is not near enough, in halves. */
function drawPart(context: Context, bitmap: ImageBitmap, placed: PlacedPicture, part: Rectangle): void {
  const { left, top, right, bottom } = part
  const { matrix } = placed
  const corners = [
    pointAt(matrix, left, top),
    pointAt(matrix, right, top),
    pointAt(matrix, right, bottom),
    pointAt(matrix, left, bottom),
  ] as const
  if (!meets(boundsOf(corners), context.canvas)) return
  const [topLeft, topRight, bottomRight, bottomLeft] = corners
  const combine = (a: number, b: number, c: number, d: number): Point => ({
    x: a * topLeft.x + b * topRight.x + c * bottomRight.x + d * bottomLeft.x,
    y: a * topLeft.y + b * topRight.y + c * bottomRight.y + d * bottomLeft.y,
  })
  const skew = combine(0.25, -0.25, 0.25, -0.25)
  const middle = combine(0.25, 0.25, 0.25, 0.25)
  const bend = distance(middle, pointAt(matrix, (left + right) / 2, (top + bottom) / 2))
  const [width, height] = [right - left, bottom - top]
  // It is halved along the side on which its ground comes nearer.
  const isAcross = Math.abs(matrix[2][0]) * width > Math.abs(matrix[2][1]) * height
  if (Math.max(Math.hypot(skew.x, skew.y), bend) > MAX_ERROR && (isAcross ? width : height) > SMALLEST) {
    const [x, y] = [left + width / 2, top + height / 2]
    drawPart(context, bitmap, placed, isAcross ? { ...part, right: x } : { ...part, bottom: y })
    drawPart(context, bitmap, placed, isAcross ? { ...part, left: x } : { ...part, top: y })
    return
  }
  const [pixelsAcross, pixelsDown] = [width * bitmap.width, height * bitmap.height]
  const across = combine(-0.5, 0.5, 0.5, -0.5)
  const down = combine(-0.5, -0.5, 0.5, 0.5)
  context.setTransform(
    across.x / pixelsAcross,
    across.y / pixelsAcross,
    down.x / pixelsDown,
    down.y / pixelsDown,
    topLeft.x - skew.x,
    topLeft.y - skew.y,
  )
  const [x, y] = [left * bitmap.width, top * bitmap.height]
  const more = (pixels: number, way: Point) => pixels * (1 + OVERLAP / Math.max(Math.hypot(way.x, way.y), OVERLAP))
  const drawnWidth = Math.min(more(pixelsAcross, across), bitmap.width - x)
  const drawnHeight = Math.min(more(pixelsDown, down), bitmap.height - y)
  context.drawImage(bitmap, x, y, drawnWidth, drawnHeight, 0, 0, drawnWidth, drawnHeight)
}

/** Whether a box is on a canvas, at least in part. */
export function meets({ left, top, right, bottom }: Rectangle, size: { width: number; height: number }): boolean {
  return right > 0 && bottom > 0 && left < size.width && top < size.height
}
