/** The drawing area of a chart, in units of its view box. */
export const CHART = { width: 300, height: 96, top: 8, bottom: 4 } as const

interface Point {
  x: number
  y: number
}

/**
 * The points of a line through the values. The scale leaves out the part below the lowest value, so that small changes of
 * large figures can be seen; it begins at zero if that is near.
 */
export function pointsOf(values: readonly number[]): Point[] {
  const { low, high } = rangeOf(values)
  const height = CHART.height - CHART.top - CHART.bottom
  const step = values.length > 1 ? CHART.width / (values.length - 1) : 0
  const start = values.length > 1 ? 0 : CHART.width / 2
  return values.map((value, index) => ({
    x: start + index * step,
    y: CHART.top + height * (1 - (value - low) / (high - low)),
  }))
}

/** The lowest and the highest value of the scale; they differ. */
export function rangeOf(values: readonly number[]): { low: number; high: number } {
  const least = Math.min(...values)
  const most = Math.max(...values)
  if (least === most) return least === 0 ? { low: 0, high: 1 } : { low: 0, high: most * 2 }
  return { low: least < (most - least) * 2 ? 0 : Math.floor(least - (most - least) / 4), high: most }
}

/** The path of the line, and of the area below it. */
export function pathsOf(points: readonly Point[]): { line: string; area: string } {
  const line = points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`).join('')
  const first = points[0]
  const last = points.at(-1)
  if (!first || !last) return { line, area: '' }
  return { line, area: `${line}L${round(last.x)} ${CHART.height}L${round(first.x)} ${CHART.height}Z` }
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
