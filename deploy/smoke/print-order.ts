import { setTimeout as delay } from 'node:timers/promises'

// Orders a print as the wizard does. Needs nothing but Node, so that it runs in an image.

/** Sends a request as a signed-in user. @throws Error when the response is not 2xx */
export type RequestJson = (method: string, path: string, body?: object) => Promise<unknown>

export interface PlacedOrder {
  orderId: number
  vendorOrderId: string
}

interface Product {
  productId: string
  productPrice: string
}

interface PreparedImage {
  status: 'ready' | 'rendering' | 'failed'
  message: string | null
}

interface Order {
  id: number
  orderStatus: string
}

const IMAGE_TIMEOUT_MS = 120_000
const STATUS_TIMEOUT_MS = 180_000
/** The 4x6 print. */
const PREFERRED_PRODUCT = '6560003'
const SMOKE_CUSTOMER = { firstName: 'Smoke', lastName: 'Test', phone: '2185550100', email: 'smoke@example.test' }

/** What is printed, near which place and for whom. */
export interface PrintRequest {
  photoId: number
  quantity?: number
  latitude: number
  longitude: number
  customer?: typeof SMOKE_CUSTOMER
}

/** Orders prints of a photo from the nearest store. @throws Error unless the order is accepted */
export async function placePrintOrder(request: RequestJson, print: PrintRequest): Promise<PlacedOrder> {
  const order = await prepareOrder(request, print)
  const placed = (await request('POST', '/api/walgreens/submit-order', order)) as {
    orderId: number
    vendorOrderId: string | null
    orderStatus: string
  }
  if (!placed.vendorOrderId) throw new Error(`the outcome of the print order is ${placed.orderStatus}`)
  return { orderId: placed.orderId, vendorOrderId: placed.vendorOrderId }
}

/** Everything before the submit: prices, the rendered image, the nearest store. Returns the body of the submit. */
export async function prepareOrder(
  request: RequestJson,
  { photoId, quantity = 1, latitude, longitude, customer = SMOKE_CUSTOMER }: PrintRequest,
): Promise<object> {
  const { products } = (await request('POST', '/api/walgreens/products', { productGroupId: 'STDPR' })) as {
    products: Product[]
  }
  const product = products.find(({ productId }) => productId === PREFERRED_PRODUCT) ?? products[0]
  if (!product) throw new Error('the print partner has no products')
  const { productId, productPrice } = product
  const total = (Number(productPrice) * quantity).toFixed(2)
  await prepareImage(request, photoId, productId)
  const { photoStores } = (await request('POST', '/api/walgreens/store-search', {
    latitude: String(latitude),
    longitude: String(longitude),
    productDetails: [{ productId, qty: quantity }],
  })) as { photoStores: { photoStoreDetails: { storeNum: string; promiseTime: string } }[] }
  const store = photoStores[0]?.photoStoreDetails
  if (!store) throw new Error('the print partner has no store here')
  return {
    storeNum: store.storeNum,
    promiseTime: store.promiseTime,
    ...customer,
    productDetails: [{ productId, productPrice, imageDetails: [{ photoId, qty: quantity }] }],
    subtotal: total,
    orderTotal: total,
    termsAccepted: true,
  }
}

/** Waits until the image of the photo is rendered for the product. */
async function prepareImage(request: RequestJson, photoId: number, productId: string): Promise<void> {
  for (const deadline = Date.now() + IMAGE_TIMEOUT_MS; Date.now() < deadline; await delay(500)) {
    const { images } = (await request('POST', '/api/walgreens/prepare-images', {
      images: [{ photoId, productId }],
    })) as { images: PreparedImage[] }
    const [image] = images
    if (image?.status === 'ready') return
    if (image?.status === 'failed') throw new Error(`the print image failed: ${image.message}`)
  }
  throw new Error(`the print image was not rendered within ${IMAGE_TIMEOUT_MS / 1000} s`)
}

/** Waits until the partner has fetched the image of the order and prints it. @throws Error when the order is cancelled */
export async function waitUntilPrinting(request: RequestJson, orderId: number): Promise<string> {
  for (const deadline = Date.now() + STATUS_TIMEOUT_MS; Date.now() < deadline; await delay(1_000)) {
    await request('POST', '/api/walgreens/refresh-order-status', {})
    const { orderStatus } = (await request('GET', `/api/walgreens/orders/${orderId}`)) as Order
    if (['processing', 'ready', 'picked_up'].includes(orderStatus)) return orderStatus
    if (orderStatus === 'cancelled') throw new Error('the partner cancelled the print order')
  }
  throw new Error(`the print order was not being printed within ${STATUS_TIMEOUT_MS / 1000} s`)
}
