import { waitFor } from '@skyfolio/testkit'
import type { APIRequestContext } from 'playwright-core'
import { readJson } from './gallery-photos.ts'

/** A position in Duluth with several stores of the partner sandbox. */
const DULUTH = { latitude: '46.8254', longitude: '-92.0332' }
export const CUSTOMER = { firstName: 'Paula', lastName: 'Tern', email: 'paula.tern@example.test', phone: '2185550199' }

interface Product {
  productId: string
  productSize: string
  productPrice: string
}

interface Store {
  storeNum: string
  city: string
  state: string
  promiseTime: string
}

/** The partner's text of this status. */
const READY = 'Ready for Pickup'

/** What became of a submitted order. */
export interface PlacedOrder {
  orderId: number
  vendorOrderId: string | null
  orderStatus: string
}

/** Orders one print of each photo, in the first size that the partner sells, at the store nearest to Duluth. */
export async function placeOrder(api: APIRequestContext, photoIds: number[], quantity = 1): Promise<PlacedOrder> {
  const { products } = await readJson<{ products: Product[] }>(
    api.post('/api/walgreens/products', { data: { productGroupId: 'STDPR' } }),
  )
  const product = products.find(({ productSize }) => productSize === '4x6') as Product
  const { photoStores } = await readJson<{ photoStores: { photoStoreDetails: Store }[] }>(
    api.post('/api/walgreens/store-search', {
      data: { ...DULUTH, productDetails: [{ productId: product.productId, qty: quantity * photoIds.length }] },
    }),
  )
  const store = photoStores[0]?.photoStoreDetails as Store
  await prepareImages(api, photoIds, product.productId)
  const cents = Math.round(Number(product.productPrice) * 100) * quantity * photoIds.length
  const amount = (cents / 100).toFixed(2)
  return readJson(
    api.post('/api/walgreens/submit-order', {
      headers: { 'idempotency-key': crypto.randomUUID() },
      timeout: 60_000,
      data: {
        ...CUSTOMER,
        storeNum: store.storeNum,
        promiseTime: store.promiseTime,
        productDetails: [
          {
            productId: product.productId,
            productPrice: product.productPrice,
            imageDetails: photoIds.map((photoId) => ({ photoId, qty: quantity })),
          },
        ],
        orderTotal: amount,
        subtotal: amount,
        termsAccepted: true,
      },
    }),
  )
}

/** Waits until the print files of the photos exist. */
async function prepareImages(api: APIRequestContext, photoIds: number[], productId: string): Promise<void> {
  const data = { images: photoIds.map((photoId) => ({ photoId, productId })) }
  const areReady = async () => {
    const { images } = await readJson<{ images: { status: string }[] }>(
      api.post('/api/walgreens/prepare-images', { data }),
    )
    return images.every(({ status }) => status === 'ready')
  }
  await waitFor(areReady, { what: 'the print files are rendered', timeoutMs: 60_000 })
}

/** The control API of the print partner's sandbox. */
export interface SandboxControl {
  /** Makes something go wrong, such as `{fault: 'commit-then-drop', times: 1}`. */
  fault(request: { fault: string; times?: number; route?: string }): Promise<void>
  clearFaults(): Promise<void>
  /** Sets the clock to the morning in Duluth: what a store promises depends on its hours. */
  turnClockToMorning(): Promise<void>
  /** Turns the clock until the partner has printed this order. */
  turnClockUntilReady(vendorOrderId: string): Promise<void>
  /** The newest order. */
  lastOrder(): Promise<{ vendorOrderId: string; affNotes?: string }>
}

export function controlSandbox(url: string, key: string): SandboxControl {
  const authorization = `Bearer ${key}`
  async function call<T>(path: string, body?: unknown): Promise<T> {
    const response = await fetch(new URL(path, url), {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`)
    return (await response.json()) as T
  }
  return {
    fault: async (request) => void (await call('/faults', request)),
    clearFaults: async () => {
      await fetch(new URL('/faults', url), { method: 'DELETE', headers: { authorization } })
    },
    turnClockToMorning: async () => {
      const today = new Date().toISOString().slice(0, 10)
      await call('/clock', { now: `${today}T16:00:00.000Z` })
    },
    turnClockUntilReady: async (vendorOrderId) => {
      const isReady = async () => {
        const { orderStatus } = await call<{ orderStatus: string }>(`/orders/${vendorOrderId}`)
        if (orderStatus === READY) return true
        await call('/clock', { toNextStep: true })
        return false
      }
      await waitFor(isReady, { what: `order ${vendorOrderId} is printed`, timeoutMs: 30_000 })
    },
    lastOrder: async () => {
      const [last] = await call<{ vendorOrderId: string }[]>('/orders?limit=1')
      if (!last) throw new Error('The sandbox has no order')
      return last
    },
  }
}
