import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ReceiptText } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { orderQuery } from '../../api/orders.ts'
import { userQuery } from '../../api/queries.ts'
import type { PrintOrderDetails } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, ErrorState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { errorMessage, hasStatus } from '../../lib/http.ts'
import { usePageTitle } from '../../lib/routing.ts'
import { OrderBadges, OrderNotice } from './order-badges.tsx'
import { OrderAgain } from './order-card.tsx'
import { OrderFacts } from './order-facts.tsx'
import { OrderHistory } from './order-history.tsx'
import { OrderItems } from './order-items.tsx'
import { orderName, readyText } from './order-texts.ts'
import { OrderClock, OrderedTime } from './ordered-time.tsx'

/** One print order with its history. */
export function OrderScreen({ orderId }: { orderId: number }) {
  const order = useQuery(orderQuery(orderId))
  usePageTitle(order.data ? orderName(order.data) : 'Print Order')
  if (hasStatus(order.error, 404)) return <OrderNotFound />
  return (
    <>
      <BackLink />
      {order.data && <Order order={order.data} />}
      {order.isPending && <OrderSkeleton />}
      {order.isLoadingError && (
        <ErrorState
          heading="h1"
          title="The order could not be loaded"
          description={errorMessage(order.error)}
          onRetry={() => order.refetch()}
        />
      )}
    </>
  )
}

function Order({ order }: { order: PrintOrderDetails }) {
  const { data: user } = useQuery(userQuery)
  const ready = readyText(order)
  return (
    <OrderClock>
      <header className="mb-5">
        <h1 className="text-2xl font-bold wrap-anywhere sm:text-3xl">{orderName(order)}</h1>
        <p className="mt-1 mb-2 flex flex-wrap gap-x-4 text-muted">
          <OrderedTime at={order.createdAt} />
          {ready && <span>{ready}</span>}
        </p>
        <div role="status" className="flex flex-wrap gap-2">
          <OrderBadges order={order} />
        </div>
      </header>
      <div className="grid items-start gap-4 lg:grid-cols-[1fr_20rem]">
        <div className="grid gap-4">
          <OrderNotice orderStatus={order.orderStatus} />
          <Panel title={order.items.length === 1 ? 'Photo' : 'Photos'}>
            <OrderItems order={order} />
            {order.userId === user?.id && (
              <div className="mt-4">
                <OrderAgain order={order} />
              </div>
            )}
          </Panel>
          <Panel title="Pickup and total">
            <OrderFacts order={order} />
          </Panel>
        </div>
        <Panel title="History">
          <OrderHistory history={order.history} />
        </Panel>
      </div>
    </OrderClock>
  )
}

function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="rounded-lg bg-surface p-4 shadow-low ring ring-line sm:p-5">
      <h2 className="mb-3 text-lg font-semibold">{title}</h2>
      {children}
    </section>
  )
}

function BackLink() {
  return (
    <Link
      to="/orders"
      className="mb-1 -ml-1 inline-flex min-h-11 items-center gap-1 rounded-sm pr-2 text-muted hover:text-text sm:min-h-8"
    >
      <ChevronLeft aria-hidden className="size-4" /> Print Orders
    </Link>
  )
}

export function OrderNotFound() {
  return (
    <EmptyState
      heading="h1"
      icon={<ReceiptText />}
      title="Order not found"
      description="It does not exist, or it belongs to somebody else."
      action={
        <Button asChild>
          <Link to="/orders">Back to orders</Link>
        </Button>
      }
    />
  )
}

function OrderSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading the order</span>
      <Skeleton className="h-8 w-64 max-w-full" />
      <Skeleton className="mt-3 h-4 w-44" />
      <div className="mt-12 grid gap-4 lg:grid-cols-[1fr_20rem]">
        <Skeleton className="h-56 rounded-lg" />
        <Skeleton className="h-56 rounded-lg" />
      </div>
    </div>
  )
}
