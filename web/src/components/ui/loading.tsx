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

/** A grey placeholder for content that is loading; set size and radius by class. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <div
      aria-hidden
      className={cx('bg-sunken animate-pulse-soft', !className?.includes('rounded') && 'rounded-sm', className)}
    />
  )
}

interface ProgressProps {
  /** 0 to 100. */
  value: number
  label: string
}

export function Progress({ value, label }: ProgressProps) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(value)}
      className="h-1.5 overflow-hidden rounded-full bg-sunken"
    >
      <div
        className="h-full origin-left rounded-full bg-accent transition-transform"
        style={{ transform: `scaleX(${value / 100})` }}
      />
    </div>
  )
}
