import { useEffect, useState } from 'react'

const HELD_MS = 800

/** Stays true for a moment after the value became false, so that a text does not flash. */
export function useHeld(value: boolean): boolean {
  const [held, setHeld] = useState(value)
  if (value && !held) setHeld(true)
  useEffect(() => {
    if (value) return
    const timer = setTimeout(() => setHeld(false), HELD_MS)
    return () => clearTimeout(timer)
  }, [value])
  return held
}
