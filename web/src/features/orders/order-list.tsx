import { useEffect, useRef, useState } from 'react'
import type { PrintOrder } from '../../api/types.ts'
import { LoadMore } from '../../components/ui/load-more.tsx'
import { OrderCard } from './order-card.tsx'
import { describeChanges } from './order-texts.ts'
import { OrderClock } from './ordered-time.tsx'

interface OrderListProps {
  orders: readonly PrintOrder[]
  hasMore: boolean
  isLoadingMore: boolean
  loadingMoreFailed: boolean
  loadMore: () => void
}

/** The orders, newest first. Cards out of view are not laid out: there may be a thousand. */
export function OrderList({ orders, ...list }: OrderListProps) {
  return (
    <OrderClock>
      <p role="status" className="sr-only">
        {useStatusChanges(orders)}
      </p>
      <ul className="grid gap-4">
        {orders.map((order) => (
          <li key={order.id} className="-m-1 p-1 [contain-intrinsic-size:auto_330px] [content-visibility:auto]">
            <OrderCard order={order} />
          </li>
        ))}
      </ul>
      {list.hasMore && (
        <LoadMore what="orders" busy={list.isLoadingMore} failed={list.loadingMoreFailed} onLoad={list.loadMore} />
      )}
    </OrderClock>
  )
}

/** The latest changes of status in words. */
function useStatusChanges(orders: readonly PrintOrder[]): string {
  const statuses = useRef<Map<number, string | null>>(new Map())
  const [text, setText] = useState('')
  useEffect(() => {
    const changes = describeChanges(statuses.current, orders)
    statuses.current = new Map(orders.map(({ id, orderStatus }) => [id, orderStatus]))
    if (changes) setText(changes)
  }, [orders])
  return text
}
