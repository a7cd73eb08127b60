import { useQuery } from '@tanstack/react-query'
import { callPartner, environmentQuery } from '../../api/admin.ts'
import { Field, Input } from '../../components/ui/field.tsx'
import { EndpointTest } from './endpoint-test.tsx'
import {
  summariseCoupon,
  summariseCredentials,
  summariseProducts,
  summariseStores,
  summariseTestOrder,
} from './partner-answers.ts'
import { findPosition } from './place.ts'

/** The group and the product that the print wizard offers first. */
const PRODUCT_GROUP = 'STDPR'
const PRODUCT = '6560003'
const PLACE = '55804'

/** The partner's endpoints, each with a test. */
export function EndpointTests() {
  const production = useQuery(environmentQuery).data?.environment === 'production'
  return (
    <section aria-labelledby="endpoints">
      <h2 id="endpoints" className="text-lg font-semibold sm:text-xl">
        Partner endpoints
      </h2>
      <p className="mb-4 text-muted">
        Each test calls Walgreens {production ? 'production' : 'sandbox'} once and shows the answer.
      </p>
      <div className="grid gap-4">
        <EndpointTest
          endpoint="v3/fetch-credentials"
          description="Checks whether the partner accepts our credentials, and shows its limits."
          run={() => callPartner('v3/fetch-credentials', {})}
          summarise={summariseCredentials}
        />
        <EndpointTest
          endpoint="product-details"
          description="Lists the print products and their prices."
          run={({ group }) => callPartner('product-details', group ? { productGroupId: group } : {})}
          summarise={summariseProducts}
        >
          <TextInput name="group" label="Product group" value={PRODUCT_GROUP} />
        </EndpointTest>
        <EndpointTest
          endpoint="store-search"
          description="Finds stores near a place that print a product."
          run={async ({ place = '', product }) =>
            callPartner('store-search', {
              ...(await findPosition(place)),
              productDetails: [{ productId: product, qty: 1 }],
            })
          }
          summarise={summariseStores}
        >
          <PlaceInput />
          <TextInput name="product" label="Product" value={PRODUCT} />
        </EndpointTest>
        <EndpointTest
          endpoint="submit-order-official"
          description={
            production
              ? 'Test orders are possible only in sandbox: in production this call is rejected.'
              : "Places an order that is marked 'Test Order, Do not print!'."
          }
          run={async ({ place = '', product }) =>
            callPartner('submit-order-official', {
              ...(place && (await findPosition(place))),
              ...(product && { productId: product }),
            })
          }
          summarise={summariseTestOrder}
        >
          <PlaceInput />
          <TextInput name="product" label="Product" value={PRODUCT} />
        </EndpointTest>
        <EndpointTest
          endpoint="validate-coupon-official"
          description="Checks a coupon code for some prints of a product."
          run={({ code, product, quantity }) =>
            callPartner('validate-coupon-official', {
              couponCode: code?.toUpperCase(),
              productDetails: [{ productId: product, qty: quantity || '1' }],
            })
          }
          summarise={summariseCoupon}
        >
          <TextInput name="code" label="Coupon code" value="" />
          <TextInput name="product" label="Product" value={PRODUCT} />
          <TextInput name="quantity" label="Quantity" value="1" numeric />
        </EndpointTest>
      </div>
    </section>
  )
}

function PlaceInput() {
  return <TextInput name="place" label="ZIP code, city or coordinates" value={PLACE} />
}

interface TextInputProps {
  name: string
  label: string
  /** Its value at first. */
  value: string
  numeric?: boolean
}

function TextInput({ name, label, value, numeric }: TextInputProps) {
  return (
    <Field label={label}>
      {(control) => (
        <Input
          {...control}
          name={name}
          defaultValue={value}
          autoComplete="off"
          spellCheck={false}
          inputMode={numeric ? 'numeric' : undefined}
        />
      )}
    </Field>
  )
}
