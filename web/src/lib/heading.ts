const POINTS = ['N', 'NNE', 'NE', 'ENE', 'E', 'ESE', 'SE', 'SSE', 'S', 'SSW', 'SW', 'WSW', 'W', 'WNW', 'NW', 'NNW']

export type Heading = ReturnType<typeof headingFrom>

/** Degrees from 0 to 359 and the compass point for any angle clockwise from north: drones write -180 to 180. */
export function headingFrom(yaw: number) {
  const degrees = Math.round(((yaw % 360) + 360) % 360) % 360
  return { degrees, point: POINTS[Math.round(degrees / 22.5) % POINTS.length] ?? '' }
}

/** '45° NE'. */
export function formatHeading(yaw: number): string {
  const { degrees, point } = headingFrom(yaw)
  return `${degrees}° ${point}`
}
