import { setTimeout as delay } from 'node:timers/promises'
import { generatePhotos, seedFolders } from '../load/seed-folders.ts'

export interface Print {
  photoId: number
  productId: string
  quantity: number
}

/** What an order costs now, and when it would be ready. */
export interface Figures {
  storeNum: string
  promiseTime: string
  prices: Map<string, string>
  subtotalCents: number
  discountCents: number
}

/** A customer's account with photos, and the calls that the wizard makes. */
export interface OrderClient {
  name: string
  userId: number
  photoIds: number[]
  productIds: readonly string[]
  cookie: string
  call(method: string, path: string, body?: object): Promise<unknown>
  post(
    path: string,
    body: object,
    headers?: Record<string, string>,
    timeoutMs?: number,
  ): Promise<{ status: number; text: string }>
  /** Reads products, stores and discount and prepares the images, repeatedly after errors. @throws after the deadline */
  readFigures(prints: Print[], couponCode: string | undefined, isLate: () => boolean): Promise<Figures>
  createBody(
    figures: Figures,
    order: { prints: Print[]; couponCode: string | undefined; email: string },
  ): Record<string, unknown>
}

const DULUTH = { latitude: '46.8384', longitude: '-92.0153' }
const COMMON = { appVer: '1.0', devInf: 'WebApp,1.0' }
const PRODUCTS = 2
const READ_TIMEOUT_MS = 20_000
const RENDERED_WITHIN_MS = 120_000
const PHOTO_SIZE = { width: 1024, height: 683 }

/** Registers an account with a few photos, whose images are rendered. */
export async function createOrderClient(url: string, name: string, photos: number): Promise<OrderClient> {
  const account = { username: name, password: 'a long enough password', firstName: 'Fault', lastName: 'Run' }
  const photoFiles = generatePhotos(PHOTO_SIZE)
  const { owner: session, folders } = await seedFolders(url, account, { folders: 1, photos }, photoFiles)
  const { id: userId } = (await session.call('GET', '/api/user')) as { id: number }
  const photoIds = folders.flatMap((folder) => folder.photos)
  const productIds: string[] = []

  async function post(path: string, body: object, headers = {}, timeoutMs = READ_TIMEOUT_MS) {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { cookie: session.cookie, origin: url, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status: response.status, text: await response.text() }
  }

  /** The body of a successful response; throws otherwise. */
  async function read<T>(path: string, body: object): Promise<T> {
    const { status, text } = await post(path, body)
    if (status !== 200) throw new Error(`${path} returned ${status}: ${text}`)
    return JSON.parse(text) as T
  }

  async function readPrices(): Promise<Map<string, string>> {
    const { products } = await read<{ products: { productId: string; productPrice: string }[] }>(
      '/api/walgreens/products',
      { productGroupId: 'STDPR', ...COMMON },
    )
    return new Map(products.map(({ productId, productPrice }) => [productId, productPrice]))
  }

  async function prepareImages(prints: Print[]): Promise<void> {
    const images = prints.map(({ photoId, productId }) => ({ photoId, productId }))
    const response = await read<{ images: { status: string }[] }>('/api/walgreens/prepare-images', { images })
    if (response.images.some(({ status }) => status !== 'ready')) throw new Error('images are not ready')
  }

  async function readOnce(prints: Print[], couponCode: string | undefined): Promise<Figures> {
    const prices = await readPrices()
    await prepareImages(prints)
    const productDetails = prints.map(({ productId, quantity }) => ({ productId, qty: String(quantity) }))
    const { photoStores } = await read<{ photoStores: { photoStoreDetails: Figures }[] }>(
      '/api/walgreens/store-search',
      { ...DULUTH, productDetails, act: 'photoStores', ...COMMON },
    )
    const store = photoStores[0]?.photoStoreDetails
    if (!store) throw new Error('there is no store')
    const subtotalCents = prints.reduce(
      (sum, { productId, quantity }) => sum + Math.round(Number(prices.get(productId)) * 100) * quantity,
      0,
    )
    const discountCents = couponCode ? await readDiscount(couponCode, productDetails) : 0
    return { storeNum: store.storeNum, promiseTime: store.promiseTime, prices, subtotalCents, discountCents }
  }

  async function readDiscount(couponCode: string, productDetails: object): Promise<number> {
    const coupon = await read<{ err: string; orderDiscountPrice?: string }>('/api/walgreens/validate-coupon', {
      ...{ couponCode, productDetails, act: 'getdiscount' },
      ...COMMON,
    })
    if (coupon.err !== '') throw new Error(`the coupon was rejected: ${coupon.err}`)
    return Math.round(Number(coupon.orderDiscountPrice) * 100)
  }

  const client: OrderClient = {
    name,
    userId,
    photoIds,
    productIds,
    cookie: session.cookie,
    call: session.call,
    post,
    async readFigures(prints, couponCode, isLate) {
      for (;;) {
        try {
          return await readOnce(prints, couponCode)
        } catch (error) {
          if (isLate()) throw error
          await delay(700)
        }
      }
    },
    createBody({ storeNum, promiseTime, prices, subtotalCents, discountCents }, { prints, couponCode, email }) {
      const customer = { firstName: 'Fault', lastName: 'Run', phone: '2185550100', email }
      const groups = Map.groupBy(prints, ({ productId }) => productId)
      const productDetails = [...groups].map(([productId, group]) => ({
        productId,
        productPrice: prices.get(productId),
        imageDetails: group.map(({ photoId, quantity }) => ({ photoId, qty: String(quantity) })),
      }))
      return {
        ...{ storeNum, promiseTime, ...customer, productDetails },
        orderTotal: dollars(subtotalCents - discountCents),
        subtotal: dollars(subtotalCents),
        ...(couponCode && { couponCode }),
        ...{ termsAccepted: true, act: 'submitphotoorder', ...COMMON },
      }
    },
  }
  productIds.push(...[...(await readPrices()).keys()].slice(0, PRODUCTS))
  // The renderings are not what is tested: the first ones take longest.
  const all = photoIds.flatMap((photoId) => productIds.map((productId) => ({ photoId, productId, quantity: 1 })))
  const deadline = Date.now() + RENDERED_WITHIN_MS
  await client.readFigures(all, undefined, () => Date.now() > deadline)
  return client
}

const dollars = (cents: number): string => (cents / 100).toFixed(2)
