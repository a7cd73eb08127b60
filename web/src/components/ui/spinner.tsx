import { LoaderCircle } from 'lucide-react'
import { cx } from '../../lib/cx.ts'

interface SpinnerProps {
  /** Announced by screen readers; omit it beside a text that says the same. */
  label?: string
  className?: string
}

export function Spinner({ label, className }: SpinnerProps) {
  return (
    <span
      role={label ? 'status' : undefined}
      className={cx('inline-flex', !className?.includes('text-current') && 'text-muted', className)}
    >
      <LoaderCircle aria-hidden className="size-[1.25em] animate-spin" />
      {label && <span className="sr-only">{label}</span>}
    </span>
  )
}

/** A spinner for a screen that is loading; the footer stays below the window, so that it does not move when the screen is there. */
export function ScreenSpinner({ label = 'Loading' }: { label?: string }) {
  return (
    <div className="grid min-h-[50dvh] place-items-center text-2xl in-[main]:min-h-dvh in-[main]:pb-[50dvh]">
      <Spinner label={label} />
    </div>
  )
}
