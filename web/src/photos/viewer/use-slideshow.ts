import { useEffect, useEffectEvent, useState } from 'react'
import { createStore, useStore } from '../../lib/store.ts'

/** How long a photo is shown, in seconds. */
export const SLIDE_SECONDS = [3, 5, 10, 20] as const

/** Kept while the page is open. */
const slideSeconds = createStore<number>(5)

export interface Slideshow {
  playing: boolean
  seconds: number
  setSeconds(seconds: number): void
  start(): void
  stop(): void
}

export function useSlideshow(): Slideshow {
  const [playing, setPlaying] = useState(false)
  return {
    playing,
    seconds: useStore(slideSeconds),
    setSeconds: slideSeconds.set,
    start: () => setPlaying(true),
    stop: () => setPlaying(false),
  }
}

/**
 * Calls `onNext` after each `seconds` while `running` and while the page is visible. It repeats until the next photo is
 * there: the first request for it may fail.
 */
export function useSlideTimer(running: boolean, seconds: number, onNext: () => void): void {
  const next = useEffectEvent(onNext)
  const visible = usePageVisible()
  useEffect(() => {
    if (!running || !visible) return
    const timer = setInterval(() => next(), seconds * 1000)
    return () => clearInterval(timer)
  }, [running, visible, seconds])
}

function usePageVisible(): boolean {
  const [visible, setVisible] = useState(!document.hidden)
  useEffect(() => {
    const update = () => setVisible(!document.hidden)
    document.addEventListener('visibilitychange', update)
    return () => document.removeEventListener('visibilitychange', update)
  }, [])
  return visible
}
