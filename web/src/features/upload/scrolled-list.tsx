import { type ReactNode, useState } from 'react'

/** Scrolling renders again in steps of this height. */
const STEP_PX = 44
/** More than is ever visible at once, and rows beyond it for fast scrolling. */
const SHOWN_PX = 1200
const OVERSCAN_PX = 450

interface ScrolledListProps<T> {
  label: string
  entries: readonly T[]
  keyOf: (entry: T) => string | number
  /** In pixels: fixed, so that nothing has to be measured. */
  heightOf: (entry: T) => number
  children: (entry: T) => ReactNode
}

/** A list that scrolls, and can have thousands of rows: only the visible ones are rendered. */
export function ScrolledList<T>({ label, entries, keyOf, heightOf, children }: ScrolledListProps<T>) {
  const [scrolled, setScrolled] = useState(0)
  const { rows, height } = visibleRows(entries, heightOf, scrolled)
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it, also where no row has a button
      tabIndex={0}
      onScroll={({ currentTarget }) => setScrolled(Math.floor(currentTarget.scrollTop / STEP_PX) * STEP_PX)}
      className="max-h-[42dvh] overflow-y-auto overscroll-contain rounded-md"
    >
      <ul className="relative" style={{ height }}>
        {rows.map(({ entry, position, top }) => (
          <li
            key={keyOf(entry)}
            aria-setsize={entries.length}
            aria-posinset={position}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${top}px)` }}
          >
            {children(entry)}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The rows near the visible ones, and the height of all. */
function visibleRows<T>(entries: readonly T[], heightOf: (entry: T) => number, scrolled: number) {
  const height = entries.reduce((sum, entry) => sum + heightOf(entry), 0)
  // The list may have become shorter.
  const start = Math.min(scrolled, height - SHOWN_PX) - OVERSCAN_PX
  const end = start + SHOWN_PX + 2 * OVERSCAN_PX
  const rows = []
  let top = 0
  for (const [index, entry] of entries.entries()) {
    if (top >= end) break
    if (top + heightOf(entry) > start) rows.push({ entry, position: index + 1, top })
    top += heightOf(entry)
  }
  return { rows, height }
}
