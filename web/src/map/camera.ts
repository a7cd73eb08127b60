import type { FieldOfView } from './footprint.ts'

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

interface Picture {
  Model?: string
  /** Millimetres. */
  FocalLength?: number
  /** Pixels, upright. */
  width: number | null
  height: number | null
}

/**
 * The field of view of a picture, by focal length and sensor; null for an unknown camera and for a panorama. A picture
 * with other proportions than the sensor's has its full width or its full height; the distortion of the lens is ignored, as is a digital zoom, which the metadata does not tell.
 */
export function fieldOfView({ Model, FocalLength, width, height }: Picture): FieldOfView | null {
  const sensor = SENSOR_OF.get(Model?.trim().toUpperCase() ?? '')
  if (!sensor || !FocalLength || !(FocalLength > 0) || !width || !height) return null
  const isUpright = height > width
  const aspect = Math.max(width, height) / Math.min(width, height)
  if (aspect > MAX_ASPECT) return null
  const long = Math.min(sensor[0], sensor[1] * aspect)
  const sides = [long, long / aspect].map((side) => (2 * Math.atan(side / 2 / FocalLength) * 180) / Math.PI)
  const [horizontal = 0, vertical = 0] = isUpright ? sides.reverse() : sides
  return { horizontal, vertical }
}
