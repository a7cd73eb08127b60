import { useEffect, useReducer } from 'react'

const TICK_MS = 250

/** The remaining time in whole seconds until this time in milliseconds; 0 once it has passed. */
export function useCountdown(until: number): number {
  const [, tick] = useReducer((ticks: number) => ticks + 1, 0)
  const left = Math.max(0, Math.ceil((until - Date.now()) / 1000))
  const over = left === 0
  useEffect(() => {
    if (over) return
    const timer = setInterval(tick, TICK_MS)
    return () => clearInterval(timer)
  }, [over])
  return left
}
