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

/** A spinner in the place of a screen that is loading: as tall as the window, and without the footer, which would move into and out of it. */
export function ScreenSpinner({ label = 'Loading' }: { label?: string }) {
  return (
    <div data-loads className="min-h-dvh text-2xl">
      <div className="grid min-h-[50dvh] place-items-center">
        <Spinner label={label} />
      </div>
    </div>
  )
}
