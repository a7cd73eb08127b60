import { fieldOfView } from './camera.ts'
import { type FieldOfView, type Footprint, groundFootprint } from './footprint.ts'
import { type Position, positionOf } from './mercator.ts'

/** What is known of a photo and its camera, private or public. */
export interface CameraPhoto {
  latitude: string | null
  longitude: string | null
  width: number | null
  height: number | null
  /** Of a panorama, whose field of view is not that of the lens. */
  projection?: string | null
  metadata: {
    Model?: string
    FocalLength?: number
    drone?: {
      RelativeAltitude?: number
      GimbalYawDegree?: number
      GimbalPitchDegree?: number
      GimbalRollDegree?: number
      FlightYawDegree?: number
    }
  } | null
}

/** Where a photo was taken and what its camera saw, as far as that is known. */
export interface CameraView {
  position: Position | null
  /** Degrees clockwise from north: the gimbal's, else the aircraft's; null for a sphere. */
  heading: number | null
  fieldOfView: FieldOfView | null
  footprint: Footprint | null
  /** Why there is no footprint, as a sentence for the user. */
  reason: string | null
}

/** A gimbal levels its camera: without its angle the roll is 0, never the aircraft's. */
const LEVEL = 0

export function cameraView(photo: CameraPhoto): CameraView {
  const { Model, FocalLength, drone = {} } = photo.metadata ?? {}
  const position = positionOf(photo)
  const heading = drone.GimbalYawDegree ?? drone.FlightYawDegree ?? null
  const { width, height: rows, projection = null } = photo
  const view = projection === null ? fieldOfView({ Model, FocalLength, width, height: rows }) : null
  const known = { position, heading, fieldOfView: view }
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
  const footprint = groundFootprint({ ...position, height, yaw: heading, pitch, roll }, view)
  return { ...known, footprint, reason: footprint ? null : 'The ground in the picture is too far away' }
}
