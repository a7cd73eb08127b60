import { X } from 'lucide-react'
import { Toast as RadixToast } from 'radix-ui'
import { type FocusEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { cx } from '../../lib/cx.ts'
import { useStore } from '../../lib/store.ts'
import { useCountdown } from '../../lib/use-countdown.ts'
import { Button, IconButton } from './button.tsx'
import { shownToast, TONES, type ToastContent } from './toast-store.ts'

const SHOWN_MS = 5_000
/** Reading a note takes longer, and so does deciding and reaching a button. */
const SHOWN_LONGER_MS = 10_000
/** In landscape at the right, where a photo's details are. */
const ON_PHONES =
  'phone:right-2.5 phone:bottom-[max(10px,env(safe-area-inset-bottom))] max-sm:left-2.5 short:w-[min(352px,42vw-20px)] max-sm:[body:has([data-dock]):not(:has([role=dialog]))_&]:bottom-37 max-sm:[body:has([data-sheet])_&]:top-[max(6px,env(safe-area-inset-top))] max-sm:[body:has([data-sheet])_&]:bottom-auto short:[body:has([data-sheet])_&]:right-auto short:[body:has([data-sheet])_&]:left-2.5'
const ELSEWHERE =
  'roomy:right-6 roomy:bottom-6 roomy:w-88 roomy:max-xl:[body:has([role=dialog])_&]:top-3 roomy:max-xl:[body:has([role=dialog])_&]:bottom-auto roomy:max-2xl:[body:has([data-large])_&]:top-auto! roomy:max-2xl:[body:has([data-large])_&]:right-auto roomy:max-2xl:[body:has([data-large])_&]:bottom-28! roomy:max-2xl:[body:has([data-large])_&]:left-6'
/**
 * The place of toasts. On phones at the bottom, above a dock, and at the top while a sheet is open, which leaves that
 * room: so they cover neither the dock, nor the sheet's title or buttons, nor the picture of a photo's dialog. Elsewhere
 * at the bottom right; with an open dialog whose buttons they would cover at the top, with a large one above the row of
 * its buttons.
 */
export function ToastViewport() {
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
      <RadixToast.Viewport
        data-toasts
        onFocus={rememberFocus}
        className={`fixed z-60 outline-none ${ON_PHONES} ${ELSEWHERE}`}
      />
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
      className="flex items-start gap-3 rounded-md bg-surface py-3 pr-2 pl-4 shadow-high ring ring-line animate-pop phone:gap-2 phone:py-1.5 phone:pr-0 phone:pl-3 phone:text-sm data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x)"
    >
      <Icon aria-hidden className={cx('mt-0.5 size-5 shrink-0 phone:mt-1.5', color)} />
      <div className="min-w-0 flex-1 phone:flex phone:min-h-8 phone:items-center phone:gap-2">
        <div className="min-w-0 flex-1">
          <RadixToast.Title className="font-semibold phone:inline">{content.title}</RadixToast.Title>
          {content.description && (
            // On phones a note leaves no room for both.
            <RadixToast.Description
              className={cx('text-muted wrap-anywhere', content.note ? 'phone:sr-only' : 'phone:ml-1.5 phone:inline')}
            >
              {content.description}
            </RadixToast.Description>
          )}
          {content.note && (
            <p className="mt-1 text-sm text-pretty text-muted wrap-anywhere phone:mt-0">{content.note}</p>
          )}
        </div>
        {content.action && <ToastAction action={content.action} wait={wait} onReturnFocus={onReturnFocus} />}
      </div>
      <RadixToast.Close asChild>
        <IconButton label="Dismiss" icon={<X />} className="-my-1.5 phone:self-center" />
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
      <Button size="small" className="mt-2 phone:mt-0" aria-disabled>
        {`${action.label} in ${wait} s`}
      </Button>
    )
  }
  return (
    <RadixToast.Action asChild altText={action.label}>
      <Button size="small" className="mt-2 phone:mt-0" onClick={act}>
        {action.label}
      </Button>
    </RadixToast.Action>
  )
}

/**
 * Closes after five seconds, with a button after ten, but not while `held`, nor while the pointer or the focus is inside. Radix's own timer is
 * not used: it stays stopped for good when a toast closes while the pointer is on it.
 */
function useClosing(onClose: () => void, held: boolean) {
  const [paused, setPaused] = useState(false)
  const close = useEffectEvent(onClose)
  useEffect(() => {
    if (paused || held) return
    const { action, note } = shownToast.get() ?? {}
    const timer = setTimeout(() => close(), action || note ? SHOWN_LONGER_MS : SHOWN_MS)
    return () => clearTimeout(timer)
  }, [paused, held])
  return {
    onPointerEnter: () => setPaused(true),
    onPointerLeave: () => setPaused(false),
    onFocus: () => setPaused(true),
    onBlur: () => setPaused(false),
  }
}
