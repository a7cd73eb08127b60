import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react'
import { IconButton } from '../../components/ui/button.tsx'
import { ToastHost } from '../../components/ui/toast.tsx'

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
          <ToastHost />
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

export type FullScreen = ReturnType<typeof useFullScreen>

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
