import { useEffect, useState } from 'react'

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
