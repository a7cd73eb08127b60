import { useQuery } from '@tanstack/react-query'
import { CircleCheckBig } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { unresolvedOrdersQuery } from '../../api/orders.ts'
import type { PrintOrder } from '../../api/types.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, ErrorState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { RelativeTime } from '../../components/ui/tooltip.tsx'
import { countOf, formatPhone, formatPlace } from '../../lib/format.ts'
import { errorMessage } from '../../lib/http.ts'
import { formatDollars } from '../../lib/order-formats.ts'
import { ResolveDialog } from './resolve-dialog.tsx'

/** The orders of all users whose outcome is not known, the oldest first. */
export function UnresolvedOrders() {
  return (
    <section aria-labelledby="unresolved">
      <h2 id="unresolved" className="text-lg font-semibold sm:text-xl">
        Orders with unknown outcome
      </h2>
      <p className="mb-4 max-w-3xl text-pretty text-muted">
        The partner's answer to these orders was lost: they may have been placed. Ask the store, then resolve them.
        Until then their users cannot order the same again.
      </p>
      <Content />
    </section>
  )
}

function Content() {
  const { data: orders, error, refetch } = useQuery(unresolvedOrdersQuery)
  const [resolving, setResolving] = useState<PrintOrder | null>(null)
  if (!orders) {
    if (!error) return <OrdersSkeleton />
    const retry = () => void refetch()
    return <ErrorState title="The orders could not be loaded" description={errorMessage(error)} onRetry={retry} />
  }
  return (
    <>
      {orders.length === 0 ? (
        <EmptyState
          icon={<CircleCheckBig />}
          title="Nothing to resolve"
          description="The outcome of every order is known."
        />
      ) : (
        <ul className="divide-y divide-line rounded-lg bg-surface shadow-low ring ring-line">
          {orders.map((order) => (
            <li key={order.id}>
              <UnresolvedOrder order={order} onResolve={() => setResolving(order)} />
            </li>
          ))}
        </ul>
      )}
      {resolving && <ResolveDialog order={resolving} onClose={() => setResolving(null)} />}
    </>
  )
}

function UnresolvedOrder({ order, onResolve }: { order: PrintOrder; onResolve: () => void }) {
  const store = [order.storeAddress, formatPlace({ city: order.storeCity, state: order.storeState })]
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 p-4 sm:px-5">
      <div className="grid min-w-0 flex-1 basis-72 gap-x-6 gap-y-2 md:grid-cols-3">
        <div className="min-w-0">
          <h3 className="font-semibold">
            <Link
              to={`/orders/${order.id}`}
              className="relative rounded-sm after:absolute after:-inset-x-1 after:-top-3 after:-bottom-1 hover:underline sm:after:inset-0"
            >
              Skyfolio order {order.id}
            </Link>
          </h3>
          <p className="text-sm text-muted">
            <RelativeTime at={order.createdAt} />, user {order.userId}
          </p>
          <Badge tone={order.environment === 'production' ? 'danger' : 'neutral'}>
            {order.environment === 'production' ? 'Production' : 'Sandbox'}
          </Badge>
        </div>
        <div className="min-w-0 text-sm wrap-anywhere">
          <p className="font-medium">Store #{order.storeNumber}</p>
          <p className="text-muted">{store.filter(Boolean).join(', ')}</p>
          {order.storePhone && <p className="text-muted">{formatPhone(order.storePhone)}</p>}
        </div>
        <div className="min-w-0 text-sm wrap-anywhere">
          <p className="font-medium">
            {order.customerFirstName} {order.customerLastName}
          </p>
          <p className="text-muted">{formatPhone(order.customerPhone)}</p>
          <p className="text-muted">
            {[countOf(order.quantity, 'print'), formatDollars(order.totalAmount)].filter(Boolean).join(', ')}
          </p>
        </div>
      </div>
      <Button size="small" onClick={onResolve} className="max-sm:w-full">
        Resolve<span className="sr-only"> order {order.id}</span>
      </Button>
    </div>
  )
}

function OrdersSkeleton() {
  return (
    <div role="status" className="grid gap-3 rounded-lg bg-surface p-5 shadow-low ring ring-line">
      <span className="sr-only">Loading orders</span>
      <Skeleton className="h-5 w-52" />
      <Skeleton className="h-4 w-72 max-w-full" />
    </div>
  )
}
