import { X } from 'lucide-react'
import { Dialog as RadixDialog } from 'radix-ui'
import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { cx } from '../../lib/cx.ts'
import { IconButton } from './button.tsx'
import { ToastHost } from './toast.tsx'

/** The dimmed page behind a dialog, and another dialog that is open below it. */
export const OVERLAY = 'fixed inset-0 z-50 bg-black/50 animate-appear'
/**
 * A panel that is a sheet from the bottom on phones, and a centred card elsewhere, with room for a toast above its title.
 * It has no transform, so that the toast is positioned in the window.
 */
export const PANEL =
  'fixed z-50 flex flex-col bg-surface shadow-high outline-none inset-x-0 bottom-0 max-h-[min(90dvh,100dvh-84px)] rounded-t-lg pb-[env(safe-area-inset-bottom)] animate-sheet sm:inset-0 sm:m-auto sm:h-fit sm:w-[calc(100vw-56px)] short:max-h-[90vh] roomy:max-h-[min(90vh,100vh-88px)] sm:rounded-lg sm:animate-pop'

interface DialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description?: ReactNode
  children: ReactNode
  /** The buttons, main one last; on phones they share the width. */
  footer?: ReactNode
  size?: 'medium' | 'large'
  /** Moves the focus after the dialog has closed; by default it returns to where it was. */
  onClosed?: () => void
}

/** Focuses the control marked `data-autofocus`; by default Radix focuses the first control. */
function focusMarked(event: Event): void {
  const marked = (event.currentTarget as HTMLElement).querySelector<HTMLElement>('[data-autofocus]')
  if (!marked) return
  event.preventDefault()
  marked.focus()
}

/** A part of the content that is marked `data-takes-escape` takes the key for itself. */
function leaveToContent(event: globalThis.KeyboardEvent): void {
  if (event.target instanceof Element && event.target.closest('[data-takes-escape]')) event.preventDefault()
}

/** A modal dialog: header and footer are fixed, the content scrolls. */
export function Dialog(props: DialogProps) {
  const { open, onOpenChange, title, description, children, footer, size = 'medium', onClosed } = props
  const returnFocus = useFocusReturn(open)

  function leave(event: Event): void {
    event.preventDefault()
    if (onClosed) onClosed()
    else returnFocus(event)
  }

  /** A visible toast takes Escape for itself, although the focus is in the dialog. */
  function closeByKey(event: KeyboardEvent): void {
    if (event.key === 'Escape' && !event.defaultPrevented) onOpenChange(false)
  }

  return (
    <RadixDialog.Root open={open} onOpenChange={onOpenChange}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className={OVERLAY} />
        <RadixDialog.Content
          onOpenAutoFocus={focusMarked}
          onCloseAutoFocus={leave}
          onEscapeKeyDown={leaveToContent}
          onKeyDown={closeByKey}
          data-sheet
          className={cx(PANEL, size === 'large' ? 'sm:max-w-3xl' : 'sm:max-w-lg')}
          {...(description === undefined && { 'aria-describedby': undefined })}
        >
          <div className="flex items-start justify-between gap-4 px-4 pt-4 sm:px-6 sm:pt-5">
            <div className="min-w-0 py-1.5 sm:py-0">
              <RadixDialog.Title className="text-xl font-semibold">{title}</RadixDialog.Title>
              {description !== undefined && (
                <RadixDialog.Description className="mt-1 text-muted">{description}</RadixDialog.Description>
              )}
            </div>
            <RadixDialog.Close asChild>
              <IconButton label="Close" icon={<X />} className="-mr-2" />
            </RadixDialog.Close>
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-4 py-4 sm:px-6">{children}</div>
          {footer && <DialogFooter>{footer}</DialogFooter>}
          <ToastHost place="panel" />
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  )
}

/** The row of a dialog's buttons. */
export function DialogFooter({ children }: { children: ReactNode }) {
  return (
    <div className="flex flex-wrap justify-end gap-2 px-4 pt-2 pb-4 max-sm:*:flex-1 sm:px-6 sm:pb-6">{children}</div>
  )
}

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
