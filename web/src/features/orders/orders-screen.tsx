import { useQuery } from '@tanstack/react-query'
import { Images, Receipt } from 'lucide-react'
import { Link, useLocation } from 'react-router-dom'
import { userQuery } from '../../api/queries.ts'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, ErrorState } from '../../components/ui/empty-state.tsx'
import { Skeleton, Spinner } from '../../components/ui/loading.tsx'
import { countOf } from '../../lib/format.ts'
import { OrderList } from './order-list.tsx'
import { useHeld } from './use-held.ts'
import { useOrders } from './use-orders.ts'
import { useStatusRefresh } from './use-status-refresh.ts'

/** All print orders of the user. */
export function OrdersScreen() {
  const list = useOrders()
  const refreshing = useStatusRefresh(list.total)
  return (
    <>
      <header className="mb-5">
        <h1 className="text-2xl font-bold sm:text-3xl">Print Orders</h1>
        <div className="flex min-h-6 flex-wrap gap-x-4 text-muted">
          {list.total !== undefined && list.total > 0 && <p>{countOf(list.total, 'order')}</p>}
          <Activity
            refreshing={refreshing}
            refetching={list.isRefetching}
            failed={list.orders !== undefined && list.error !== null}
          />
        </div>
      </header>
      <Content list={list} />
    </>
  )
}

interface ActivityProps {
  refreshing: boolean
  refetching: boolean
  failed: boolean
}

/** What is being read now. It is not announced: it changes every 30 seconds. */
function Activity(props: ActivityProps) {
  const refreshing = useHeld(props.refreshing)
  const refetching = useHeld(props.refetching)
  if (!refreshing && !refetching) {
    return (
      props.failed && <p className="text-sm/6">The last check for updates failed. It is repeated every 30 seconds.</p>
    )
  }
  return (
    <p className="flex items-center gap-2 text-sm/6">
      <Spinner /> {refreshing ? 'Checking live status with Walgreens' : 'Checking for status updates...'}
    </p>
  )
}

function Content({ list }: { list: ReturnType<typeof useOrders> }) {
  if (!list.orders) return list.error ? <LoadingFailed onRetry={list.refetch} /> : <OrdersSkeleton />
  if (list.orders.length === 0) return <NoOrders />
  return <OrderList {...list} orders={list.orders} />
}

function LoadingFailed({ onRetry }: { onRetry: () => void }) {
  const { data: user } = useQuery(userQuery)
  const { pathname } = useLocation()
  return (
    <div className="rounded-lg bg-surface shadow-low ring ring-line">
      <ErrorState
        title="Error Loading Orders"
        description="Unable to load your Walgreens orders. Please try again later."
        onRetry={user === null ? undefined : onRetry}
      />
      {user === null && (
        <p className="-mt-8 pb-12 text-center">
          <Button asChild variant="primary">
            <Link to="/auth" state={{ from: pathname }}>
              Login
            </Link>
          </Button>
        </p>
      )}
    </div>
  )
}

function NoOrders() {
  return (
    <EmptyState
      icon={<Receipt />}
      title="No Orders Yet"
      description="You haven't placed any orders yet. Print photos for Same Day Pickup at Walgreens."
      action={
        <Button asChild variant="primary">
          <Link to="/folders">
            <Images aria-hidden /> Browse Photos to Print
          </Link>
        </Button>
      }
    />
  )
}

function OrdersSkeleton() {
  return (
    <div role="status" className="grid gap-4">
      <span className="sr-only">Loading orders</span>
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
    </div>
  )
}
