import { Nullable } from '@skyfolio/kit'
import { Type } from 'typebox'

const Degrees = Type.Number({ description: 'Degrees' })
const Time = (description: string) => Type.String({ description: `${description}, ISO 8601 without a zone` })

/** A flight as the API returns it. */
export const FlightSchema = Type.Object({
  id: Type.Integer({
    description: 'The smallest id of its photos; a flight that becomes part of another one is found by its former id',
  }),
  startedAt: Time("Of the first photo, by the camera's clock"),
  endedAt: Time('Of the last photo'),
  durationSeconds: Type.Integer({ description: 'From the first photo to the last' }),
  distanceMetres: Type.Number({ description: 'Along the positions of the photos' }),
  greatestHeight: Nullable(Type.Number({ description: 'Metres above take-off' })),
  photoCount: Type.Integer(),
  place: Type.Object(
    { city: Nullable(Type.String()), state: Nullable(Type.String()) },
    { description: 'Where most of the photos were taken' },
  ),
  bounds: Type.Object(
    { west: Degrees, south: Degrees, east: Degrees, north: Degrees },
    { description: 'East is above 180 where the flight crosses the date line' },
  ),
  covers: Type.Array(Type.String(), { description: 'Thumbnails of up to four photos' }),
})
export type FlightResponse = Type.Static<typeof FlightSchema>

/** The position of a photo of a flight, and how its camera was held. */
export const TrackPoint = Type.Object({
  photoId: Type.Integer(),
  title: Type.String(),
  at: Time("By the camera's clock"),
  latitude: Degrees,
  longitude: Degrees,
  altitude: Nullable(Type.Number({ description: 'Metres above sea level' })),
  relativeAltitude: Nullable(Type.Number({ description: 'Metres above take-off' })),
  yaw: Nullable(Type.Number({ description: 'Degrees from north, of the gimbal or else of the aircraft' })),
  pitch: Nullable(Type.Number({ description: 'Degrees of the gimbal; -90 is straight down' })),
  roll: Nullable(Type.Number({ description: 'Degrees of the gimbal' })),
  model: Nullable(Type.String({ description: 'Of the camera' })),
  focalLength: Nullable(Type.Number({ description: 'Millimetres' })),
  width: Nullable(Type.Integer({ description: 'Pixels after orientation' })),
  height: Nullable(Type.Integer({ description: 'Pixels after orientation' })),
  projection: Nullable(Type.String({ description: 'Of a panorama: `sphere` or `wide`' })),
  thumbnailUrl: Nullable(Type.String()),
  smallUrl: Nullable(Type.String()),
  thumbhash: Nullable(Type.String()),
})
export type TrackPoint = Type.Static<typeof TrackPoint>
