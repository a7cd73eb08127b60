import { MAX_LATITUDE, offset, type Position } from './mercator.ts'

/** Where a camera was and where it looked. Angles in degrees. */
export interface Pose extends Position {
  /** Metres above the ground; drones tell the height above their take-off. */
  height: number
  /** Clockwise from north. */
  yaw: number
  /** Above the horizon; -90 looks straight down. */
  pitch: number
  /** Clockwise, as seen from behind the camera. */
  roll: number
}

/** The angles that a picture covers, in degrees. */
export interface FieldOfView {
  horizontal: number
  vertical: number
}

export interface Footprint {
  /** The outline in order around it: four corners, or more or less where it is cut off. */
  outline: Position[]
  /** Ground farther than `MAX_DISTANCE` was left out. */
  isCut: boolean
}

/** Ground farther than this is left out, in metres: on its way there, the assumption of flat ground has failed. */
export const MAX_DISTANCE = 1000

/** East, north, up. */
type Vector = readonly [number, number, number]

const RADIANS = Math.PI / 180

/**
 * The ground that a camera saw, on flat ground at the height of take-off; null where there is none: at or below that
 * height, or with the middle of the picture above the horizon.
 *
 * The pinhole model of photogrammetry (collinearity equations, for example Wolf, Dewitt and Wilkinson, 'Elements of
 * Photogrammetry', chapter 'Tilted photographs'; DJI describes the angles in its Mobile SDK as yaw about the vertical,
 * then pitch, then roll). With yaw ψ and pitch θ the camera looks along
 * f = (cos θ sin ψ, cos θ cos ψ, sin θ); its right is r = (cos ψ, -sin ψ, 0), its top u = r × f; roll φ turns them to
 * r' = r cos φ - u sin φ and u' = u cos φ + r sin φ. The ray of a corner is d = f ± tan(h/2) r' ± tan(v/2) u' for
 * the fields of view h and v, and meets the ground at height H below the camera after t = -H / d_up. The four rays
 * are cut by the planes of a box with its middle below the camera and sides `MAX_DISTANCE` away, which are linear in d; so rays at and
 * above the horizon need no care.
 */
export function groundFootprint(pose: Pose, view: FieldOfView): Footprint | null {
  const { height, pitch, latitude } = pose
  if (!(height > 0) || pitch > 0 || Math.abs(latitude) > MAX_LATITUDE) return null
  const corners = cornerRays(pose, view)
  const sides = sidesOf(pose.yaw, height)
  const rays = sides.reduce(cutBy, corners)
  if (rays.length < 3) return null
  return {
    outline: rays.map(([east, north, up]) => offset(pose, (east * height) / -up, (north * height) / -up)),
    isCut: corners.some((ray) => sides.some((inside) => inside(ray) < 0)),
  }
}

/** The rays of the picture's corners: top left, top right, bottom right, bottom left. */
function cornerRays({ yaw, pitch, roll }: Pose, view: FieldOfView): Vector[] {
  const [sinYaw, cosYaw] = sinAndCos(yaw)
  const [sinPitch, cosPitch] = sinAndCos(pitch)
  const [sinRoll, cosRoll] = sinAndCos(roll)
  const forward: Vector = [cosPitch * sinYaw, cosPitch * cosYaw, sinPitch]
  const right: Vector = [cosYaw, -sinYaw, 0]
  const top: Vector = [-sinPitch * sinYaw, -sinPitch * cosYaw, cosPitch]
  const across = Math.tan((view.horizontal / 2) * RADIANS)
  const along = Math.tan((view.vertical / 2) * RADIANS)
  return [
    [-across, along],
    [across, along],
    [across, -along],
    [-across, -along],
  ].map(([x = 0, y = 0]) => {
    const [a, b] = [x * cosRoll + y * sinRoll, y * cosRoll - x * sinRoll]
    return [0, 1, 2].map(
      (axis) => (forward[axis] ?? 0) + a * (right[axis] ?? 0) + b * (top[axis] ?? 0),
    ) as unknown as Vector
  })
}

type Side = (ray: Vector) => number

/** The sides of the box of ground that is shown, along and across the heading: positive for rays that end inside. */
function sidesOf(yaw: number, height: number): Side[] {
  const [sin, cos] = sinAndCos(yaw)
  const directions = [
    [sin, cos],
    [-sin, -cos],
    [cos, -sin],
    [-cos, sin],
  ]
  return directions.map(
    ([east = 0, north = 0]) =>
      (ray) =>
        -ray[2] * MAX_DISTANCE - height * (ray[0] * east + ray[1] * north),
  )
}

/** The rays that end inside (Sutherland and Hodgman); where the outline crosses the side, there is a new one. */
function cutBy(rays: Vector[], inside: Side): Vector[] {
  return rays.flatMap((ray, index) => {
    const before = rays.at(index - 1) as Vector
    const [now, last] = [inside(ray), inside(before)]
    const crossing = now >= 0 === last >= 0 ? [] : [between(before, ray, last / (last - now))]
    return now >= 0 ? [...crossing, ray] : crossing
  })
}

function between(from: Vector, to: Vector, part: number): Vector {
  return from.map((value, axis) => value + ((to[axis] ?? 0) - value) * part) as unknown as Vector
}

function sinAndCos(degrees: number): [number, number] {
  return [Math.sin(degrees * RADIANS), Math.cos(degrees * RADIANS)]
}
