import { boundsOf, meets, type PlacedPicture, type Point } from './draw-picture.ts'

/** Cells of the canvas along its longer side. */
const CELLS = 40

/**
 * The pictures that can be seen, the lowest first: over a mapping flight each lies below several others. Whether one is covered is told
 * by the cells of a grid, so that some are kept of which nothing is seen, but none is lost.
 */
export function withoutHidden<Picture extends PlacedPicture>(
  pictures: readonly Picture[],
  size: { width: number; height: number },
): Picture[] {
  const side = Math.max(size.width, size.height) / CELLS
  const [columns, rows] = [Math.ceil(size.width / side), Math.ceil(size.height / side)]
  const covered = new Uint8Array(columns * rows)
  const kept = pictures.toReversed().filter((picture) => {
    const box = boundsOf(picture.corners)
    if (!meets(box, size)) return false
    const edges = edgesOf(picture.corners)
    let isSeen = false
    const [firstRow, lastRow] = [
      Math.max(0, Math.floor(box.top / side)),
      Math.min(rows - 1, Math.floor(box.bottom / side)),
    ]
    const [first, last] = [
      Math.max(0, Math.floor(box.left / side)),
      Math.min(columns - 1, Math.floor(box.right / side)),
    ]
    for (let row = firstRow; row <= lastRow; row += 1) {
      for (let column = first; column <= last; column += 1) {
        const cell = row * columns + column
        if (covered[cell]) continue
        const overlap = overlapOf(edges, column * side, row * side, side)
        if (overlap !== 'none') isSeen = true
        if (overlap === 'whole' && !picture.fading) covered[cell] = 1
      }
    }
    return isSeen
  })
  return kept.reverse()
}

/** A line through two corners: positive on the side of the picture. */
type Edge = (x: number, y: number) => number

function edgesOf(corners: readonly Point[]): Edge[] {
  const area = corners.reduce((sum, one, index) => {
    const other = corners.at(index - 1) as Point
    return sum + other.x * one.y - one.x * other.y
  }, 0)
  const sign = Math.sign(area)
  return corners.map((to, index) => {
    const from = corners.at(index - 1) as Point
    return (x, y) => sign * ((to.x - from.x) * (y - from.y) - (to.y - from.y) * (x - from.x))
  })
}

/** How much of a cell a picture covers. */
function overlapOf(edges: readonly Edge[], left: number, top: number, side: number): 'none' | 'some' | 'whole' {
  let isWhole = true
  for (const edge of edges) {
    let inside = 0
    if (edge(left, top) >= 0) inside += 1
    if (edge(left + side, top) >= 0) inside += 1
    if (edge(left, top + side) >= 0) inside += 1
    if (edge(left + side, top + side) >= 0) inside += 1
    if (inside === 0) return 'none'
    if (inside < 4) isWhole = false
  }
  return isWhole ? 'whole' : 'some'
}
