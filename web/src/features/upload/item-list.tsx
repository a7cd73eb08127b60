import { useState } from 'react'
import { ItemRow } from './item-row.tsx'
import type { Item } from './queue/items.ts'
import { queue } from './upload-actions.ts'

/** All rows have the same height, so that nothing has to be measured. */
const ROW_PX = 76
/** Rows beyond the visible ones, for fast scrolling. */
const OVERSCAN = 6
/** More rows than are ever visible at once. */
const SHOWN = 16

/** The list of files, which can have thousands of rows: only the visible ones are rendered. */
export function ItemList({ items }: { items: readonly Item[] }) {
  const [top, setTop] = useState(0)
  if (items.length === 0) {
    return <p className="rounded-md bg-bg px-4 py-6 text-center text-sm text-muted">No photos here.</p>
  }
  const first = Math.max(Math.min(top, items.length - SHOWN) - OVERSCAN, 0)
  return (
    <section
      aria-label="Files"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it, also where no row has a button
      tabIndex={0}
      onScroll={({ currentTarget }) => setTop(Math.floor(currentTarget.scrollTop / ROW_PX))}
      className="max-h-[42dvh] overflow-y-auto overscroll-contain rounded-md"
    >
      <ul className="relative" style={{ height: items.length * ROW_PX }}>
        {items.slice(first, first + SHOWN + 2 * OVERSCAN).map((item, index) => (
          <li
            key={item.id}
            aria-setsize={items.length}
            aria-posinset={first + index + 1}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${(first + index) * ROW_PX}px)` }}
          >
            <ItemRow item={item} state={item.state} hold={queue.hold} canCancel={queue.canCancel(item)} />
          </li>
        ))}
      </ul>
    </section>
  )
}
