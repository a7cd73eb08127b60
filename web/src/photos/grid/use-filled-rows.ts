import { useEffect, useState } from 'react'
import { fillNext, type Rows } from './grid-layout.ts'

/**
 * The rows whose cards are there. Cards are dear: cells come at once, what is in them a row at a time, between frames,
 * so that no task is long however fast one scrolls.
 */
export function useFilledRows(requested: Rows, isRead: (row: number) => boolean): Rows {
  const [filled, setFilled] = useState<Rows>({ first: 0, last: -1 })
  const next = fillNext(filled, requested, isRead)
  // After every rendering: photos may have been read, or more rows be in view.
  useEffect(() => {
    if (next === filled) return
    const timer = setTimeout(() => setFilled(next))
    return () => clearTimeout(timer)
  })
  return filled
}
