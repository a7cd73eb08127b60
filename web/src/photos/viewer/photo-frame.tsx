import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useEffect, useState } from 'react'
import { IconButton } from '../../components/ui/button.tsx'

interface CloseButtonProps {
  variant?: 'overlay'
  className: string
}

/** Closes a photo's dialog. It is on top of the picture, or beside it where the details are. */
export function CloseButton(props: CloseButtonProps) {
  return (
    <Dialog.Close asChild>
      <IconButton label="Close" icon={<X />} {...props} />
    </Dialog.Close>
  )
}

export interface FullScreen {
  full: boolean
  enter(): void
  leave(): void
}

/**
 * The picture of an open dialog without its details. Where the browser can, the page fills the whole screen, so that
 * toasts and dialogs stay visible on top; elsewhere the picture fills the window. Ends with the dialog, and when the user
 * leaves the browser's full screen.
 */
export function useFullScreen(open = true): FullScreen {
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

// A photo's dialog fills the window: the picture, and its details below or beside it.

export const DIALOG = 'fixed inset-0 flex flex-col bg-surface outline-none animate-appear'
export const PICTURE = 'h-[46dvh] shrink-0 beside:h-auto beside:min-w-0 beside:flex-1 beside:shrink'
export const DETAILS = 'flex min-h-0 flex-1 flex-col beside:w-[min(400px,46vw)] beside:flex-none'
