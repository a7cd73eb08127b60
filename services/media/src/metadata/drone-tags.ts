import { Type } from 'typebox'
import { parseNumber, type TagGroups } from './tag-values.ts'

const Metres = (description: string) => Type.Optional(Type.Number({ description }))
const Degrees = Type.Optional(Type.Number({ description: 'Degrees' }))
const Speed = Type.Optional(Type.Number({ description: 'Metres a second' }))
const Deviation = Type.Optional(Type.Number({ description: 'Standard deviation, as the drone wrote it' }))

/** Flight data that a drone wrote, under its own tag names. */
export const DroneBody = Type.Object({
  AbsoluteAltitude: Metres('Metres above sea level'),
  RelativeAltitude: Metres('Metres above the take-off point'),
  GimbalRollDegree: Degrees,
  GimbalYawDegree: Degrees,
  GimbalPitchDegree: Degrees,
  FlightRollDegree: Degrees,
  FlightYawDegree: Degrees,
  FlightPitchDegree: Degrees,
  FlightXSpeed: Speed,
  FlightYSpeed: Speed,
  FlightZSpeed: Speed,
  RtkFlag: Type.Optional(Type.Number({ description: 'DJI: 0 none, 16 single, 34 float, 50 fixed' })),
  RtkStdLat: Deviation,
  RtkStdLon: Deviation,
  RtkStdHgt: Deviation,
})
export type Drone = Type.Static<typeof DroneBody>
export type DroneTags = Record<string, unknown>

export const DRONE_TAGS = Object.keys(DroneBody.properties) as (keyof Drone)[]
/** XMP prefixes of DJI and of Autel, whose drones write the same tags. */
const PREFIXES = ['XMP-drone-dji', 'XMP-drone-autel', 'XMP-drone']
const OLD_AUTEL = 'Autel Robotics Meta Data'

/** The tags of Autel's first firmware versions: the camera's angles, where pitch 0 is straight down. */
function oldAutelTags({ 'XMP-rdf': rdf = {}, 'XMP-Camera': camera = {} }: TagGroups): DroneTags {
  if (rdf.about !== OLD_AUTEL) return {}
  const pitch = parseNumber(camera.Pitch)
  return {
    GimbalRollDegree: camera.Roll,
    GimbalYawDegree: camera.Yaw,
    GimbalPitchDegree: pitch === undefined ? undefined : pitch - 90,
  }
}

/** The tags of the drone with raw values. */
export function readDroneTags(tags: TagGroups): DroneTags {
  for (const prefix of PREFIXES) if (tags[prefix]) return tags[prefix]
  return oldAutelTags(tags)
}
