import { useQueryClient } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { Button } from '../../components/ui/button.tsx'
import { Field, Input } from '../../components/ui/field.tsx'
import { checkCoupon } from './actions/check-coupon.ts'
import { typeCoupon } from './coupon-state.ts'
import { change, useActivity, useWizard } from './wizard-store.ts'

/** A coupon code, checked before it counts. */
export function CouponField() {
  const client = useQueryClient()
  const { coupon } = useWizard()
  const { checkingCoupon } = useActivity()
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void checkCoupon(client)
      }}
    >
      <Field
        label="Coupon code"
        optional
        error={coupon.status === 'invalid' ? (coupon.message ?? undefined) : undefined}
      >
        {(control) => (
          <span className="flex gap-2">
            <Input
              {...control}
              autoComplete="off"
              autoCapitalize="characters"
              maxLength={64}
              value={coupon.code}
              onChange={(event) => change(typeCoupon, event.target.value)}
            />
            <Button type="submit" disabled={checkingCoupon || coupon.code.trim() === ''}>
              {checkingCoupon ? 'Checking…' : 'Validate'}
            </Button>
          </span>
        )}
      </Field>
      <p role="status" className="mt-1.5 flex items-center gap-1.5 text-sm text-good empty:hidden">
        {coupon.status === 'valid' && (
          <>
            <CircleCheck aria-hidden className="size-4" /> {coupon.message}
          </>
        )}
      </p>
    </form>
  )
}
