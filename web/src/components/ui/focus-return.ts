import { useRef } from 'react'

/**
 * Returns the focus when a dialog closes: to the element that had it when the dialog opened (for a menu item, the
 * menu's button), or, if that element no longer exists, to the dialog that it was in, to the active cell of the screen's grid, or to the
 * screen. Returns the dialog's `onCloseAutoFocus` handler. The page does not scroll.
 */
export function useFocusReturn(open: boolean): (event: Event) => void {
  const opener = useRef<HTMLElement | null>(null)
  const outer = useRef<HTMLElement | null>(null)
  const wasOpen = useRef(false)
  // During rendering: a menu that opens a dialog is unmounted before effects run.
  if (open && !wasOpen.current) {
    opener.current = focusedControl()
    outer.current = opener.current ? opener.current.closest<HTMLElement>('[role="dialog"]') : topDialog()
  }
  wasOpen.current = open
  return (event) => {
    event.preventDefault()
    const target = opener.current?.isConnected
      ? opener.current
      : (startOf(outer.current) ?? activeCell() ?? document.getElementById('main'))
    target?.focus({ preventScroll: true })
  }
}

/** Nothing has the focus when its control was disabled, for example while it saves. */
function topDialog(): HTMLElement | null {
  return [...document.querySelectorAll<HTMLElement>('[role="dialog"]')].at(-1) ?? null
}

/** Where the focus is in a dialog that has just opened; null when it is closed. */
function startOf(dialog: HTMLElement | null): HTMLElement | null {
  return dialog?.isConnected ? (dialog.querySelector<HTMLElement>('[data-autofocus]') ?? dialog) : null
}

/** The cell of a grid that is in the tab order. */
function activeCell(): HTMLElement | null {
  return document.querySelector<HTMLElement>('#main [role="gridcell"][tabindex="0"]')
}

function focusedControl(): HTMLElement | null {
  const focused = document.activeElement
  const menu = focused?.closest('[role="menu"]')
  const button = menu && document.getElementById(menu.getAttribute('aria-labelledby') ?? '')
  return button ?? (focused instanceof HTMLElement && focused !== document.body ? focused : null)
}
