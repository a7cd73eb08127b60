import { RotateCcw } from 'lucide-react'
import { memo, useId } from 'react'
import { Link } from 'react-router-dom'
import type { PrintOrder } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { openPrintWizard } from '../../photos/open-print-wizard.ts'
import { OrderBadges, OrderNotice } from './order-badges.tsx'
import { OrderFacts } from './order-facts.tsx'
import { OrderItems } from './order-items.tsx'
import { orderName, photoIdsOf, readyText, repeatOrder } from './order-texts.ts'
import { OrderedTime } from './ordered-time.tsx'

const ITEMS_SHOWN = 3

/** One order in the list. */
export const OrderCard = memo(function OrderCard({ order }: { order: PrintOrder }) {
  const id = useId()
  const ready = readyText(order)
  return (
    <article aria-labelledby={id} className="rounded-lg bg-surface p-4 shadow-low ring ring-line sm:p-5">
      <header className="mb-4 flex flex-wrap items-center gap-x-2 gap-y-2">
        <h2 id={id} className="mr-1 min-w-0 text-lg font-semibold wrap-anywhere">
          <Link
            to={`/orders/${order.id}`}
            className="relative rounded-sm after:absolute after:-inset-3 hover:underline sm:after:inset-0"
          >
            {orderName(order)}
          </Link>
        </h2>
        <OrderBadges order={order} />
        <p className="flex basis-full flex-wrap gap-x-4 text-sm text-muted">
          <OrderedTime at={order.createdAt} />
          {ready && <span>{ready}</span>}
        </p>
      </header>
      <div className="grid gap-4">
        <OrderNotice orderStatus={order.orderStatus} />
        <div>
          <OrderItems order={order} atMost={ITEMS_SHOWN} />
        </div>
        <div className="border-t border-line pt-4">
          <OrderFacts order={order} />
        </div>
        <OrderAgain order={order} />
      </div>
    </article>
  )
})

/** Opens the print wizard with the order's photos, unless the order may still arrive at the store or no photo is left. */
export function OrderAgain({ order }: { order: PrintOrder }) {
  if (order.orderStatus === 'unknown' || photoIdsOf(order).length === 0) return null
  return (
    <div className="flex max-sm:*:flex-1">
      <Button size="small" onClick={() => openPrintWizard(repeatOrder(order))}>
        <RotateCcw aria-hidden /> Order again
        <span className="sr-only">: {orderName(order)}</span>
      </Button>
    </div>
  )
}
