import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ReceiptText } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router-dom'
import { orderQuery } from '../../api/orders.ts'
import { userQuery } from '../../api/queries.ts'
import type { PrintOrderDetails, PrintOrderEvent } from '../../api/types.ts'
import { EmptyState, LoadingState, QueryFailure } from '../../components/ui/empty-state.tsx'
import { LinkButton } from '../../components/ui/link-button.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { cx } from '../../lib/cx.ts'
import { formatDateTime } from '../../lib/format.ts'
import { hasStatus } from '../../lib/http.ts'
import { parseId } from '../../lib/parse-id.ts'
import { usePageTitle } from '../../lib/routing.ts'
import { OrderAgain, OrderBadges, OrderClock, OrderFacts, OrderItems, OrderNotice, OrderTimes } from './order-parts.tsx'
import { orderName, type StatusTone, statusLabel, statusTone } from './order-texts.ts'

const DOTS: Record<StatusTone, string> = {
  accent: 'bg-accent',
  warn: 'bg-warn',
  good: 'bg-good',
  neutral: 'bg-muted',
  danger: 'bg-danger',
}

export default function OrderScreen() {
  const orderId = parseId(useParams().id)
  return (
    <div className="page pt-5">
      {orderId === null ? <OrderNotFound /> : <KnownOrder key={orderId} orderId={orderId} />}
    </div>
  )
}

function KnownOrder({ orderId }: { orderId: number }) {
  const order = useQuery(orderQuery(orderId))
  usePageTitle(order.data ? orderName(order.data) : 'Print Order')
  if (hasStatus(order.error, 404)) return <OrderNotFound />
  return (
    <>
      <Link
        to="/orders"
        className="mb-1 -ml-1 inline-flex min-h-11 items-center gap-1 rounded-sm pr-2 text-muted hover:text-text sm:min-h-8"
      >
        <ChevronLeft aria-hidden className="size-4" /> Print Orders
      </Link>
      {order.data && <Order order={order.data} />}
      {order.isPending && <OrderSkeleton />}
      {order.isLoadingError && <QueryFailure query={order} heading="h1" title="The order could not be loaded" />}
    </>
  )
}

function Order({ order }: { order: PrintOrderDetails }) {
  const { data: user } = useQuery(userQuery)
  return (
    <OrderClock>
      <header className="mb-5">
        <h1 className="text-2xl font-bold wrap-anywhere sm:text-3xl">{orderName(order)}</h1>
        <p className="mt-1 mb-2 flex flex-wrap gap-x-4 text-muted">
          <OrderTimes order={order} />
        </p>
        <div role="status" className="flex flex-wrap gap-2">
          <OrderBadges order={order} />
        </div>
      </header>
      <div className="grid items-start gap-4 lg:grid-cols-[1fr_20rem]">
        <div className="grid gap-4">
          <OrderNotice order={order} />
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
          <History events={order.history} />
        </Panel>
      </div>
    </OrderClock>
  )
}

/** What happened to an order, the latest first. */
function History({ events }: { events: readonly PrintOrderEvent[] }) {
  if (events.length === 0) return <p className="text-muted">Nothing has happened yet.</p>
  return (
    <ol>
      {events.toReversed().map(({ at, status, note }, index) => (
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

function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="rounded-lg bg-surface p-4 shadow-low ring ring-line sm:p-5">
      <h2 className="mb-3 text-lg font-semibold">{title}</h2>
      {children}
    </section>
  )
}

function OrderNotFound() {
  return (
    <EmptyState
      heading="h1"
      icon={<ReceiptText />}
      title="Order not found"
      description="It does not exist, or it belongs to somebody else."
      action={<LinkButton to="/orders">Back to orders</LinkButton>}
    />
  )
}

function OrderSkeleton() {
  return (
    <LoadingState label="Loading the order">
      <Skeleton className="h-8 w-64 max-w-full" />
      <Skeleton className="mt-3 h-4 w-44" />
      <div className="mt-12 grid gap-4 lg:grid-cols-[1fr_20rem]">
        <Skeleton className="h-56 rounded-lg" />
        <Skeleton className="h-56 rounded-lg" />
      </div>
    </LoadingState>
  )
}
