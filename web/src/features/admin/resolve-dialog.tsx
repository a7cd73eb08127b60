import { zodResolver } from '@hookform/resolvers/zod'
import { useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { useForm } from 'react-hook-form'
import { type Resolution, refreshOrders, resolveOrder } from '../../api/orders.ts'
import type { PrintOrder } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field, Input, Radio } from '../../components/ui/field.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { errorMessage, isRetryable } from '../../lib/http.ts'
import { type ResolutionValues, resolutionSchema, toResolution } from './resolution.ts'
import { useAdminMutation } from './use-admin-mutation.ts'

/** Records what the store said about an order: its number, or that it was not placed. */
export function ResolveDialog({ order, onClose }: { order: PrintOrder; onClose: () => void }) {
  const id = useId()
  const form = useForm<ResolutionValues>({
    resolver: zodResolver(resolutionSchema),
    defaultValues: { outcome: 'placed', vendorOrderId: '' },
  })
  const resolve = useResolve(order, onClose)
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
          <Field label="Vendor order number" error={form.formState.errors.vendorOrderId?.message}>
            {(control) => (
              <Input {...control} autoComplete="off" spellCheck={false} {...form.register('vendorOrderId')} />
            )}
          </Field>
        )}
      </form>
    </Dialog>
  )
}

function useResolve(order: PrintOrder, onDone: () => void) {
  const client = useQueryClient()
  return useAdminMutation({
    run: (resolution: Resolution) => resolveOrder(order.id, resolution),
    onSuccess: () => {
      toast({ title: 'Order resolved' })
      onDone()
    },
    onError: (error) =>
      toast({ title: 'Failed to resolve the order', description: errorMessage(error), tone: 'danger' }),
    // Another administrator may have resolved it.
    onSettled: () => refreshOrders(client),
  })
}
