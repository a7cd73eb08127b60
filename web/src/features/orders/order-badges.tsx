import { FlaskConical, PackageCheck } from 'lucide-react'
import type { PrintOrder } from '../../api/types.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { CANCELLED_TEXT, SANDBOX_TEXT, statusLabel, statusTone, UNKNOWN_TEXT } from './order-texts.ts'

/** Status, 'Ready for Pickup!', and the note of the sandbox. */
export function OrderBadges({ order }: { order: Pick<PrintOrder, 'orderStatus' | 'environment'> }) {
  return (
    <>
      <Badge tone={statusTone(order.orderStatus)}>{statusLabel(order.orderStatus)}</Badge>
      {order.orderStatus === 'ready' && (
        <Badge tone="good" icon={<PackageCheck aria-hidden />}>
          Ready for Pickup!
        </Badge>
      )}
      {order.environment === 'sandbox' && <Badge icon={<FlaskConical aria-hidden />}>{SANDBOX_TEXT}</Badge>}
    </>
  )
}

/** Says whether to order again: not while the outcome is not known, but after a cancellation. */
export function OrderNotice({ orderStatus }: Pick<PrintOrder, 'orderStatus'>) {
  if (orderStatus === 'cancelled') return <p className="rounded-md bg-sunken px-4 py-3">{CANCELLED_TEXT}</p>
  if (orderStatus !== 'unknown') return null
  return <p className="rounded-md bg-warn-soft px-4 py-3 font-medium text-warn">{UNKNOWN_TEXT}</p>
}
