import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { refreshPrinting } from '../../../api/print-orders.ts'
import { Button } from '../../../components/ui/button.tsx'
import { Checkbox, PageLink } from '../../../components/ui/field.tsx'
import { formatPhone } from '../../../lib/format.ts'
import { formatCents } from '../../../lib/order-formats.ts'
import { checkCoupon } from '../actions/check-coupon.ts'
import { submit } from '../actions/submit.ts'
import { CouponField } from '../coupon-field.tsx'
import { mustCheckCoupon } from '../coupon-state.ts'
import { CustomerFields } from '../customer-fields.tsx'
import { amountsOf, chosenStore, isComplete } from '../order.ts'
import { OrderSummary } from '../order-summary.tsx'
import { ProgressLine } from '../progress-line.tsx'
import { StepHeading } from '../step-list.tsx'
import { addressOf } from '../store-option.tsx'
import { readyTime } from '../store-times.ts'
import { acceptTerms, goTo } from '../wizard-state.ts'
import { change, isSubmitting, useActivity, useWizard } from '../wizard-store.ts'

/** Who picks the prints up, the coupon, and the summary. */
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
      <fieldset disabled={isSubmitting({ busy })} className="grid min-w-0 gap-x-8 gap-y-6 sm:grid-cols-2">
        <legend className="sr-only">Order details</legend>
        <div className="grid min-w-0 content-start gap-6">
          <CustomerFields />
          <CouponField />
        </div>
        <div className="grid min-w-0 content-start gap-6">
          <PickupLocation />
          <OrderSummary />
        </div>
        <div className="sm:col-span-2">
          <Terms />
        </div>
      </fieldset>
      <ProgressLine label="Order progress" />
    </div>
  )
}

function PickupLocation() {
  const state = useWizard()
  const store = chosenStore(state)
  if (!store) return null
  const promiseTime = state.confirmed?.promiseTime ?? store.promiseTime
  return (
    <section aria-labelledby="pickup-location">
      <h4 id="pickup-location" className="font-semibold">
        Pickup location
      </h4>
      <p className="mt-1">{store.storeName?.trim() || `Walgreens #${store.storeNum}`}</p>
      <p className="text-muted">{addressOf(store)}</p>
      {store.phone && <p className="text-muted">{formatPhone(store.phone)}</p>}
      <p className="mt-1 font-semibold">Ready: {readyTime(promiseTime)}</p>
    </section>
  )
}

function Terms() {
  const { termsAccepted } = useWizard()
  return (
    <>
      <Checkbox
        checked={termsAccepted}
        onChange={(event) => change(acceptTerms, event.target.checked)}
        aria-describedby="terms-warning"
        label={
          <>
            I agree to the <PageLink to="/terms">Terms of Use</PageLink> and{' '}
            <PageLink to="/privacy">Privacy Policy</PageLink>.
          </>
        }
      />
      <p id="terms-warning" className="pl-7.5 text-sm text-warn">
        {!termsAccepted && 'Please accept the Terms of Use and Privacy Policy to continue with your order.'}
      </p>
    </>
  )
}

export function OrderButtons() {
  const client = useQueryClient()
  const state = useWizard()
  const { busy, checkingCoupon } = useActivity()
  return (
    <>
      <Button disabled={busy !== null} onClick={() => change(goTo, 'stores')}>
        Back
      </Button>
      <Button
        variant="primary"
        busy={isSubmitting({ busy })}
        disabled={busy !== null || checkingCoupon || !isComplete(state) || state.offered !== null}
        onClick={() => submit(client)}
      >
        Submit Order - {formatCents(amountsOf(state).total)}
      </Button>
    </>
  )
}
