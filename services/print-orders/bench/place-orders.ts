import { setTimeout as delay } from 'node:timers/promises'
import type { Sandbox } from '@skyfolio/partner-sandbox'

interface Credentials {
  apiKey: string
  affiliateId: string
}

const PARALLEL = 8
const DULUTH = { latitude: '46.8384', longitude: '-92.0153' }
const PRODUCT = '6560003'
/** Longer than an order is being submitted at the partner. */
const DOWNLOADING_AFTER_HOURS = 0.1

/**
 * Places orders at a partner sandbox, which downloads no images, and turns its clock until the partner is past submitting
 * them. From then on it allows so many requests a minute. Returns the numbers of the orders.
 */
export async function placeOrders(
  sandbox: Sandbox,
  { credentials, count, requestsPerMinute }: { credentials: Credentials; count: number; requestsPerMinute: number },
): Promise<string[]> {
  async function send<T>(url: string, body: object, method = 'POST'): Promise<T> {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method, headers, body: JSON.stringify(body) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${url} returned ${response.status}: ${text}`)
    return JSON.parse(text || 'null') as T
  }
  const call = <T>(path: string, body: object) => {
    const { apiKey, affiliateId: affId } = credentials
    return send<T>(sandbox.url + path, { apiKey, affId, ...body })
  }
  const profile = `${sandbox.controlUrl}/profiles/${credentials.affiliateId}`
  await send(profile, { downloads: false, requestsPerMinute: 1_000_000 }, 'PATCH')

  const products = [{ productId: PRODUCT, qty: 1 }]
  const { photoStores } = await call<{ photoStores: { photoStoreDetails: Record<string, string> }[] }>(
    '/api/photo/store/v3',
    { act: 'photoStores', ...DULUTH, productDetails: products },
  )
  const { storeNum, promiseTime } = photoStores[0]?.photoStoreDetails ?? {}
  const order = {
    ...{ act: 'submitphotoorder', storeNum, promiseTime },
    ...{ firstName: 'Ada', lastName: 'Pilot', phone: '2185550100', email: 'ada@example.com' },
    productDetails: [{ productId: PRODUCT, imageDetails: [{ url: 'http://127.0.0.1:9/p.jpg', qty: 1 }] }],
  }
  const numbers: string[] = []
  async function placeNext(): Promise<void> {
    while (numbers.length < count) {
      numbers.push('')
      const index = numbers.length - 1
      const { vendorOrderId, err } = await call<Record<string, string>>('/api/photo/order/submit/v3', order)
      if (!vendorOrderId) throw new Error(`an order was not placed: ${err}`)
      numbers[index] = vendorOrderId
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, placeNext))

  await send(`${sandbox.controlUrl}/clock`, { advanceHours: DOWNLOADING_AFTER_HOURS })
  await send(profile, { requestsPerMinute }, 'PATCH')
  // Until these requests count no more in the partner's limit.
  await delay(61_000)
  await fetch(`${sandbox.controlUrl}/requests`, { method: 'DELETE' })
  return numbers
}
