import { Maximize, Minimize, Pause, Play } from 'lucide-react'
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import { IconButton } from '../../components/ui/button.tsx'
import { createStore } from '../../lib/store.ts'
import { useStore } from '../../lib/use-store.ts'
import { CloseButton, type FullScreen } from './photo-frame.tsx'

interface StageControlsProps {
  screen: FullScreen
  slideshow: Slideshow
  /** There is a next photo. */
  canPlay: boolean
}

/** Slideshow and full screen, at the top of the picture. */
export function StageControls({ screen, slideshow, canPlay }: StageControlsProps) {
  const { playing } = slideshow
  return (
    <div className="absolute top-3 right-3 flex items-center gap-1.5">
      {playing && <SecondsChoice slideshow={slideshow} />}
      <IconButton
        label={playing ? 'Pause slideshow' : 'Start slideshow'}
        icon={playing ? <Pause /> : <Play />}
        variant="overlay"
        aria-keyshortcuts="s"
        aria-disabled={!playing && !canPlay}
        onClick={playing ? slideshow.stop : () => canPlay && startSlideshow(slideshow, screen)}
        className="aria-disabled:opacity-50"
      />
      <IconButton
        label={screen.full ? 'Leave full screen' : 'Full screen'}
        icon={screen.full ? <Minimize /> : <Maximize />}
        variant="overlay"
        aria-keyshortcuts="f"
        onClick={screen.full ? screen.leave : screen.enter}
      />
      {!screen.full && <CloseButton variant="overlay" className="beside:hidden" />}
    </div>
  )
}

/** A slideshow fills the screen; leaving full screen ends it. */
export function startSlideshow(slideshow: Slideshow, screen: FullScreen): void {
  slideshow.start()
  screen.enter()
}

function SecondsChoice({ slideshow }: { slideshow: Slideshow }) {
  return (
    <select
      aria-label="Seconds per photo"
      value={slideshow.seconds}
      onChange={(event) => slideshow.setSeconds(Number(event.target.value))}
      className="h-11 rounded-md bg-surface/90 px-2 text-sm font-semibold text-text sm:h-9"
    >
      {SLIDE_SECONDS.map((seconds) => (
        <option key={seconds} value={seconds}>
          {seconds} s
        </option>
      ))}
    </select>
  )
}

/** How long a photo is shown, in seconds. */
const SLIDE_SECONDS = [3, 5, 10, 20] as const

/** Kept while the page is open. */
const slideSeconds = createStore<number>(5)

export type Slideshow = ReturnType<typeof useSlideshow>

export function useSlideshow() {
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
  return useSyncExternalStore(followVisibility, () => !document.hidden)
}

function followVisibility(onChange: () => void): () => void {
  document.addEventListener('visibilitychange', onChange)
  return () => document.removeEventListener('visibilitychange', onChange)
}

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
