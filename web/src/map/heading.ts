const POINTS = ['N', 'NNE', 'NE', 'ENE', 'E', 'ESE', 'SE', 'SSE', 'S', 'SSW', 'SW', 'WSW', 'W', 'WNW', 'NW', 'NNW']

export interface Heading {
  /** 0 to 359, clockwise from north. */
  degrees: number
  /** One of the 16 compass points. */
  point: string
}

/** The heading for any angle clockwise from north: drones write -180 to 180. */
export function headingFrom(yaw: number): Heading {
  const degrees = Math.round(((yaw % 360) + 360) % 360) % 360
  return { degrees, point: POINTS[Math.round(degrees / 22.5) % POINTS.length] ?? '' }
}

/** '45° NE'. */
export function formatHeading(yaw: number): string {
  const { degrees, point } = headingFrom(yaw)
  return `${degrees}° ${point}`
}
