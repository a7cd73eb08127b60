import { useEffect, useState } from 'react'
import type { Rows } from './grid-layout.ts'
import { fillNext } from './photo-layout.ts'

const NONE: Rows = { first: 0, last: -1 }

/**
 * The rows whose cards are rendered. Cards are expensive: cells are rendered at once, their cards one row at a time
 * between frames, so that no task is long, however fast the user scrolls. The first row is there at once, if it has been loaded.
 */
export function useFilledRows(requested: Rows, isRead: (row: number) => boolean): Rows {
  const [filled, setFilled] = useState(() =>
    fillNext(NONE, { ...requested, last: Math.min(requested.first, requested.last) }, isRead),
  )
  const next = fillNext(filled, requested, isRead)
  // After every rendering: photos may have been loaded, or more rows be visible.
  useEffect(() => {
    if (next === filled) return
    const timer = setTimeout(() => setFilled(next))
    return () => clearTimeout(timer)
  })
  return filled
}
