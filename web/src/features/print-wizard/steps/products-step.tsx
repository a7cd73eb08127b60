import { useQueryClient } from '@tanstack/react-query'
import { Button } from '../../../components/ui/button.tsx'
import { Skeleton } from '../../../components/ui/loading.tsx'
import { countOf } from '../../../lib/format.ts'
import { formatCents } from '../../../lib/order-formats.ts'
import { makeFilesInBackground } from '../actions/prepare-photos.ts'
import { loadProducts } from '../actions/prices.ts'
import { amountProblem, amountsOf, DEFAULT_SIZE, priceOf, printsProblem, productName } from '../order.ts'
import { type NextButton, ProgressLine, RadioCard, StepHeading, useMissing } from '../step-parts.tsx'
import { chooseForAll, goTo } from '../wizard-state.ts'
import { change, useWizard } from '../wizard-store.ts'
import { PrintList, QuantityField } from './print-list.tsx'

export function ProductsStep() {
  const client = useQueryClient()
  const { products, photos, choice } = useWizard()
  const { failed, retry } = useMissing(products === null, () => loadProducts(client))

  const heading = <StepHeading>Choose the print size</StepHeading>
  if (!products) {
    return (
      <div className="grid gap-3">
        {heading}
        {failed ? (
          <Button className="w-fit" onClick={retry}>
            Try again
          </Button>
        ) : (
          <div role="status" className="grid gap-2 sm:grid-cols-2">
            <span className="sr-only">Loading products</span>
            {[1, 2, 3, 4].map((shape) => (
              <Skeleton key={shape} className="h-14 rounded-md" />
            ))}
          </div>
        )}
        <ProgressLine label="Progress" />
      </div>
    )
  }
  return (
    <div className="grid gap-5">
      <div>
        {heading}
        {photos.length > 1 && (
          <p className="text-muted">{`For all ${countOf(photos.length, 'photo')}. You can change single prints below.`}</p>
        )}
      </div>
      <fieldset className="grid gap-2 sm:grid-cols-2">
        <legend className="sr-only">Print size</legend>
        {products.map((product) => {
          const [name, size] = [productName(product), product.productSize || DEFAULT_SIZE]
          return (
            <RadioCard
              key={product.productId}
              name="product"
              value={product.productId}
              checked={choice.productId === product.productId}
              onChange={() => change(chooseForAll, { productId: product.productId })}
              className="min-h-14 items-center py-2"
            >
              <span className="min-w-0 flex-1">
                <span className="block font-semibold wrap-anywhere">{name}</span>
                {!name.includes(size) && <span className="block text-sm text-muted">{size}</span>}
              </span>
              <span className="font-semibold">{formatCents(priceOf(product))}</span>
            </RadioCard>
          )
        })}
        {products.length === 0 && <p className="text-muted">No print sizes are sold at the moment.</p>}
      </fieldset>
      <QuantityField
        label={photos.length > 1 ? 'Quantity of each photo' : 'Quantity'}
        value={choice.quantity}
        onChange={(quantity) => change(chooseForAll, { quantity })}
      />
      <PrintList />
      <ProgressLine label="Progress" />
    </div>
  )
}

export function useProductsNext(): NextButton {
  const state = useWizard()
  const problem = printsProblem(state)
  const count = state.prints.reduce((sum, { quantity }) => sum + quantity, 0)
  const figures = `${countOf(count, 'print')} · ${formatCents(amountsOf(state).subtotal)}`
  return {
    note: state.products && (problem ?? amountProblem(state) ?? figures),
    children: 'Continue to Store Selection',
    disabled: !state.products || problem !== null,
    onClick() {
      makeFilesInBackground()
      change(goTo, 'stores')
    },
  }
}
