import { zodResolver } from '@hookform/resolvers/zod'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheckBig } from 'lucide-react'
import { useId, useState } from 'react'
import { useForm } from 'react-hook-form'
import { Link } from 'react-router-dom'
import { type Resolution, refreshOrders, resolveOrder, unresolvedOrdersQuery } from '../../api/orders.ts'
import type { PrintOrder } from '../../api/types.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { Radio } from '../../components/ui/field.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { fieldsOf, TextField } from '../../components/ui/text-field.tsx'
import { toast, toastFailure } from '../../components/ui/toast.tsx'
import { RelativeTime } from '../../components/ui/tooltip.tsx'
import { countOf, formatPhone, formatPlace } from '../../lib/format.ts'
import { z } from '../../lib/forms.ts'
import { isRetryable } from '../../lib/http.ts'
import { formatDollars } from '../../lib/order-formats.ts'
import { Loaded, useAdminMutation } from './admin-parts.tsx'
import { EndpointTests } from './endpoint-tests.tsx'

/** Tests of the partner's endpoints, and the orders of all users whose outcome is not known, the oldest first. */
export function PrintingTab() {
  const [resolving, setResolving] = useState<PrintOrder | null>(null)
  return (
    <div className="grid gap-10">
      <EndpointTests />
      <section aria-labelledby="unresolved">
        <h2 id="unresolved" className="text-lg font-semibold sm:text-xl">
          Orders with unknown outcome
        </h2>
        <p className="mb-4 max-w-3xl text-pretty text-muted">
          The partner's answer to these orders was lost: they may have been placed. Ask the store, then resolve them.
          Until then their users cannot order the same again.
        </p>
        <Loaded
          query={useQuery(unresolvedOrdersQuery)}
          what="orders"
          skeleton={
            <div className="grid gap-3 rounded-lg bg-surface p-5 shadow-low ring ring-line">
              <Skeleton className="h-5 w-52" />
              <Skeleton className="h-4 w-72 max-w-full" />
            </div>
          }
          empty={
            <EmptyState
              icon={<CircleCheckBig />}
              title="Nothing to resolve"
              description="The outcome of every order is known."
            />
          }
        >
          {(orders) => (
            <ul className="divide-y divide-line rounded-lg bg-surface shadow-low ring ring-line">
              {orders.map((order) => (
                <li key={order.id}>
                  <UnresolvedOrder order={order} onResolve={() => setResolving(order)} />
                </li>
              ))}
            </ul>
          )}
        </Loaded>
        {resolving && <ResolveDialog order={resolving} onClose={() => setResolving(null)} />}
      </section>
    </div>
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
              {`Skyfolio order ${order.id}`}
            </Link>
          </h3>
          <p className="text-sm text-muted">
            <RelativeTime at={order.createdAt} />
            <span>{`, user ${order.userId}`}</span>
          </p>
          <Badge tone={order.environment === 'production' ? 'danger' : 'neutral'}>
            {order.environment === 'production' ? 'Production' : 'Sandbox'}
          </Badge>
        </div>
        <div className="min-w-0 text-sm wrap-anywhere">
          <p className="font-medium">{`Store #${order.storeNumber}`}</p>
          <p className="text-muted">{store.filter(Boolean).join(', ')}</p>
          {order.storePhone && <p className="text-muted">{formatPhone(order.storePhone)}</p>}
        </div>
        <div className="min-w-0 text-sm wrap-anywhere">
          <p className="font-medium">{`${order.customerFirstName} ${order.customerLastName}`}</p>
          <p className="text-muted">{formatPhone(order.customerPhone)}</p>
          <p className="text-muted">
            {[countOf(order.quantity, 'print'), formatDollars(order.totalAmount)].filter(Boolean).join(', ')}
          </p>
        </div>
      </div>
      <Button size="small" onClick={onResolve} className="max-sm:w-full">
        Resolve<span className="sr-only">{` order ${order.id}`}</span>
      </Button>
    </div>
  )
}

export const resolutionSchema = z
  .object({ outcome: z.enum(['placed', 'not_placed']), vendorOrderId: z.string().check(z.trim()) })
  .check(
    z.refine(({ outcome, vendorOrderId }) => outcome === 'not_placed' || vendorOrderId !== '', {
      message: 'Enter the number that the store gave for the order',
      path: ['vendorOrderId'],
    }),
  )
type ResolutionValues = z.infer<typeof resolutionSchema>

/** Records what the store said about an order: its number, or that it was not placed. */
function ResolveDialog({ order, onClose }: { order: PrintOrder; onClose: () => void }) {
  const id = useId()
  const form = useForm<ResolutionValues>({
    resolver: zodResolver(resolutionSchema),
    defaultValues: { outcome: 'placed', vendorOrderId: '' },
  })
  const client = useQueryClient()
  const resolve = useAdminMutation({
    run: (resolution: Resolution) => resolveOrder(order.id, resolution),
    onSuccess: () => {
      toast({ title: 'Order resolved' })
      onClose()
    },
    onError: (error) => toastFailure('Failed to resolve the order', error),
    // Another administrator may have resolved it.
    onSettled: () => refreshOrders(client),
  })
  const placed = form.watch('outcome') === 'placed'
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Resolve order ${order.id}`}
      description={`${order.customerFirstName} ${order.customerLastName}, store #${order.storeNumber}`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={id} busy={resolve.isPending}>
            {resolve.failure && isRetryable(resolve.failure) ? 'Retry' : 'Resolve'}
          </Button>
        </>
      }
    >
      <form
        id={id}
        noValidate
        className="grid gap-4"
        onSubmit={form.handleSubmit((values) => resolve.mutate(toResolution(values)))}
      >
        <fieldset className="grid gap-1">
          <legend className="mb-1 text-sm font-semibold">What did the store say?</legend>
          <Radio data-autofocus label="The order was placed" value="placed" {...form.register('outcome')} />
          <Radio
            label="The order was not placed"
            hint="It becomes cancelled, and its user can order again."
            value="not_placed"
            {...form.register('outcome')}
          />
        </fieldset>
        {placed && (
          <TextField
            label="Vendor order number"
            autoComplete="off"
            spellCheck={false}
            {...fieldsOf(form)('vendorOrderId')}
          />
        )}
      </form>
    </Dialog>
  )
}

export function toResolution({ outcome, vendorOrderId }: ResolutionValues): Resolution {
  return outcome === 'placed' ? { vendorOrderId } : { placed: false }
}
