/** Coordinates, x and y in turn. In a decoded tile they go from 0 to `EXTENT` and a little beyond. */
export type Line = number[]

/** West, north, east, south. */
export type Box = readonly [number, number, number, number]

/** The side of a decoded tile. */
export const EXTENT = 4096

export function boxOf(lines: readonly Line[]): Box {
  let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const line of lines) {
    for (let at = 0; at < line.length; at += 2) {
      const [x = 0, y = 0] = [line[at], line[at + 1]]
      if (x < west) west = x
      if (x > east) east = x
      if (y < north) north = y
      if (y > south) south = y
    }
  }
  return [west, north, east, south]
}

export function meets(one: Box, other: Box): boolean {
  return one[0] <= other[2] && one[2] >= other[0] && one[1] <= other[3] && one[3] >= other[1]
}

/** The part of a ring within a box (Sutherland and Hodgman); may be empty. */
export function clipRing(ring: Line, box: Box): Line {
  let line = ring
  for (let side = 0; side < 4 && line.length > 0; side += 1) line = clipSide(line, side, box[side] as number)
  return line
}

/** The part of a ring on the inner side of one side of a box: west, north, east, south. */
function clipSide(ring: Line, side: number, edge: number): Line {
  const axis = side % 2
  const sign = side < 2 ? 1 : -1
  const result: Line = []
  let [lastX, lastY] = [ring.at(-2) as number, ring.at(-1) as number]
  for (let at = 0; at < ring.length; at += 2) {
    const [x, y] = [ring[at] as number, ring[at + 1] as number]
    const [depth, lastDepth] = [sign * ((axis ? y : x) - edge), sign * ((axis ? lastY : lastX) - edge)]
    if (depth >= 0 !== lastDepth >= 0) {
      const part = lastDepth / (lastDepth - depth)
      result.push(lastX + (x - lastX) * part, lastY + (y - lastY) * part)
    }
    if (depth >= 0) result.push(x, y)
    lastX = x
    lastY = y
  }
  return result
}

/** The parts of a line within a box (Liang and Barsky, segment by segment). */
export function clipLine(line: Line, box: Box): Line[] {
  const parts: Line[] = []
  let part: Line | null = null
  for (let at = 2; at < line.length; at += 2) {
    const [ax, ay, bx, by] = line.slice(at - 2, at + 2) as [number, number, number, number]
    const [from, to] = spanWithin(ax, ay, bx, by, box)
    if (from > to) {
      part = null
      continue
    }
    if (!part || from > 0) {
      part = [ax + (bx - ax) * from, ay + (by - ay) * from]
      parts.push(part)
    }
    part.push(ax + (bx - ax) * to, ay + (by - ay) * to)
    if (to < 1) part = null
  }
  return parts
}

/** The parts of a segment, from 0 to 1, at which it enters and leaves a box; the first is greater when it does not meet it. */
function spanWithin(ax: number, ay: number, bx: number, by: number, [west, north, east, south]: Box): [number, number] {
  let [from, to] = [0, 1]
  const [dx, dy] = [bx - ax, by - ay]
  for (const [step, room] of [
    [-dx, ax - west],
    [dx, east - ax],
    [-dy, ay - north],
    [dy, south - ay],
  ] as const) {
    if (step === 0 && room < 0) return [1, 0]
    if (step < 0) from = Math.max(from, room / step)
    if (step > 0) to = Math.min(to, room / step)
  }
  return [from, to]
}

/** Lines, joined where one ends and another begins or ends: streets are stored from crossing to crossing. */
export function joinLines(lines: readonly Line[]): Line[] {
  const byEnd = new Map<string, Line>()
  const [start, end] = [(line: Line) => line.slice(0, 2).join(), (line: Line) => line.slice(-2).join()]
  for (const line of lines) {
    let joined = line
    for (const isStart of [true, false]) {
      const other = byEnd.get(isStart ? start(joined) : end(joined))
      if (!other) continue
      byEnd.delete(start(other))
      byEnd.delete(end(other))
      if (isStart) joined = [...(end(other) === start(joined) ? other : reversed(other)), ...joined.slice(2)]
      else joined = [...joined, ...(start(other) === end(joined) ? other : reversed(other)).slice(2)]
    }
    byEnd.set(start(joined), joined)
    byEnd.set(end(joined), joined)
  }
  return [...new Set(byEnd.values())]
}

function reversed(line: Line): Line {
  return line.map((_, at) => line[line.length - 2 - at + 2 * (at % 2)] as number)
}

/** Where a text is written along a line: its middle, and the angle in radians at which it is never upside down. */
export interface TextPlace {
  x: number
  y: number
  angle: number
}

/** A text strays so far from its line at most, in units of the line. */
const MAX_OFFSET = 4

/** The middle of the longest nearly straight stretch of a line that has room for a text; null without one. */
export function placeAlong(line: Line, width: number): TextPlace | null {
  let longest = width
  let place: TextPlace | null = null
  for (let start = 0; start + 2 < line.length; ) {
    const end = straightEnd(line, start)
    const [ax, ay, bx, by] = [line[start], line[start + 1], line[end], line[end + 1]] as [
      number,
      number,
      number,
      number,
    ]
    const length = Math.hypot(bx - ax, by - ay)
    if (length >= longest) {
      longest = length
      const isForward = bx > ax || (bx === ax && by < ay)
      const angle = isForward ? Math.atan2(by - ay, bx - ax) : Math.atan2(ay - by, ax - bx)
      place = { x: (ax + bx) / 2, y: (ay + by) / 2, angle }
    }
    start = end
  }
  return place
}

/** The last point up to which the line from a point stays near the chord. */
function straightEnd(line: Line, start: number): number {
  let end = start + 2
  while (end + 2 < line.length && isStraight(line, start, end + 2)) end += 2
  return end
}

function isStraight(line: Line, start: number, end: number): boolean {
  const [ax, ay] = [line[start] as number, line[start + 1] as number]
  const [dx, dy] = [(line[end] as number) - ax, (line[end + 1] as number) - ay]
  const length = Math.hypot(dx, dy)
  for (let at = start + 2; at < end; at += 2) {
    const [x, y] = [(line[at] as number) - ax, (line[at + 1] as number) - ay]
    // Beside the chord, or beyond its ends: the line turns back.
    if (Math.abs(x * dy - y * dx) > MAX_OFFSET * length || x * dx + y * dy < 0) return false
  }
  return length > 0
}
