import type { PrintOrderEvent } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { formatDateTime } from '../../lib/format.ts'
import { type StatusTone, statusLabel, statusTone } from './order-texts.ts'

const DOTS: Record<StatusTone, string> = {
  accent: 'bg-accent',
  warn: 'bg-warn',
  good: 'bg-good',
  neutral: 'bg-muted',
  danger: 'bg-danger',
}

/** What happened to an order, the latest first. */
export function OrderHistory({ history }: { history: readonly PrintOrderEvent[] }) {
  if (history.length === 0) return <p className="text-muted">Nothing has happened yet.</p>
  return (
    <ol>
      {history.toReversed().map(({ at, status, note }, index) => (
        <li
          key={`${at} ${status}`}
          className="relative pb-5 pl-6 before:absolute before:top-2 before:bottom-0 before:left-[5px] before:w-0.5 before:translate-y-3 before:bg-line last:pb-0 last:before:hidden"
        >
          <span aria-hidden className={cx('absolute top-1.5 left-0 size-3 rounded-full', DOTS[statusTone(status)])} />
          <p className={index === 0 ? 'font-semibold' : undefined}>{statusLabel(status)}</p>
          <p className="text-sm text-muted">
            <time dateTime={at}>{formatDateTime(at) ?? at}</time>
          </p>
          {note && <p className="text-sm text-pretty wrap-anywhere">{note}</p>}
        </li>
      ))}
    </ol>
  )
}
