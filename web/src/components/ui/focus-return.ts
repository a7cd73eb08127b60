import { useRef } from 'react'

/**
 * Gives the focus back when a dialog closes: to what had it when the dialog opened (for an item of a menu: the menu's
 * button), or to the screen when that is gone or nothing had it. Answers the dialog's `onCloseAutoFocus`.
 */
export function useFocusReturn(open: boolean): (event: Event) => void {
  const opener = useRef<HTMLElement | null>(null)
  const wasOpen = useRef(false)
  // While rendering: a menu that opens a dialog is gone once effects run.
  if (open && !wasOpen.current) opener.current = focusedControl()
  wasOpen.current = open
  return (event) => {
    event.preventDefault()
    const target = opener.current?.isConnected ? opener.current : document.getElementById('main')
    target?.focus()
  }
}

function focusedControl(): HTMLElement | null {
  const focused = document.activeElement
  const menu = focused?.closest('[role="menu"]')
  const button = menu && document.getElementById(menu.getAttribute('aria-labelledby') ?? '')
  return button ?? (focused instanceof HTMLElement && focused !== document.body ? focused : null)
}
