import type { Layout } from '../../photos/grid/grid-layout.ts'

/** Between two photos of the grid, in pixels. */
export const ARRANGE_GAP = 8
const MIN_CELL_WIDTH = 104
const MIN_COLUMNS = 3

export interface ArrangeLayout extends Layout {
  /** Pixels, including the gap to the right. */
  cellWidth: number
}

/** The layout of `total` photos on a grid that is `width` pixels wide. */
export function arrangeLayout(width: number, total: number): ArrangeLayout {
  const columns = Math.max(MIN_COLUMNS, Math.floor((width + ARRANGE_GAP) / (MIN_CELL_WIDTH + ARRANGE_GAP)))
  const cellWidth = (width + ARRANGE_GAP) / columns
  const rowHeight = Math.round(((cellWidth - ARRANGE_GAP) * 2) / 3) + ARRANGE_GAP
  return { columns, cellWidth, rowHeight, rows: Math.ceil(total / columns) }
}

/** A gap between two photos. */
export interface Gap {
  /** The number of photos before it. */
  index: number
  /** Where it is shown: the end of a row is another place than the start of the next one. */
  row: number
  column: number
}

/** The gap nearest to a point of the grid, in the row of the point. */
export function gapAt(
  { columns, cellWidth, rowHeight, rows }: ArrangeLayout,
  total: number,
  x: number,
  y: number,
): Gap {
  const row = Math.min(Math.max(Math.floor(y / rowHeight), 0), Math.max(rows - 1, 0))
  const column = Math.min(Math.max(Math.round(x / cellWidth), 0), columns, total - row * columns)
  return { index: row * columns + column, row, column }
}

/** The list with one item moved to another index. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const result = [...list]
  result.splice(to, 0, ...result.splice(from, 1))
  return result
}

/** The index that an item has once it was put into a gap, which was counted with it. */
export function indexInGap(from: number, gap: number): number {
  return gap > from ? gap - 1 : gap
}

/** Where a key takes the photo at an index; null for other keys. */
export function indexAfterArrow(key: string, index: number, total: number, columns: number): number | null {
  const steps: Record<string, number> = {
    ...{ ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns },
    ...{ Home: -total, End: total },
  }
  const step = steps[key]
  return step === undefined ? null : Math.min(Math.max(index + step, 0), total - 1)
}

/** Whether a point of the window is so near an edge of a scrolled part that it scrolls; by how many pixels at once. */
export function edgeScroll(y: number, { top, bottom }: { top: number; bottom: number }): number {
  const near = Math.min(EDGE, (bottom - top) / 4)
  if (y < top + near) return -speed(top + near - y, near)
  return y > bottom - near ? speed(y - bottom + near, near) : 0
}

const EDGE = 72
const MAX_STEP = 24
const speed = (depth: number, near: number) => Math.ceil(Math.min(depth / near, 1) * MAX_STEP)

interface Dated {
  id: number
  dateTaken: string | null
  createdAt: string
}

/** Oldest first by the camera's clock; photos without a date come last. */
export function byDateTaken<T extends Dated>(photos: readonly T[]): T[] {
  const key = ({ dateTaken }: T) => dateTaken?.slice(0, 19) ?? '~'
  return photos.toSorted((a, b) => compare(key(a), key(b)) || a.id - b.id)
}

/** Oldest first, like photos of a folder that nobody has arranged. */
export function byUpload<T extends Dated>(photos: readonly T[]): T[] {
  return photos.toSorted((a, b) => compare(a.createdAt, b.createdAt) || a.id - b.id)
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
