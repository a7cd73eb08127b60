import { cx } from '../../lib/cx.ts'

/** A grey shape of what comes; give it size and radius by class. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <div
      aria-hidden
      className={cx('bg-sunken animate-pulse-soft', !className?.includes('rounded') && 'rounded-sm', className)}
    />
  )
}
