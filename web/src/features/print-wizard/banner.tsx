import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, Info, LogIn, TriangleAlert } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { userQuery } from '../../api/queries.ts'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../lib/cx.ts'
import { formatCents } from '../../lib/order-formats.ts'
import type { SignInState } from '../../lib/routing.ts'
import { loadPhotos, validateAndUpload } from './actions/prepare-photos.ts'
import { checkLastOrder, submit } from './actions/submit.ts'
import { toAmounts } from './order.ts'
import { readyTime } from './store-texts.ts'
import { confirmFigures, type Offer } from './wizard-state.ts'
import {
  type Attempt,
  change,
  isSubmitting,
  setOrder,
  useActivity,
  useUnknownAttempt,
  useWizard,
} from './wizard-store.ts'

/** What the user has to know first, at the top of the dialog: an ended session, changed figures, or an error. */
export function Banner() {
  const client = useQueryClient()
  const { error, notice, linksToOrders, offered, step, userId, photos, wanted } = useWizard()
  const { busy } = useActivity()
  const last = useUnknownAttempt(userId)
  const { data: user } = useQuery(userQuery)
  if (user === null) return <SessionEnded />
  if (offered) return <ChangedFigures offered={offered} />
  // In the last step the error says so, and Submit Order sends it again.
  const asksToCheck = last !== null && step !== 'complete' && (step !== 'order' || error === null)
  if (asksToCheck && busy !== 'place') return <LastOrder attempt={last} error={error} />
  const text = error ?? notice
  if (text === null) return null
  return (
    <Notice tone={error ? 'danger' : 'note'}>
      <p>{text}</p>
      {error && step === 'upload' && (wanted || photos.length > 0) && (
        <NoticeButton
          variant="secondary"
          disabled={busy !== null}
          onClick={() => (wanted ? loadPhotos(client) : validateAndUpload(client))}
        >
          Retry
        </NoticeButton>
      )}
      {linksToOrders && <OrdersLink />}
    </Notice>
  )
}

function OrdersLink() {
  return (
    <Link to="/orders" onClick={() => setOrder(null)} className="w-fit font-semibold text-accent hover:underline">
      View All Orders
    </Link>
  )
}

/** Nobody knows whether the last order was placed: it is checked before anything else is ordered. */
function LastOrder({ attempt, error }: { attempt: Attempt; error: string | null }) {
  const client = useQueryClient()
  const { busy } = useActivity()
  return (
    <Notice tone="warn">
      <p>
        <strong>Your last order got no response.</strong>{' '}
        <span>{`It was for ${formatCents(toAmounts(attempt.figures).total)} and may have been placed.`}</span> Check it
        first: the same order is sent once more, and is never ordered twice.
      </p>
      {error && <p>{error}</p>}
      <NoticeButton disabled={busy !== null} onClick={() => checkLastOrder(client)}>
        Check my last order
      </NoticeButton>
      <OrdersLink />
    </Notice>
  )
}

function SessionEnded() {
  const { pathname, search } = useLocation()
  return (
    <Notice tone="signedOut">
      <p>
        <strong>Your session has ended.</strong> Log in again to continue with this step. Your order is kept.
      </p>
      <NoticeButton asChild>
        <Link to="/auth" state={{ from: pathname + search } satisfies SignInState}>
          Log in
        </Link>
      </NoticeButton>
    </Notice>
  )
}

/** The store's figures are not those that the user saw, or lack the coupon: nothing is ordered until the user confirms them. */
function ChangedFigures({ offered }: { offered: Offer }) {
  const client = useQueryClient()
  const { busy } = useActivity()
  const { couponMessage } = offered.now
  const [before, now] = [toAmounts(offered.before), toAmounts(offered.now)]
  const rows = [
    ['Subtotal', formatCents(before.subtotal), formatCents(now.subtotal)],
    ['Discount', formatCents(before.discount), formatCents(now.discount)],
    ['Total', formatCents(before.total), formatCents(now.total)],
    ['Ready', readyTime(offered.before.promiseTime), readyTime(offered.now.promiseTime)],
  ].filter(([name, old, fresh]) => name === 'Total' || old !== fresh)

  function confirm(): void {
    change(confirmFigures)
    void submit(client)
  }

  return (
    <Notice tone="warn">
      <p>
        <strong>{couponMessage ?? 'The order has changed at the store.'}</strong> Nothing has been ordered yet.{' '}
        {couponMessage ? 'Change the code, or confirm the order without it.' : 'Please check the new figures.'}
      </p>
      <table className="w-full max-w-md text-left">
        <thead className="text-sm text-muted">
          <tr>
            <th className="font-normal">
              <span className="sr-only">Figure</span>
            </th>
            <th className="font-normal">Before</th>
            <th className="font-normal">Now</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, old, fresh]) => (
            <tr key={name}>
              <th className="pr-3 font-normal text-muted">{name}</th>
              <td className="pr-3 tabular-nums">{old}</td>
              <td className="font-semibold tabular-nums">{fresh}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <NoticeButton busy={isSubmitting(busy)} onClick={confirm}>
        {`Confirm and order for ${formatCents(now.total)}`}
      </NoticeButton>
    </Notice>
  )
}

const TONES = {
  danger: { icon: <CircleAlert aria-hidden />, className: 'bg-danger-soft [&>svg]:text-danger' },
  warn: { icon: <TriangleAlert aria-hidden />, className: 'bg-warn-soft [&>svg]:text-warn' },
  signedOut: { icon: <LogIn aria-hidden />, className: 'bg-warn-soft [&>svg]:text-warn' },
  note: { icon: <Info aria-hidden />, className: 'bg-accent-soft [&>svg]:text-accent' },
}

/** Stays in view while the step scrolls. */
function Notice({ tone, children }: { tone: keyof typeof TONES; children: ReactNode }) {
  return (
    <div
      role="alert"
      className={cx(
        'sticky top-0 z-10 mb-4 flex items-start gap-3 rounded-md px-4 py-3 shadow-low [&>svg]:mt-0.5 [&>svg]:size-5 [&>svg]:shrink-0',
        TONES[tone].className,
      )}
    >
      {TONES[tone].icon}
      <div className="grid min-w-0 flex-1 gap-2 wrap-anywhere">{children}</div>
    </div>
  )
}

function NoticeButton(props: ComponentProps<typeof Button>) {
  return <Button variant="primary" size="small" className="w-fit" {...props} />
}
