import { offset, type Position } from '../../lib/geography.ts'
import { type CameraPhoto, cameraView, MAX_DISTANCE, type Pose, pictureRays, type Vector } from '../camera-view.ts'

/** Flatter pictures show next to nothing of the ground that a map could show; degrees from straight down. */
const MAX_TILT = 75
/** Ground farther than so many heights is cut off: a pixel of it is smeared over metres. Nearer ground is drawn however high a camera was. */
const [MIN_HEIGHTS, MAX_HEIGHTS] = [2, 6]

export type Side = 'top' | 'right' | 'bottom' | 'left'

/** A point in a picture: fractions of its width from the left and of its height from the top. */
type Place = readonly [x: number, y: number]

/** How a picture lies on the ground. */
export interface GroundPicture {
  /** Of the camera. */
  position: Position
  /**
   * Takes (x, y, 1) of a place in the picture to homogeneous (east, north, w): east / w and north / w are metres from the place below
   * the camera. Row by row; w is positive on the ground.
   */
  matrix: readonly [east: Vector, north: Vector, w: Vector]
  /** The side towards the far ground, and the part of the picture that is cut off there. */
  far: { side: Side; cut: number }
  /** Degrees of the camera from straight down. */
  tilt: number
}

/** How a photo lies on the ground; without a picture the reason, as a sentence for the user. */
export function groundPicture(photo: CameraPhoto): GroundPicture | { reason: string } {
  const { pose, fieldOfView, reason } = cameraView(photo)
  if (!pose || !fieldOfView) return { reason: reason ?? '' }
  const tilt = Math.abs(90 + pose.pitch)
  if (tilt > MAX_TILT) return { reason: 'The camera looked too far ahead' }
  const { origin, across, down } = pictureRays(pose, fieldOfView)
  const row = (axis: 0 | 1 | 2, factor: number): Vector => [
    across[axis] * factor,
    down[axis] * factor,
    origin[axis] * factor,
  ]
  const matrix = [row(0, pose.height), row(1, pose.height), row(2, -1)] as const
  const far = cutFarGround(matrix, pose)
  if (!far) return { reason: 'The ground in the picture is too far away' }
  return { position: pose, matrix, far, tilt }
}

/** The way to a place of the picture from the place below the camera, in metres; null above the horizon. */
function metresTo(matrix: GroundPicture['matrix'], place: Place) {
  const [east, north, w] = applyMatrix(matrix, place)
  return w > 0 ? { east: east / w, north: north / w } : null
}

/** A place of the picture in homogeneous coordinates. */
export function applyMatrix([first, second, third]: GroundPicture['matrix'], [x, y]: Place): Vector {
  const apply = (row: Vector) => row[0] * x + row[1] * y + row[2]
  return [apply(first), apply(second), apply(third)]
}

/** Steps of halving: finer than a pixel. */
const STEPS = 14

/** Cuts the side towards the horizon until no ground is too far away; null when it is on the opposite side, too. */
function cutFarGround(matrix: GroundPicture['matrix'], { height }: Pose): GroundPicture['far'] | null {
  const limit = Math.max(MIN_HEIGHTS * height, Math.min(MAX_DISTANCE, MAX_HEIGHTS * height))
  const [rightwards, downwards] = matrix[2]
  const isAlong = Math.abs(downwards) >= Math.abs(rightwards)
  const side = isAlong ? (downwards >= 0 ? 'top' : 'bottom') : rightwards >= 0 ? 'left' : 'right'
  const isWithin = (cut: number) =>
    cornersWithin({ side, cut }).every((corner) => {
      const metres = metresTo(matrix, corner)
      return metres !== null && Math.hypot(metres.east, metres.north) <= limit
    })
  if (isWithin(0)) return { side, cut: 0 }
  let [tooFar, near] = [0, 1]
  if (!isWithin(near)) return null
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (tooFar + near) / 2
    if (isWithin(middle)) near = middle
    else tooFar = middle
  }
  return { side, cut: near }
}

/** The corners of the part that is left: top left, top right, bottom right, bottom left. */
export function cornersWithin({ side, cut }: GroundPicture['far']): [Place, Place, Place, Place] {
  const [left, right] = [side === 'left' ? cut : 0, side === 'right' ? 1 - cut : 1]
  const [top, bottom] = [side === 'top' ? cut : 0, side === 'bottom' ? 1 - cut : 1]
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ]
}

/** Where a place of the picture is on the ground. The longitude may be beyond ±180. */
export function positionIn({ matrix, position }: GroundPicture, place: Place): Position {
  const { east, north } = metresTo(matrix, place) ?? { east: 0, north: 0 }
  return offset(position, east, north)
}

/** Where the corners of the part that is left are: top left, top right, bottom right, bottom left. */
export function groundCorners(picture: GroundPicture): Position[] {
  return cornersWithin(picture.far).map((corner) => positionIn(picture, corner))
}

/** What decides which of two pictures covers the other. */
export interface Drawn {
  tilt: number
  /** By the camera's clock; ISO 8601. */
  takenAt: string | null
  id: number
}

/** Pictures whose tilts differ by less are alike, in degrees. */
const TILT_CLASS = 15

/** Sorts pictures from the lowest to the uppermost: newer over older, but nearer to straight down over oblique. */
export function drawingOrder(one: Drawn, other: Drawn): number {
  const classOf = ({ tilt }: Drawn) => Math.floor(tilt / TILT_CLASS)
  const [at, otherAt] = [one.takenAt ?? '', other.takenAt ?? '']
  return classOf(other) - classOf(one) || Number(at > otherAt) - Number(at < otherAt) || one.id - other.id
}
