const DIRECTIONS = ['North', 'Northeast', 'East', 'Southeast', 'South', 'Southwest', 'West', 'Northwest']

export type Heading = ReturnType<typeof headingFrom>

/** Degrees from 0 to 359 and the direction in words for any angle clockwise from north: drones write -180 to 180. */
export function headingFrom(yaw: number) {
  const degrees = Math.round(((yaw % 360) + 360) % 360) % 360
  return { degrees, direction: DIRECTIONS[Math.round(degrees / 45) % DIRECTIONS.length] ?? '' }
}

/** 'facing northeast'. */
export function formatHeading(yaw: number): string {
  return `facing ${headingFrom(yaw).direction.toLowerCase()}`
}
