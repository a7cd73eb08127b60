import type { PlaceReader } from './place-file.ts'

export const KM_PER_DEGREE = 111.195

/** Kilometres per degree of longitude at a latitude. Never 0, so that the poles need no special case. */
export function kmPerDegreeOfLongitude(y: number): number {
  return KM_PER_DEGREE * Math.max(Math.cos((y * Math.PI) / 180), 1e-4)
}

/** The first area that contains the point, or -1. Holes are outside (even-odd rule over all rings of an area). */
export function areaContaining(data: PlaceReader, x: number, y: number): number {
  for (let area = 0; area < data.areas; area++) {
    if (y < data.areaSouth(area) || y > data.areaNorth(area)) continue
    if (x < data.areaWest(area) || x > data.areaEast(area)) continue
    if (contains(data, area, x, y)) return area
  }
  return -1
}

function contains(data: PlaceReader, area: number, x: number, y: number): boolean {
  let inside = false
  const end = data.areaChunkFirst(area + 1)
  for (let chunk = data.areaChunkFirst(area); chunk < end; chunk++) {
    if (y < data.chunkSouth(chunk) || y > data.chunkNorth(chunk) || x > data.chunkEast(chunk)) continue
    if (hasOddCrossings(data, chunk, x, y)) inside = !inside
  }
  return inside
}

function hasOddCrossings(data: PlaceReader, chunk: number, x: number, y: number): boolean {
  let odd = false
  const first = data.chunkPointFirst(chunk)
  const last = first + data.chunkSegments(chunk)
  let ax = data.pointX(first)
  let ay = data.pointY(first)
  for (let point = first + 1; point <= last; point++) {
    const bx = data.pointX(point)
    const by = data.pointY(point)
    if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) odd = !odd
    ax = bx
    ay = by
  }
  return odd
}

/** The area whose outline is nearest to the point within `limit` kilometres, or -1; only areas that `accept` returns true for. */
export function areaNearest(
  data: PlaceReader,
  x: number,
  y: number,
  limit: number,
  accept: (area: number) => boolean,
): number {
  const here = nearest(data, x, y, limit, accept)
  const margin = limit / kmPerDegreeOfLongitude(y)
  if (Math.abs(x) + margin <= 180) return here.area
  const beyondAntimeridian = nearest(data, x - Math.sign(x) * 360, y, here.km, accept)
  return beyondAntimeridian.area >= 0 ? beyondAntimeridian.area : here.area
}

/** Whether `areaNearest` would look at the outline of the area: false for all that are farther away than `limit` kilometres. */
export function mayBeNear(data: PlaceReader, area: number, x: number, y: number, limit: number): boolean {
  const dx = limit / kmPerDegreeOfLongitude(y)
  const dy = limit / KM_PER_DEGREE
  return isInBox(data, area, x, y, dx, dy) || isInBox(data, area, x - Math.sign(x) * 360, y, dx, dy)
}

/** Whether the point is in the bounding box of the area, widened on all sides. */
function isInBox(data: PlaceReader, area: number, x: number, y: number, dx: number, dy: number): boolean {
  if (y < data.areaSouth(area) - dy || y > data.areaNorth(area) + dy) return false
  return x >= data.areaWest(area) - dx && x <= data.areaEast(area) + dx
}

function nearest(data: PlaceReader, x: number, y: number, limit: number, accept: (area: number) => boolean) {
  let best = { area: -1, km: limit }
  const dx = limit / kmPerDegreeOfLongitude(y)
  const dy = limit / KM_PER_DEGREE
  for (let area = 0; area < data.areas; area++) {
    if (!isInBox(data, area, x, y, dx, dy) || !accept(area)) continue
    const end = data.areaChunkFirst(area + 1)
    for (let chunk = data.areaChunkFirst(area); chunk < end; chunk++) {
      if (y < data.chunkSouth(chunk) - dy || y > data.chunkNorth(chunk) + dy) continue
      if (x < data.chunkWest(chunk) - dx || x > data.chunkEast(chunk) + dx) continue
      const km = kmToChunk(data, chunk, x, y)
      if (km < best.km) best = { area, km }
    }
  }
  return best
}

/** Kilometres from the point to the nearest segment of the chunk, on a plane tangent to the globe at the point. */
function kmToChunk(data: PlaceReader, chunk: number, x: number, y: number): number {
  const kx = kmPerDegreeOfLongitude(y)
  const first = data.chunkPointFirst(chunk)
  const last = first + data.chunkSegments(chunk)
  let best = Number.POSITIVE_INFINITY
  let ax = (data.pointX(first) - x) * kx
  let ay = (data.pointY(first) - y) * KM_PER_DEGREE
  for (let point = first + 1; point <= last; point++) {
    const bx = (data.pointX(point) - x) * kx
    const by = (data.pointY(point) - y) * KM_PER_DEGREE
    best = Math.min(best, kmToSegment(ax, ay, bx, by))
    ax = bx
    ay = by
  }
  return best
}

/** Distance from the origin to the segment a-b. */
function kmToSegment(ax: number, ay: number, bx: number, by: number): number {
  const dx = bx - ax
  const dy = by - ay
  const squared = dx * dx + dy * dy
  const along = squared === 0 ? 0 : Math.min(1, Math.max(0, -(ax * dx + ay * dy) / squared))
  return Math.hypot(ax + along * dx, ay + along * dy)
}
