import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { PrintOrder } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { OrderCard } from './order-card.tsx'
import { describeChanges } from './order-texts.ts'
import { OrderClock } from './ordered-time.tsx'

/** The next page is loaded when its button is this near. */
const NEAR = '800px'

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
      {list.hasMore && <LoadMore busy={list.isLoadingMore} failed={list.loadingMoreFailed} onLoad={list.loadMore} />}
    </OrderClock>
  )
}

interface LoadMoreProps {
  busy: boolean
  failed: boolean
  onLoad: () => void
}

/** Loads the next page when it comes near, and by a click; after a failure only by a click. */
function LoadMore({ busy, failed, onLoad }: LoadMoreProps) {
  const place = useRef<HTMLDivElement>(null)
  const load = useEffectEvent(onLoad)
  useEffect(() => {
    if (busy || failed || !place.current) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && load(), { rootMargin: NEAR })
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [busy, failed])
  return (
    <div ref={place} className="mt-6 grid justify-items-center gap-3">
      {failed && <p role="alert">More orders could not be loaded.</p>}
      <Button busy={busy} onClick={onLoad}>
        {failed ? 'Try again' : 'Load more'}
      </Button>
    </div>
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
