import { type PointerEvent, useId, useState } from 'react'

/** The drawing area of a chart, in units of its view box. */
export const CHART = { width: 300, height: 96, top: 8, bottom: 4 } as const

interface HistoryChartProps {
  title: string
  /** At least two. */
  days: readonly { label: string; value: number }[]
  /** A value as text. */
  format: (value: number) => string
}

/**
 * A figure's last days as a line. The value of a day is shown under the pointer, and by the arrow keys: for keyboards and
 * screen readers the chart is a slider over its days.
 */
export function HistoryChart({ title, days, format }: HistoryChartProps) {
  const id = useId()
  const [chosen, setChosen] = useState<number | null>(null)
  const last = days.length - 1
  const at = Math.min(chosen ?? last, last)
  const values = days.map(({ value }) => value)
  const points = pointsOf(values)
  const { line, area } = pathsOf(points)
  const day = days[at]
  const point = points[at]
  if (!day || !point) return null
  const { low, high } = rangeOf(values)

  function choose({ currentTarget, clientX }: PointerEvent<HTMLElement>): void {
    const { left, width } = currentTarget.getBoundingClientRect()
    setChosen(Math.min(Math.max(Math.round(((clientX - left) / width) * last), 0), last))
  }

  return (
    <section aria-labelledby={id} className="min-w-0 rounded-lg bg-surface p-4 shadow-low ring ring-line sm:p-5">
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-x-3">
        <h3 id={id} className="font-semibold">
          {title}
        </h3>
        <p aria-hidden className="text-sm whitespace-nowrap text-muted">
          <span className="font-semibold text-text">{format(day.value)}</span> <span>{day.label}</span>
        </p>
      </div>
      <div
        className="relative"
        onPointerMove={choose}
        onPointerLeave={({ pointerType }) => pointerType === 'mouse' && setChosen(null)}
      >
        <svg
          aria-hidden
          viewBox={`0 0 ${CHART.width} ${CHART.height}`}
          preserveAspectRatio="none"
          className="block h-28 w-full overflow-visible"
        >
          <path d={area} className="fill-accent-soft" />
          <path
            d={line}
            vectorEffect="non-scaling-stroke"
            strokeLinejoin="round"
            strokeLinecap="round"
            className="fill-none stroke-accent stroke-2"
          />
        </svg>
        <span
          aria-hidden
          className="pointer-events-none absolute inset-y-0 w-px bg-line"
          style={{ left: `${(point.x / CHART.width) * 100}%` }}
        />
        <span
          aria-hidden
          className="pointer-events-none absolute size-2.5 -translate-1/2 rounded-full bg-accent ring-2 ring-surface"
          style={{ left: `${(point.x / CHART.width) * 100}%`, top: `${(point.y / CHART.height) * 100}%` }}
        />
        <input
          type="range"
          min={0}
          max={last}
          value={at}
          onChange={({ target }) => setChosen(Number(target.value))}
          aria-label={`${title} by day`}
          aria-valuetext={`${day.label}: ${format(day.value)}`}
          className="peer absolute inset-0 size-full cursor-crosshair touch-pan-y opacity-0"
        />
        <span
          aria-hidden
          className="pointer-events-none absolute -inset-1.5 rounded-sm peer-focus-visible:outline-2 peer-focus-visible:outline-accent"
        />
      </div>
      <p aria-hidden className="mt-2 flex justify-between text-xs text-muted">
        <span>{days[0]?.label}</span>
        <span>{`Scale ${format(low)} to ${format(high)}`}</span>
        <span>{days[last]?.label}</span>
      </p>
    </section>
  )
}

type Point = Record<'x' | 'y', number>

/**
 * The points of a line through the values. The scale leaves out the part below the lowest value, so that small changes of
 * large figures can be seen; it begins at zero if that is near.
 */
export function pointsOf(values: readonly number[]): Point[] {
  const { low, high } = rangeOf(values)
  const height = CHART.height - CHART.top - CHART.bottom
  const step = CHART.width / (values.length - 1)
  return values.map((value, index) => ({
    x: index * step,
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
