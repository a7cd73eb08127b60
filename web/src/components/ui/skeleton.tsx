import { cx } from '../../lib/cx.ts'

/** A grey placeholder for content that is loading; set size and radius by class. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <div
      aria-hidden
      className={cx('bg-sunken animate-pulse-soft', !className?.includes('rounded') && 'rounded-sm', className)}
    />
  )
}
