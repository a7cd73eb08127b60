import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, Play } from 'lucide-react'
import { type FormEvent, useId } from 'react'
import { callPartner, environmentQuery, type PartnerEndpoint } from '../../api/admin.ts'
import { Button } from '../../components/ui/button.tsx'
import { TextField } from '../../components/ui/text-field.tsx'
import { cx } from '../../lib/cx.ts'
import { formatNumber } from '../../lib/format.ts'
import { ApiError, errorMessage } from '../../lib/http.ts'
import { useAdminMutation } from './admin-parts.tsx'
import {
  findPosition,
  type Summary,
  summariseCoupon,
  summariseCredentials,
  summariseList,
  summariseTestOrder,
} from './partner-answers.ts'

interface Endpoint {
  path: PartnerEndpoint
  /** What the call does, and what to know before it. */
  description: string
  inProduction?: string
  inputs: { name: string; label: string; value: string; numeric?: boolean }[]
  /** What is sent for the inputs, by their names. */
  bodyOf: (inputs: Record<string, string>) => object | Promise<object>
  /** The answer in a few words. */
  summarise: (answer: unknown) => Summary
}

// What the print wizard offers first.
const GROUP = { name: 'group', label: 'Product group', value: 'STDPR' }
const PRODUCT = { name: 'product', label: 'Product', value: '6560003' }
const PLACE = { name: 'place', label: 'ZIP code, city or coordinates', value: '55804' }

const ENDPOINTS: Endpoint[] = [
  {
    path: 'v3/fetch-credentials',
    description: 'Checks whether the partner accepts our credentials, and shows its limits.',
    inputs: [],
    bodyOf: () => ({}),
    summarise: summariseCredentials,
  },
  {
    path: 'product-details',
    description: 'Lists the print products and their prices.',
    inputs: [GROUP],
    bodyOf: ({ group }) => (group ? { productGroupId: group } : {}),
    summarise: (answer) => summariseList(answer, 'products', 'product'),
  },
  {
    path: 'store-search',
    description: 'Finds stores near a place that print a product.',
    inputs: [PLACE, PRODUCT],
    bodyOf: async ({ place = '', product }) => ({
      ...(await findPosition(place)),
      productDetails: [{ productId: product, qty: 1 }],
    }),
    summarise: (answer) => summariseList(answer, 'photoStores', 'store'),
  },
  {
    path: 'submit-order-official',
    description: "Places an order that is marked 'Test Order, Do not print!'.",
    inProduction: 'Test orders are possible only in sandbox: in production this call is rejected.',
    inputs: [PLACE, PRODUCT],
    bodyOf: async ({ place, product }) => ({
      ...(place && (await findPosition(place))),
      ...(product && { productId: product }),
    }),
    summarise: summariseTestOrder,
  },
  {
    path: 'validate-coupon-official',
    description: 'Checks a coupon code for some prints of a product.',
    inputs: [
      { name: 'code', label: 'Coupon code', value: '' },
      PRODUCT,
      { name: 'quantity', label: 'Quantity', value: '1', numeric: true },
    ],
    bodyOf: ({ code, product, quantity }) => ({
      couponCode: code?.toUpperCase(),
      productDetails: [{ productId: product, qty: quantity || '1' }],
    }),
    summarise: summariseCoupon,
  },
]

export function EndpointTests() {
  const production = useQuery(environmentQuery).data?.environment === 'production'
  return (
    <section aria-labelledby="endpoints">
      <h2 id="endpoints" className="text-lg font-semibold sm:text-xl">
        Partner endpoints
      </h2>
      <p className="mb-4 text-muted">
        {`Each test calls Walgreens ${production ? 'production' : 'sandbox'} once and shows the answer.`}
      </p>
      <div className="grid gap-4">
        {ENDPOINTS.map((endpoint) => (
          <EndpointTest key={endpoint.path} endpoint={endpoint} production={production} />
        ))}
      </div>
    </section>
  )
}

/** An endpoint with a form that calls it, and what it answered. */
function EndpointTest({ endpoint, production }: { endpoint: Endpoint; production: boolean }) {
  const { path, description, inProduction, inputs, bodyOf, summarise } = endpoint
  const id = useId()
  const test = useAdminMutation({
    run: async (values: Record<string, string>) => {
      const started = performance.now()
      const answer = await callPartner(path, await bodyOf(values))
      return { answer, milliseconds: performance.now() - started }
    },
  })

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    if (test.isPending) return
    const values = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value).trim()])
    test.mutate(Object.fromEntries(values))
  }

  return (
    <article
      aria-labelledby={id}
      className="grid gap-x-8 gap-y-4 rounded-lg bg-surface p-4 shadow-low ring ring-line sm:p-5 lg:grid-cols-2"
    >
      <form noValidate onSubmit={submit} className="grid content-start gap-4">
        <div>
          <h3 id={id} className="font-mono text-[15px] font-semibold wrap-anywhere">
            {path}
          </h3>
          <p className="text-sm text-pretty text-muted">{(production && inProduction) || description}</p>
        </div>
        {inputs.length > 0 && (
          <div className="grid gap-3 sm:grid-cols-2">
            {inputs.map((input) => (
              <TextField
                key={input.name}
                label={input.label}
                name={input.name}
                defaultValue={input.value}
                autoComplete="off"
                spellCheck={false}
                inputMode={input.numeric ? 'numeric' : undefined}
              />
            ))}
          </div>
        )}
        <Button
          type="submit"
          aria-disabled={test.isPending}
          aria-busy={test.isPending}
          className="max-sm:w-full sm:w-fit"
        >
          <Play aria-hidden /> <span>{test.isPending ? 'Calling\u2026' : 'Test'}</span>
          <span className="sr-only">{` ${path}`}</span>
        </Button>
      </form>
      <div className="grid min-w-0 content-start gap-2">
        <div role="status">
          {test.failure && <CallFailure error={test.failure} />}
          {test.isSuccess && <CallSuccess milliseconds={test.data.milliseconds} {...summarise(test.data.answer)} />}
        </div>
        {test.isSuccess && (
          <section
            aria-label={`Answer of ${path}`}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
            tabIndex={0}
            className="max-h-72 overflow-auto rounded-md bg-sunken p-3"
          >
            <pre className="font-mono text-xs">{JSON.stringify(test.data.answer, null, 2)}</pre>
          </section>
        )}
      </div>
    </article>
  )
}

/** The server's sentence, with those about single inputs. */
function CallFailure({ error }: { error: unknown }) {
  const fields = error instanceof ApiError ? Object.values(error.body?.fields ?? {}) : []
  return (
    <p className="flex gap-2 rounded-md bg-danger-soft px-3 py-2.5 text-danger">
      <CircleAlert aria-hidden className="mt-0.5 size-5 shrink-0" />
      <span className="min-w-0 wrap-anywhere">{[...new Set([errorMessage(error), ...fields])].join(' ')}</span>
    </p>
  )
}

function CallSuccess({ milliseconds, text, good }: Summary & { milliseconds: number }) {
  const Icon = good ? CircleCheck : CircleAlert
  return (
    <p className="flex gap-2">
      <Icon aria-hidden className={cx('mt-0.5 size-5 shrink-0', good ? 'text-good' : 'text-warn')} />
      <span className="min-w-0 flex-1 font-medium wrap-anywhere">{text}</span>
      <span className="shrink-0 text-sm text-muted">{`${formatNumber(Math.round(milliseconds))} ms`}</span>
    </p>
  )
}
