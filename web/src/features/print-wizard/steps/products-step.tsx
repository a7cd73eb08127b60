import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { PrintProduct } from '../../../api/print-orders.ts'
import { Button } from '../../../components/ui/button.tsx'
import { Skeleton } from '../../../components/ui/loading.tsx'
import { countOf } from '../../../lib/format.ts'
import { formatCents } from '../../../lib/order-formats.ts'
import { loadProducts } from '../actions/load-products.ts'
import { makeFilesInBackground } from '../actions/submit.ts'
import { amountProblem, amountsOf, describePrints, priceOf, printsProblem, productName } from '../order.ts'
import { PrintList } from '../prints/print-list.tsx'
import { QuantityField } from '../prints/quantity-field.tsx'
import { chooseForAll, DEFAULT_SIZE } from '../prints-state.ts'
import { StepHeading } from '../step-list.tsx'
import { goTo } from '../wizard-state.ts'
import { change, useActivity, useWizard } from '../wizard-store.ts'

/** Sizes and quantities: for all photos at once, and for each print. */
export function ProductsStep() {
  const client = useQueryClient()
  const { products, photos, choice } = useWizard()
  const { busy } = useActivity()
  const missing = products === null
  useEffect(() => {
    if (missing) void loadProducts(client)
  }, [client, missing])

  const heading = <StepHeading>Choose the print size</StepHeading>
  if (!products) {
    return (
      <div className="grid gap-3">
        {heading}
        {busy === 'products' ? (
          <ProductsSkeleton />
        ) : (
          <Button className="w-fit" onClick={() => loadProducts(client)}>
            Try again
          </Button>
        )}
      </div>
    )
  }
  return (
    <div className="grid gap-5">
      <div>
        {heading}
        {photos.length > 1 && (
          <p className="text-muted">For all {countOf(photos.length, 'photo')}. You can change single prints below.</p>
        )}
      </div>
      <fieldset className="grid gap-2 sm:grid-cols-2">
        <legend className="sr-only">Print size</legend>
        {products.map((product) => (
          <ProductOption key={product.productId} product={product} chosen={choice.productId === product.productId} />
        ))}
        {products.length === 0 && <p className="text-muted">No print sizes are sold at the moment.</p>}
      </fieldset>
      <QuantityField
        label={photos.length > 1 ? 'Quantity of each photo' : 'Quantity'}
        value={choice.quantity}
        onChange={(quantity) => change(chooseForAll, { quantity })}
      />
      <PrintList />
    </div>
  )
}

function ProductOption({ product, chosen }: { product: PrintProduct; chosen: boolean }) {
  const size = product.productSize || DEFAULT_SIZE
  return (
    <label className="flex min-h-14 cursor-pointer items-center gap-3 rounded-md px-4 py-2 inset-ring inset-ring-line transition hover:bg-sunken has-checked:bg-accent-soft has-checked:inset-ring-2 has-checked:inset-ring-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent">
      <input
        type="radio"
        name="product"
        value={product.productId}
        checked={chosen}
        onChange={() => change(chooseForAll, { productId: product.productId })}
        className="size-5 shrink-0 accent-accent outline-none"
      />
      <span className="min-w-0 flex-1">
        <span className="block font-semibold wrap-anywhere">{productName(product)}</span>
        {!productName(product).includes(size) && <span className="block text-sm text-muted">{size}</span>}
      </span>
      <span className="font-semibold">{formatCents(priceOf(product))}</span>
    </label>
  )
}

function ProductsSkeleton() {
  return (
    <div role="status" className="grid gap-2 sm:grid-cols-2">
      <span className="sr-only">Loading products</span>
      {[1, 2, 3, 4].map((shape) => (
        <Skeleton key={shape} className="h-14 rounded-md" />
      ))}
    </div>
  )
}

export function ProductsButtons() {
  const state = useWizard()
  const { busy } = useActivity()
  const problem = printsProblem(state)
  const note = state.products && (problem ?? amountProblem(state))

  function next(): void {
    makeFilesInBackground()
    change(goTo, 'stores')
  }

  return (
    <>
      <p className="mr-auto self-center text-sm text-muted max-sm:basis-full! sm:max-w-72" role="status">
        {state.products && (note ?? `${describePrints(state.prints)} · ${formatCents(amountsOf(state).subtotal)}`)}
      </p>
      <Button disabled={busy !== null} onClick={() => change(goTo, 'upload')}>
        Back
      </Button>
      <Button variant="primary" disabled={busy !== null || !state.products || problem !== null} onClick={next}>
        Continue to Store Selection
      </Button>
    </>
  )
}
