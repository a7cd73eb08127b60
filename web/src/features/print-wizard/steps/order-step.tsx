import { useQueryClient } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { Fragment, useEffect, useEffectEvent } from 'react'
import { refreshPrinting } from '../../../api/print-orders.ts'
import { Button } from '../../../components/ui/button.tsx'
import { Checkbox, Field, Input, PageLink } from '../../../components/ui/field.tsx'
import { formatPhone } from '../../../lib/format.ts'
import { formatCents, toCents } from '../../../lib/order-formats.ts'
import { checkCoupon } from '../actions/prices.ts'
import { submit } from '../actions/submit.ts'
import {
  amountProblem,
  amountsOf,
  chosenStore,
  isComplete,
  priceOf,
  productName,
  productOf,
  promiseTimeOf,
  quantities,
} from '../order.ts'
import { type NextButton, ProgressLine, StepHeading } from '../step-parts.tsx'
import { addressOf, readyTime, storeName } from '../store-texts.ts'
import { edit, mustCheckCoupon, typeCoupon } from '../wizard-state.ts'
import { change, isSubmitting, useActivity, useWizard } from '../wizard-store.ts'
import { CustomerForm } from './customer-form.tsx'

export function OrderStep() {
  const client = useQueryClient()
  const state = useWizard()
  const { busy } = useActivity()
  const enter = useEffectEvent(() => {
    // Where orders go may have been switched.
    refreshPrinting(client)
    // The prints have changed since the code was checked.
    if (mustCheckCoupon(state)) void checkCoupon(client)
  })
  useEffect(() => enter(), [])
  return (
    <div className="grid gap-5">
      <StepHeading>Order details</StepHeading>
      <fieldset disabled={isSubmitting(busy)} className="grid min-w-0 gap-x-8 gap-y-6 sm:grid-cols-2">
        <legend className="sr-only">Order details</legend>
        <div className="grid min-w-0 content-start gap-6">
          <CustomerForm />
          <CouponField />
        </div>
        <div className="grid min-w-0 content-start gap-6">
          <PickupLocation />
          <OrderSummary />
        </div>
        <div className="sm:col-span-2">
          <Checkbox
            checked={state.termsAccepted}
            onChange={(event) => change(edit, { termsAccepted: event.target.checked })}
            aria-describedby="terms-warning"
            label={
              <>
                I agree to the <PageLink to="/terms">Terms of Use</PageLink> and{' '}
                <PageLink to="/privacy">Privacy Policy</PageLink>.
              </>
            }
          />
          <p id="terms-warning" className="pl-7.5 text-sm text-warn">
            {!state.termsAccepted && 'Please accept the Terms of Use and Privacy Policy to continue with your order.'}
          </p>
        </div>
      </fieldset>
      <ProgressLine label="Order progress" />
    </div>
  )
}

function CouponField() {
  const client = useQueryClient()
  const { code, status, message } = useWizard().coupon
  const { checkingCoupon } = useActivity()
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void checkCoupon(client)
      }}
    >
      <Field label="Coupon code" optional error={(status !== 'valid' && !checkingCoupon && message) || undefined}>
        {(control) => (
          <span className="flex gap-2">
            <Input
              {...control}
              autoComplete="off"
              autoCapitalize="characters"
              maxLength={64}
              value={code}
              onChange={(event) => change(typeCoupon, event.target.value)}
            />
            <Button type="submit" disabled={checkingCoupon || code.trim() === ''}>
              {checkingCoupon ? 'Checking…' : 'Validate'}
            </Button>
          </span>
        )}
      </Field>
      <p role="status" className="mt-1.5 flex items-center gap-1.5 text-sm text-good empty:hidden">
        {status === 'valid' && (
          <>
            <CircleCheck aria-hidden className="size-4" />
            <span>{message}</span>
          </>
        )}
      </p>
    </form>
  )
}

function PickupLocation() {
  const state = useWizard()
  const store = chosenStore(state)
  if (!store) return null
  return (
    <section aria-labelledby="pickup-location">
      <h4 id="pickup-location" className="font-semibold">
        Pickup location
      </h4>
      <p className="mt-1">{storeName(store)}</p>
      <p className="text-muted">{addressOf(store)}</p>
      {store.phone && <p className="text-muted">{formatPhone(store.phone)}</p>}
      <p className="mt-1 font-semibold">{`Ready: ${readyTime(promiseTimeOf(state))}`}</p>
    </section>
  )
}

function OrderSummary() {
  const state = useWizard()
  const { subtotal, discount, total } = amountsOf(state)
  const problem = amountProblem(state)
  const tax = toCents(chosenStore(state)?.tax) ?? 0
  const lines = quantities(state).map(({ productId, quantity }) => {
    const product = productOf(state, { productId })
    const name = `${quantity} x ${product ? productName(product) : 'Print'}`
    return { key: productId, name, amount: formatCents(priceOf(product) * quantity) }
  })
  lines.push({ key: 'subtotal', name: 'Subtotal', amount: formatCents(subtotal) })
  if (discount > 0) lines.push({ key: 'discount', name: 'Coupon discount', amount: `-${formatCents(discount)}` })
  return (
    <section aria-labelledby="order-summary">
      <h4 id="order-summary" className="font-semibold">
        Order summary
      </h4>
      <dl className="mt-1 grid grid-cols-[1fr_auto] gap-x-4 gap-y-1">
        {lines.map(({ key, name, amount }) => (
          <Fragment key={key}>
            <dt className="text-muted wrap-anywhere">{name}</dt>
            <dd className="text-right tabular-nums">{amount}</dd>
          </Fragment>
        ))}
        <dt className="border-t border-line pt-2 text-lg font-semibold">Total</dt>
        <dd className="border-t border-line pt-2 text-right text-lg font-semibold tabular-nums">
          {formatCents(total)}
        </dd>
      </dl>
      {problem && <p className="mt-1 text-sm text-danger">{problem}</p>}
      <p className="mt-1 text-sm text-muted">
        {`You pay at the store.${tax > 0 ? ` The store adds about ${formatCents(tax)} tax.` : ''}`}
      </p>
    </section>
  )
}

export function useOrderNext(): NextButton {
  const client = useQueryClient()
  const state = useWizard()
  const { busy, checkingCoupon } = useActivity()
  return {
    children: `Submit Order - ${formatCents(amountsOf(state).total)}`,
    busy: isSubmitting(busy),
    disabled: checkingCoupon || !isComplete(state) || state.offered !== null,
    onClick: () => submit(client),
  }
}
