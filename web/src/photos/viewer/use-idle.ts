import { useEffect, useState } from 'react'

const IDLE_MS = 3_000
const ACTIVITY = ['pointermove', 'pointerdown', 'keydown'] as const

/** True after three seconds without pointer or key, while it is watched. */
export function useIdle(watched: boolean): boolean {
  const [idle, setIdle] = useState(false)
  useEffect(() => {
    if (!watched) return
    let timer: ReturnType<typeof setTimeout>
    const restart = () => {
      setIdle(false)
      clearTimeout(timer)
      timer = setTimeout(() => setIdle(true), IDLE_MS)
    }
    restart()
    for (const type of ACTIVITY) addEventListener(type, restart)
    return () => {
      clearTimeout(timer)
      for (const type of ACTIVITY) removeEventListener(type, restart)
    }
  }, [watched])
  return watched && idle
}
