import { Maximize, Minimize, Pause, Play, X, ZoomIn, ZoomOut } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import { IconButton } from '../../components/ui/button.tsx'
import { ToastHost } from '../../components/ui/toast.tsx'
import { cx } from '../../lib/cx.ts'
import { createStore, useStore } from '../../lib/store.ts'

/** The details of a photo, below its picture or beside it. */
export const DETAILS = 'flex min-h-0 flex-1 flex-col beside:w-[min(400px,46vw)] beside:flex-none'

interface PhotoFrameProps {
  open: boolean
  screen: FullScreen
  /** Leaves what is open in the dialog, such as a form; returns whether there is something. */
  leavePart?: () => boolean
  onClose: () => void
  /** It has closed: moves the focus. */
  onClosed: (event: Event) => void
  className: string
  children: ReactNode
}

/** The dialog of a photo, which fills the window. Escape leaves full screen, then a part of the dialog, then the dialog. */
export function PhotoFrame({ open, screen, leavePart, onClose, onClosed, className, children }: PhotoFrameProps) {
  function leave(): boolean {
    if (!screen.full) return leavePart?.() ?? false
    screen.leave()
    return true
  }

  /** A focused toast takes Escape for itself; inside the dialog Escape closes the dialog. */
  function closeByKey(event: KeyboardEvent): void {
    if (event.key === 'Escape' && !event.defaultPrevented && !leave()) onClose()
  }

  return (
    <Dialog.Root open={open} onOpenChange={(stays) => !stays && onClose()}>
      <Dialog.Portal>
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={focusItself}
          onCloseAutoFocus={onClosed}
          onEscapeKeyDown={(event) => leave() && event.preventDefault()}
          onKeyDown={closeByKey}
          className={`fixed inset-0 flex flex-col bg-surface outline-none animate-appear ${className}`}
        >
          {children}
          <ToastHost place="photo" />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** Focuses the dialog itself, so that its keys work at once. */
function focusItself(event: Event): void {
  event.preventDefault()
  ;(event.currentTarget as HTMLElement).focus()
}

/** Closes a photo's dialog. It is on top of the picture, or beside it where the details are. */
export function CloseButton(props: { variant?: 'overlay'; className: string }) {
  return (
    <Dialog.Close asChild>
      <IconButton label="Close" icon={<X />} {...props} />
    </Dialog.Close>
  )
}

type FullScreen = ReturnType<typeof useFullScreen>

/**
 * The picture of an open dialog without its details. Where the browser can, the page fills the whole screen, so that
 * toasts and dialogs stay visible on top; elsewhere the picture fills the window. Ends with the dialog, and when the user
 * leaves the browser's full screen.
 */
export function useFullScreen(open: boolean) {
  const [wanted, setWanted] = useState(false)
  const full = wanted && open
  if (wanted && !open) setWanted(false)

  useEffect(() => {
    if (!full) return
    const onChange = () => document.fullscreenElement === null && setWanted(false)
    document.addEventListener('fullscreenchange', onChange)
    return () => {
      document.removeEventListener('fullscreenchange', onChange)
      if (document.fullscreenElement) document.exitFullscreen().catch(() => {})
    }
  }, [full])

  return {
    full,
    enter() {
      setWanted(true)
      // An iPhone has none, and a browser may refuse.
      document.documentElement.requestFullscreen?.().catch(() => {})
    },
    leave: () => setWanted(false),
  }
}

/** Where a picture is shown: alone or beside its details, in a slideshow, among others. */
export interface Stage {
  screen: FullScreen
  slideshow: Slideshow
  /** Nobody uses the controls: they are hidden. */
  idle: boolean
  /** Absent at the ends of the list. */
  onPrevious?: () => void
  onNext?: () => void
  /** Shows the first photo of the list; absent there. A slideshow that is started at the last one begins with it. */
  onFirst?: () => void
}

/** The classes of controls that disappear in full screen when nobody uses them. */
export function fading(idle: boolean): string {
  return cx('transition-opacity has-focus-visible:opacity-100', idle && 'opacity-0')
}

/** Slideshow and full screen, at the top of the picture. */
export function StageControls(stage: Stage) {
  const { screen, slideshow, onNext, onFirst } = stage
  const { playing } = slideshow
  return (
    <div className="absolute top-3 right-3 flex items-center gap-1.5">
      {playing && (
        <select
          aria-label="Seconds per photo"
          value={slideshow.seconds}
          onChange={(event) => slideshow.setSeconds(Number(event.target.value))}
          className="h-11 rounded-md bg-surface/90 px-2 text-sm font-semibold text-text sm:h-9"
        >
          {SLIDE_SECONDS.map((seconds) => (
            <option key={seconds} value={seconds}>
              {`${seconds} s`}
            </option>
          ))}
        </select>
      )}
      <IconButton
        label={playing ? 'Pause slideshow' : 'Start slideshow'}
        icon={playing ? <Pause /> : <Play />}
        variant="overlay"
        aria-keyshortcuts="s"
        aria-disabled={!playing && !onNext && !onFirst}
        onClick={playing ? slideshow.stop : () => startSlideshow(stage)}
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
function startSlideshow({ slideshow, screen, onNext, onFirst }: Stage): void {
  if (!onNext && !onFirst) return
  if (!onNext) onFirst?.()
  slideshow.start()
  screen.enter()
}

interface ZoomButtonsProps {
  idle: boolean
  canZoomIn?: boolean
  canZoomOut?: boolean
  onZoomIn: () => void
  onZoomOut: () => void
  children?: ReactNode
}

/** The buttons of a picture, below it. */
export function ZoomButtons(props: ZoomButtonsProps) {
  const { idle, canZoomIn = true, canZoomOut = true, onZoomIn, onZoomOut, children } = props
  const button = { variant: 'overlay', className: 'aria-disabled:opacity-50' } as const
  return (
    <div className={cx('absolute right-3 bottom-3 flex items-center gap-1.5', fading(idle))}>
      {children}
      <IconButton {...button} label="Zoom out" icon={<ZoomOut />} aria-disabled={!canZoomOut} onClick={onZoomOut} />
      <IconButton {...button} label="Zoom in" icon={<ZoomIn />} aria-disabled={!canZoomIn} onClick={onZoomIn} />
    </div>
  )
}

const OWN_KEYS = 'input, textarea, select, [role="tablist"]'

/**
 * The keys of the dialog around an element: first those of its picture, then those of the stage. Fields, and menus and
 * dialogs above it, keep theirs.
 */
export function useStageKeys(
  element: { current: HTMLElement | null },
  stage: Stage,
  onPictureKey: (key: string) => boolean,
): void {
  const { onPrevious, onNext, screen, slideshow } = stage

  function onKey(key: string): boolean {
    if (onPictureKey(key)) return true
    if (key === 'ArrowLeft') onPrevious?.()
    else if (key === 'ArrowRight') onNext?.()
    else if (key === 'f') screen.full ? screen.leave() : screen.enter()
    else if (key === 's' || (key === ' ' && screen.full)) slideshow.playing ? slideshow.stop() : startSlideshow(stage)
    else return false
    return true
  }

  const handle = useEffectEvent((event: globalThis.KeyboardEvent) => {
    if (event.key === ' ' && (event.target as Element).closest('a, button')) return
    if (event.altKey || event.ctrlKey || event.metaKey || (event.target as Element).closest(OWN_KEYS)) return
    if (onKey(event.key)) event.preventDefault()
  })
  useEffect(() => {
    const dialog = element.current?.closest<HTMLElement>('[role="dialog"]')
    dialog?.addEventListener('keydown', handle)
    return () => dialog?.removeEventListener('keydown', handle)
  }, [element])
}

/** How long a photo is shown, in seconds. */
const SLIDE_SECONDS = [3, 5, 10, 20] as const

/** Kept while the page is open. */
const slideSeconds = createStore<number>(5)

type Slideshow = ReturnType<typeof useSlideshow>

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
  const visible = useSyncExternalStore(followVisibility, () => !document.hidden)
  useEffect(() => {
    if (!running || !visible) return
    const timer = setInterval(() => next(), seconds * 1000)
    return () => clearInterval(timer)
  }, [running, visible, seconds])
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
