import { X } from 'lucide-react'
import { Toast as RadixToast } from 'radix-ui'
import { type FocusEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { cx } from '../../lib/cx.ts'
import { useStore } from '../../lib/store.ts'
import { useCountdown } from '../../lib/use-countdown.ts'
import { Button, IconButton } from './button.tsx'
import { shownToast, TONES, type ToastContent, type ToastPlace } from './toast-store.ts'

const SHOWN_MS = 5_000
/** Reading a note takes longer, and so does deciding and reaching a button. */
const SHOWN_LONGER_MS = 10_000
/**
 * The place of toasts, such that they cover no control. On the page at the bottom: on phones above a dock, elsewhere at the
 * right. With a dialog at the top of the window, where every dialog leaves room; on phones on their side, which have none,
 * over its title. On a photo in the upper left corner of the picture, on upright phones below the buttons in its corner.
 */
const PLACES: Record<ToastPlace, string> = {
  page: 'phone:right-2.5 phone:bottom-[max(10px,env(safe-area-inset-bottom))] max-sm:left-2.5 short:w-[min(352px,42vw-20px)] max-sm:[body:has([data-dock])_&]:bottom-[calc(148px+var(--note,0px))] roomy:right-6 roomy:bottom-6 roomy:w-88',
  panel:
    'inset-x-0 top-[max(6px,env(safe-area-inset-top))] mx-auto w-[min(100vw-20px,40rem)] short:absolute short:inset-x-auto short:top-1.5 short:right-16 short:left-1.5 short:w-auto',
  photo:
    'top-3 left-3 w-88 max-sm:top-15.5 max-sm:right-2.5 max-sm:left-2.5 max-sm:w-auto short:left-2.5 short:w-[min(352px,42vw-20px)]',
}

export function ToastViewport({ place }: { place: ToastPlace }) {
  const content = useStore(shownToast)
  const focusBefore = useRef<HTMLElement | null>(null)

  function rememberFocus({ relatedTarget }: FocusEvent): void {
    if (relatedTarget instanceof HTMLElement && !relatedTarget.closest('[data-toasts]'))
      focusBefore.current = relatedTarget
  }

  /** If the focus is inside the toast, it returns to where it was before. */
  function returnFocus(): void {
    if (document.activeElement?.closest('[data-toasts]')) focusBefore.current?.focus({ preventScroll: true })
  }

  function close(key: number): void {
    if (shownToast.get()?.key === key) shownToast.set(null)
    returnFocus()
  }

  return (
    <RadixToast.Provider duration={Number.POSITIVE_INFINITY} label="Notice" swipeDirection="right">
      {content && (
        <ToastCard
          key={content.key}
          content={content}
          onClose={() => close(content.key)}
          onEnter={rememberFocus}
          onReturnFocus={returnFocus}
        />
      )}
      <RadixToast.Viewport data-toasts onFocus={rememberFocus} className={`fixed z-60 outline-none ${PLACES[place]}`} />
    </RadixToast.Provider>
  )
}

interface ToastCardProps {
  content: ToastContent
  onClose: () => void
  /** The focus has moved into the toast: its events do not reach the viewport, which is no ancestor of it in React. */
  onEnter: (event: FocusEvent) => void
  onReturnFocus: () => void
}

function ToastCard({ content, onClose, onEnter, onReturnFocus }: ToastCardProps) {
  const [until] = useState(() => Date.now() + (content.action?.afterSeconds ?? 0) * 1000)
  const wait = useCountdown(until)
  const pause = useClosing(onClose, wait > 0)
  const tone = content.tone ?? 'good'
  const { Icon, color } = TONES[tone]
  return (
    <RadixToast.Root
      type={tone === 'good' ? 'background' : 'foreground'}
      {...pause}
      onFocus={(event) => {
        pause.onFocus()
        onEnter(event)
      }}
      onOpenChange={(open) => !open && onClose()}
      className="flex items-start gap-3 rounded-md bg-surface py-3 pr-2 pl-4 shadow-high ring ring-line animate-pop compact:gap-2 compact:py-1.5 compact:pr-0 compact:pl-3 compact:text-sm data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x)"
    >
      <Icon aria-hidden className={cx('mt-0.5 size-5 shrink-0 compact:mt-1.5', color)} />
      <div className="min-w-0 flex-1 compact:flex compact:min-h-8 compact:items-center compact:gap-2">
        <div className="min-w-0 flex-1">
          <RadixToast.Title className="font-semibold compact:inline">{content.title}</RadixToast.Title>
          {content.description && (
            // In few lines a note leaves no room for both.
            <RadixToast.Description
              className={cx(
                'text-muted wrap-anywhere',
                content.note ? 'compact:sr-only' : 'compact:ml-1.5 compact:inline',
              )}
            >
              {content.description}
            </RadixToast.Description>
          )}
          {content.note && (
            <p className="mt-1 text-sm text-pretty text-muted wrap-anywhere compact:mt-0">{content.note}</p>
          )}
        </div>
        {content.action && <ToastAction action={content.action} wait={wait} onReturnFocus={onReturnFocus} />}
      </div>
      <RadixToast.Close asChild>
        <IconButton label="Dismiss" icon={<X />} className="-my-1.5 compact:self-center" />
      </RadixToast.Close>
    </RadixToast.Root>
  )
}

interface ToastActionProps extends Pick<ToastCardProps, 'onReturnFocus'> {
  action: NonNullable<ToastContent['action']>
  wait: number
}

function ToastAction({ action, wait, onReturnFocus }: ToastActionProps) {
  // The action may replace the toast: the focus would stay in the empty list of toasts.
  function act(): void {
    onReturnFocus()
    action.onSelect()
  }

  if (wait > 0) {
    return (
      <Button size="small" className="mt-2 compact:mt-0" aria-disabled>
        {`${action.label} in ${wait} s`}
      </Button>
    )
  }
  return (
    <RadixToast.Action asChild altText={action.label}>
      <Button size="small" className="mt-2 compact:mt-0" onClick={act}>
        {action.label}
      </Button>
    </RadixToast.Action>
  )
}

/** Since when the time of the toast with this key is running: it goes on when the toast moves into or out of a dialog. */
let running = { key: 0, since: 0 }

/**
 * Closes after five seconds, with a button after ten, but not while `held`, nor while the pointer or the focus is inside. Radix's own timer is
 * not used: it stays stopped for good when a toast closes while the pointer is on it.
 */
function useClosing(onClose: () => void, held: boolean) {
  const [paused, setPaused] = useState(false)
  const close = useEffectEvent(onClose)
  useEffect(() => {
    const { key = 0, action, note } = shownToast.get() ?? {}
    if (paused || held) running = { key: 0, since: 0 }
    if (paused || held) return
    if (running.key !== key) running = { key, since: Date.now() }
    const shownMs = action || note ? SHOWN_LONGER_MS : SHOWN_MS
    const timer = setTimeout(() => close(), running.since + shownMs - Date.now())
    return () => clearTimeout(timer)
  }, [paused, held])
  return {
    onPointerEnter: () => setPaused(true),
    onPointerLeave: () => setPaused(false),
    onFocus: () => setPaused(true),
    onBlur: () => setPaused(false),
  }
}
