import type { PublicPhotoDetails } from '../api/types.ts'
import { MAX_LATITUDE, offset, type Position, positionOf } from '../lib/geography.ts'

/** What is known of a photo and its camera, private or public. */
export type CameraPhoto = Pick<PublicPhotoDetails, 'latitude' | 'longitude' | 'width' | 'height' | 'metadata'> & {
  /** Of a panorama, whose field of view is not that of the lens. */
  projection?: string | null
}

/** Where a photo was taken and what its camera saw, as far as that is known. */
export interface CameraView {
  position: Position | null
  /** Degrees clockwise from north; null for a sphere. */
  heading: number | null
  fieldOfView: FieldOfView | null
  /** Null where the ground in the picture is not known. */
  pose: Pose | null
  footprint: Footprint | null
  /** Why there is no footprint, as a sentence for the user. */
  reason: string | null
}

/** A gimbal levels its camera: without its angle the roll is 0, never the aircraft's. */
const LEVEL = 0
/** A picture that was turned by half shows what a camera would have seen that hangs upside down. */
const UPSIDE_DOWN = 180

export function cameraView(photo: CameraPhoto): CameraView {
  const { heading = null, drone = {}, turned = false } = photo.metadata ?? {}
  const position = positionOf(photo)
  const { projection = null } = photo
  const view = projection === null ? fieldOfView({ ...photo.metadata, ...photo }) : null
  const known = { position, heading, fieldOfView: view, pose: null }
  const { RelativeAltitude: height, GimbalPitchDegree: pitch, GimbalRollDegree: roll = LEVEL } = drone
  const none = (reason: string) => ({ ...known, footprint: null, reason })
  if (!position) return none('No position in this photo')
  if (projection === 'sphere') return { ...none('This picture shows all directions'), heading: null }
  if (projection !== null) return none('A panorama is made of several pictures: the ground in it is not known')
  if (heading === null) return none('No heading in this photo')
  if (height === undefined) return none('No height above take-off in this photo')
  if (pitch === undefined) return none('No camera angle in this photo')
  if (height <= 0) return none('Taken at or below the height of take-off: the ground in the picture is not known')
  if (pitch > 0) return none('The camera looked above the horizon')
  if (!view) return none('The field of view of this camera is not known')
  if (turned && view.vertical > view.horizontal) return none('The picture was turned after it was taken')
  const pose = { ...position, height, yaw: heading, pitch, roll: turned ? roll + UPSIDE_DOWN : roll }
  const footprint = groundFootprint(pose, view)
  if (!footprint) return none('The ground in the picture is too far away')
  return { ...known, pose, footprint, reason: null }
}

/** A sensor's sides in millimetres. */
type Sensor = readonly [width: number, height: number]

// The active areas of the sensors in drones. Those of 1/2.3" and less common sizes are computed from the focal length and the
// '35 mm equivalent' of the maker's data sheet, whose diagonal is 43.27 mm.
const SENSORS = {
  '1/2.3"': [6.25, 4.69],
  '1/2"': [6.4, 4.8],
  '1/1.3"': [9.69, 7.27],
  '1"': [13.2, 8.8],
  '4/3"': [17.3, 13],
  full: [35.9, 24],
} as const satisfies Record<string, Sensor>

/** Sensors by the model in the metadata. Cameras with several lenses, which the model does not tell apart, are absent. */
const MODELS: Record<keyof typeof SENSORS, readonly string[]> = {
  // Phantom 3 and 4, Inspire 1 (X3), Mavic Pro, Spark, Mavic Air, Mavic Mini, Mini 2, Mavic 2 Zoom.
  '1/2.3"': 'FC300C FC300S FC300X FC330 FC350 FC220 FC1102 FC230 FC2103 FC7203 FC7303 FC2204'.split(' '),
  // Mavic Air 2.
  '1/2"': ['FC3170'],
  // Mini 3 Pro, Mini 3, Mini 4 Pro.
  '1/1.3"': 'FC3582 FC3682 FC8482'.split(' '),
  // Phantom 4 Pro and RTK, Inspire 2 (X4S), Mavic 2 Pro, Air 2S, Autel EVO II Pro.
  '1"': 'FC6310 FC6310R FC6310S FC6510 L1D-20c FC3411 XT705'.split(' '),
  // X5, X5R, X5S, Mavic 3.
  '4/3"': 'FC550 FC550RAW FC6520 L2D-20c'.split(' '),
  // Zenmuse P1.
  full: ['ZenmuseP1'],
}

