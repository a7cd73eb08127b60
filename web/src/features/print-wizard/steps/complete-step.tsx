import { CircleCheck, Clock } from 'lucide-react'
import { useNavigate } from 'react-router-dom'
import { Badge } from '../../../components/ui/badge.tsx'
import { formatCents, toCents } from '../../../lib/order-formats.ts'
import { UNKNOWN_OUTCOME } from '../actions/submit.ts'
import { amountsOf, chosenStore } from '../order.ts'
import { type NextButton, StepHeading } from '../step-parts.tsx'
import { addressOf, readyTime, storeName } from '../store-texts.ts'
import { setOrder, useWizard } from '../wizard-store.ts'

export function CompleteStep() {
  const state = useWizard()
  const { outcome, outcomeNote } = state
  if (outcome?.orderStatus === 'unknown') {
    return (
      <div className="grid justify-items-center gap-4 py-8 text-center">
        <Clock aria-hidden className="size-12 text-warn" />
        <div className="max-w-md">
          <StepHeading>{UNKNOWN_OUTCOME}</StepHeading>
          <p className="mt-1 text-muted">
            The store did not confirm the order in time, but it may have it. Your orders show the result as soon as it
            is known.
          </p>
        </div>
      </div>
    )
  }
  const store = chosenStore(state)
  const total = toCents(outcome?.totalAmount) ?? amountsOf(state).total
  return (
    <div className="grid justify-items-center gap-4 py-4 text-center">
      <CircleCheck aria-hidden className="size-12 text-good" />
      <div>
        <StepHeading>Order placed</StepHeading>
        <p className="text-muted">Your prints are on their way to the store. You pay when you pick them up.</p>
        {outcomeNote && <p className="mt-2 text-warn">{outcomeNote}</p>}
      </div>
      <dl className="grid w-full max-w-sm grid-cols-[auto_1fr] gap-x-6 gap-y-2 rounded-md bg-sunken p-4 text-left">
        <dt className="text-muted">Order number</dt>
        <dd className="text-right font-semibold wrap-anywhere">{`#${outcome?.vendorOrderId ?? outcome?.orderId}`}</dd>
        <dt className="text-muted">Status</dt>
        <dd className="flex flex-wrap items-center justify-end gap-2">
          Submitted <Badge tone="accent">Processing</Badge>
        </dd>
        <dt className="text-muted">Ready for pickup</dt>
        <dd className="text-right">{readyTime(outcome?.promiseTime ?? store?.promiseTime)}</dd>
        {store && (
          <>
            <dt className="text-muted">Store</dt>
            <dd className="text-right wrap-anywhere">
              <span className="block font-semibold">{storeName(store)}</span>
              <span className="block">{addressOf(store)}</span>
            </dd>
          </>
        )}
        <dt className="text-muted">Total</dt>
        <dd className="text-right font-semibold">{formatCents(total)}</dd>
      </dl>
    </div>
  )
}

export function useCompleteNext(): NextButton {
  const navigate = useNavigate()
  return {
    children: 'View All Orders',
    onClick() {
      setOrder(null)
      // Replaces the wizard's own history entry.
      navigate('/orders', { replace: true })
    },
  }
}
