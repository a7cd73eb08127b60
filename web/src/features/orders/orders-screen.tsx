import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Images, Receipt } from 'lucide-react'
import { memo, useEffect, useEffectEvent, useId, useMemo, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import { api } from '../../api/client.ts'
import { ordersQuery } from '../../api/orders.ts'
import type { PrintOrder } from '../../api/types.ts'
import { EmptyState, ErrorState, LoadingState } from '../../components/ui/empty-state.tsx'
import { LinkButton } from '../../components/ui/link-button.tsx'
import { LoadMore } from '../../components/ui/load-more.tsx'
import { Skeleton, Spinner } from '../../components/ui/loading.tsx'
import { countOf } from '../../lib/format.ts'
import { usePageTitle } from '../../lib/routing.ts'
import { OrderAgain, OrderBadges, OrderClock, OrderFacts, OrderItems, OrderNotice, OrderTimes } from './order-parts.tsx'
import { describeChanges, orderName } from './order-texts.ts'

const ITEMS_SHOWN = 3
const HELD_MS = 800

export default function OrdersScreen() {
  usePageTitle('Print Orders')
  const list = useInfiniteQuery(ordersQuery)
  const { data, error, isFetching, isFetchNextPageError } = list
  const total = data?.pages[0]?.total
  const orders = useMemo(() => data?.pages.flatMap(({ items }) => items), [data])
  const refreshing = useHeld(useStatusRefresh(total))
  const refetching = useHeld(list.isRefetching)
  return (
    <div className="page pt-7">
      <header className="mb-5">
        <h1 className="text-2xl font-bold sm:text-3xl">Print Orders</h1>
        <div className="flex min-h-6 flex-wrap gap-x-4 text-muted">
          {total !== undefined && total > 0 && <p>{countOf(total, 'order')}</p>}
          {/* What is being read now is not announced: it changes every 30 seconds. */}
          {refreshing || refetching ? (
            <p className="flex items-center gap-2 text-sm/6">
              <Spinner />{' '}
              <span>{refreshing ? 'Checking live status with Walgreens' : 'Checking for status updates...'}</span>
            </p>
          ) : (
            data &&
            error && <p className="text-sm/6">The last check for updates failed. It is repeated every 30 seconds.</p>
          )}
        </div>
      </header>
      {orders ? (
        <OrderList orders={orders} />
      ) : error ? (
        <div className="rounded-lg bg-surface shadow-low ring ring-line">
          <ErrorState
            title="Error Loading Orders"
            description="Unable to load your Walgreens orders. Please try again later."
            onRetry={() => void list.refetch()}
          />
        </div>
      ) : (
        <OrdersSkeleton />
      )}
      {list.hasNextPage && (
        <LoadMore
          what="orders"
          // A page is loaded only while nothing else is being read: reading again would cancel it, or be cancelled by it.
          busy={isFetching && !isFetchNextPageError}
          failed={isFetchNextPageError}
          onLoad={() => void (!isFetching && list.fetchNextPage())}
        />
      )}
    </div>
  )
}

/**
 * Asks for fresh statuses whenever the number of orders changes and is above zero, then reads the list again. True while
 * it runs. A failure shows nothing: the server checks the statuses by itself as well.
 */
function useStatusRefresh(count: number | undefined): boolean {
  const client = useQueryClient()
  const refresh = useMutation({
    mutationFn: () => api('post', '/api/walgreens/refresh-order-status', { body: null }),
    // Not awaited: reading the list is not part of the refresh.
    onSuccess: () => void client.invalidateQueries({ queryKey: ordersQuery.queryKey }),
  })
  const start = useEffectEvent(() => refresh.mutate())
  useEffect(() => {
    if (count !== undefined && count > 0) start()
  }, [count])
  return refresh.isPending
}

/** Stays true for a moment after the value became false, so that a text does not flash. */
function useHeld(value: boolean): boolean {
  const [held, setHeld] = useState(value)
  if (value && !held) setHeld(true)
  useEffect(() => {
    if (value) return
    const timer = setTimeout(() => setHeld(false), HELD_MS)
    return () => clearTimeout(timer)
  }, [value])
  return held
}

function OrderList({ orders }: { orders: readonly PrintOrder[] }) {
  if (orders.length === 0) {
    return (
      <EmptyState
        icon={<Receipt />}
        title="No Orders Yet"
        description="You haven't placed any orders yet. Print photos for Same Day Pickup at Walgreens."
        action={
          <LinkButton to="/folders" variant="primary">
            <Images aria-hidden /> Browse Photos to Print
          </LinkButton>
        }
      />
    )
  }
  return (
    <OrderClock>
      <StatusChanges orders={orders} />
      {/* Cards out of view are not laid out: there may be a thousand. */}
      <ul className="grid gap-4">
        {orders.map((order) => (
          <li key={order.id} className="-m-1 p-1 [contain-intrinsic-size:auto_330px] [content-visibility:auto]">
            <OrderCard order={order} />
          </li>
        ))}
      </ul>
    </OrderClock>
  )
}

/** The latest changes of status in words, for screen readers. */
function StatusChanges({ orders }: { orders: readonly PrintOrder[] }) {
  const statuses = useRef<Map<number, string | null>>(new Map())
  const [text, setText] = useState('')
  useEffect(() => {
    const changes = describeChanges(statuses.current, orders)
    statuses.current = new Map(orders.map(({ id, orderStatus }) => [id, orderStatus]))
    if (changes) setText(changes)
  }, [orders])
  return (
    <p role="status" className="sr-only">
      {text}
    </p>
  )
}

const OrderCard = memo(function OrderCard({ order }: { order: PrintOrder }) {
  const id = useId()
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
          <OrderTimes order={order} />
        </p>
      </header>
      <div className="grid gap-4">
        <OrderNotice order={order} />
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

function OrdersSkeleton() {
  return (
    <LoadingState label="Loading orders" className="grid gap-4">
      {[1, 2, 3].map((shape) => (
        <div key={shape} className="grid gap-4 rounded-lg bg-surface p-4 shadow-low ring ring-line sm:p-5">
          <Skeleton className="h-6 w-56 max-w-full" />
          <Skeleton className="h-3.5 w-40" />
          <div className="flex items-center gap-4">
            <Skeleton className="aspect-3/2 w-20 rounded-md sm:w-24" />
            <Skeleton className="h-4 w-40" />
          </div>
          <div className="grid gap-4 grid-cols-2 border-t border-line pt-4 md:grid-cols-3">
            {[1, 2, 3].map((column) => (
              <Skeleton key={column} className="h-16 last:max-md:col-span-2" />
            ))}
          </div>
        </div>
      ))}
    </LoadingState>
  )
}
