import { formatCents, toCents } from '../../lib/order-formats.ts'
import { amountProblem, amountsOf, chosenStore, priceOf, productName, productOf, quantities } from './order.ts'
import { useWizard } from './wizard-store.ts'

/** The prints by size, the discount and the total. */
export function OrderSummary() {
  const state = useWizard()
  const { subtotal, discount, total } = amountsOf(state)
  const problem = amountProblem(state)
  const tax = toCents(chosenStore(state)?.tax) ?? 0
  return (
    <section aria-labelledby="order-summary">
      <h4 id="order-summary" className="font-semibold">
        Order summary
      </h4>
      <dl className="mt-1 grid grid-cols-[1fr_auto] gap-x-4 gap-y-1">
        {quantities(state).map(({ productId, quantity }) => {
          const product = productOf(state, { productId })
          return (
            <Line
              key={productId}
              name={`${quantity} x ${product ? productName(product) : 'Print'}`}
              amount={formatCents(priceOf(product) * quantity)}
            />
          )
        })}
        <Line name="Subtotal" amount={formatCents(subtotal)} />
        {discount > 0 && <Line name="Coupon discount" amount={`-${formatCents(discount)}`} />}
        <dt className="border-t border-line pt-2 text-lg font-semibold">Total</dt>
        <dd className="border-t border-line pt-2 text-right text-lg font-semibold tabular-nums">
          {formatCents(total)}
        </dd>
      </dl>
      {problem && <p className="mt-1 text-sm text-danger">{problem}</p>}
      <p className="mt-1 text-sm text-muted">
        You pay at the store.{tax > 0 && ` The store adds about ${formatCents(tax)} tax.`}
      </p>
    </section>
  )
}

function Line({ name, amount }: { name: string; amount: string }) {
  return (
    <>
      <dt className="text-muted wrap-anywhere">{name}</dt>
      <dd className="text-right tabular-nums">{amount}</dd>
    </>
  )
}