const SENSOR_OF = new Map(
  Object.entries(MODELS).flatMap(([size, models]) =>
    models.map((model) => [model.toUpperCase(), SENSORS[size as keyof typeof SENSORS]] as const),
  ),
)

/** Wider pictures are stitched from several: their field of view is not that of the lens. */
const MAX_ASPECT = 2.2

type Lens = 'Model' | 'FocalLength' | 'FocalLengthIn35mmFormat' | 'DigitalZoomRatio'
type Picture = Pick<NonNullable<CameraPhoto['metadata']>, Lens> & Pick<CameraPhoto, 'width' | 'height'>

/** Millimetres, of the frame of 36 × 24 to which '35 mm equivalents' refer. */
const DIAGONAL_35MM = 43.27

/**
 * The field of view of an upright picture; null for an unknown camera and for a panorama. By the focal length and the sensor of the
 * camera: a picture with other proportions than the sensor's has its full width or its full height. For other cameras by the
 * focal length of a 35 mm camera with the same diagonal: makers mean the diagonal of the sensor, so that of a picture of 16:9 from a
 * sensor of 4:3 comes out too large. A digital zoom shows the middle of it. The distortion of the lens is ignored.
 */
export function fieldOfView({ width, height, ...lens }: Picture): FieldOfView | null {
  if (!width || !height) return null
  const isUpright = height > width
  const aspect = Math.max(width, height) / Math.min(width, height)
  const long = longSide(lens, aspect)
  if (long === null || aspect > MAX_ASPECT) return null
  const sides = [long, long / aspect].map((side) => (2 * Math.atan(side / 2) * 180) / Math.PI)
  const [horizontal = 0, vertical = 0] = isUpright ? sides.reverse() : sides
  return { horizontal, vertical }
}

/** The long side of a picture at a distance of 1. */
function longSide({ Model, ...lens }: Pick<Picture, Lens>, aspect: number): number | null {
  const { FocalLength, FocalLengthIn35mmFormat, DigitalZoomRatio = 1 } = lens
  const zoom = Math.max(1, DigitalZoomRatio)
  const sensor = SENSOR_OF.get(Model?.trim().toUpperCase() ?? '')
  if (sensor && FocalLength) return Math.min(sensor[0], sensor[1] * aspect) / FocalLength / zoom
  if (!FocalLengthIn35mmFormat) return null
  return (DIAGONAL_35MM * aspect) / Math.hypot(aspect, 1) / FocalLengthIn35mmFormat / zoom
}

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
export type Vector = readonly [east: number, north: number, up: number]

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

/** The ray of the picture's top left corner, and how rays differ from it along the whole upper and the whole left edge. */
export interface PictureRays {
  origin: Vector
  across: Vector
  down: Vector
}

export function pictureRays({ yaw, pitch, roll }: Pose, view: FieldOfView): PictureRays {
  const [sinYaw, cosYaw] = sinAndCos(yaw)
  const [sinPitch, cosPitch] = sinAndCos(pitch)
  const [sinRoll, cosRoll] = sinAndCos(roll)
  const forward: Vector = [cosPitch * sinYaw, cosPitch * cosYaw, sinPitch]
  const right: Vector = [cosYaw, -sinYaw, 0]
  const top: Vector = [-sinPitch * sinYaw, -sinPitch * cosYaw, cosPitch]
  const width = 2 * Math.tan((view.horizontal / 2) * RADIANS)
  const height = 2 * Math.tan((view.vertical / 2) * RADIANS)
  const across = sum([width * cosRoll, right], [-width * sinRoll, top])
  const down = sum([-height * sinRoll, right], [-height * cosRoll, top])
  return { origin: sum([1, forward], [-0.5, across], [-0.5, down]), across, down }
}

/** The rays of the picture's corners: top left, top right, bottom right, bottom left. */
function cornerRays(pose: Pose, view: FieldOfView): Vector[] {
  const { origin, across, down } = pictureRays(pose, view)
  const [start, right, below] = [[1, origin] as const, [1, across] as const, [1, down] as const]
  return [sum(start), sum(start, right), sum(start, right, below), sum(start, below)]
}

/** A sum of multiples. */
export function sum(...terms: (readonly [factor: number, vector: Vector])[]): Vector {
  const along = (axis: 0 | 1 | 2) => terms.reduce((total, [factor, vector]) => total + factor * vector[axis], 0)
  return [along(0), along(1), along(2)]
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
