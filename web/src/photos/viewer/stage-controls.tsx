import { Maximize, Minimize, Pause, Play } from 'lucide-react'
import { IconButton } from '../../components/ui/button.tsx'
import { CloseButton } from './close-button.tsx'
import type { FullScreen } from './use-full-screen.ts'
import { SLIDE_SECONDS, type Slideshow } from './use-slideshow.ts'

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
