import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import type { Item } from './engine/item.ts'
import { ItemRow } from './item-row.tsx'
import { queue } from './uploads.ts'

/** All rows are equally high: measuring them would cost a layout of the page each time. */
const ROW_PX = 76

/** The files as a list that may be thousands long: only the rows in view exist. */
export function ItemList({ items, filter }: { items: readonly Item[]; filter: string }) {
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => items[index]?.id ?? index,
    overscan: 6,
  })
  if (items.length === 0) {
    return <p className="rounded-md bg-bg px-4 py-6 text-center text-sm text-muted">No photos here.</p>
  }
  return (
    <section
      ref={scroller}
      key={filter}
      aria-label="Files"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it, also where no row has a button
      tabIndex={0}
      className="max-h-[42dvh] overflow-y-auto overscroll-contain rounded-md"
    >
      <ul className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, key, start }) => {
          const item = items[index]
          if (!item) return null
          return (
            <li
              key={key}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              <ItemRow item={item} state={item.state} hold={queue.hold} canCancel={queue.canCancel(item)} />
            </li>
          )
        })}
      </ul>
    </section>
  )
}
