import { AppError, conflict, type Logger } from '@skyfolio/kit'
import type { Partner } from './partner.ts'
import { failureError, rejectionSentence, unwrap } from './problem.ts'
import { type Environment, type Product, type Store, type SubmitOutcome, TEST_NOTE } from './types.ts'

interface CredentialsTest {
  accepted: boolean
  message: string
  /** Images of one order. */
  uploadLimit: number | null
}

/** Whether the partner accepts the configured credentials. @throws AppError 502, 503 or 504 when it does not say */
export async function testCredentials(
  partner: Partner,
  environment: Environment,
  withinMs: number,
): Promise<CredentialsTest> {
  const outcome = await partner.credentials(environment, { withinMs })
  if (outcome.outcome === 'failed') throw failureError(outcome)
  if (outcome.outcome === 'error') return { accepted: false, message: rejectionSentence(outcome), uploadLimit: null }
  return { accepted: true, message: 'Walgreens accepts the credentials.', ...outcome.value }
}

interface TestOrder {
  vendorOrderId: string
  environment: Environment
  message: string
}

export interface TestOrderRequest {
  latitude?: string
  longitude?: string
  productId?: string
}

interface TestOrderDeps {
  partner: Partner
  /** Address of an image of the web application that the partner can reach. */
  imageUrl: string
  logger: Logger
}

/** Duluth, Minnesota. */
const DEFAULT_POSITION = { latitude: '46.8372', longitude: '-92.0066' }
/** The 4x6 print. */
const DEFAULT_PRODUCT = '6560003'

const CUSTOMER = { firstName: 'Test', lastName: 'Order', email: 'test@example.com', phone: '5555550100' }

/**
 * Places a marked test order of one print at the nearest store of the sandbox. It belongs to nobody and is not stored.
 * `withinMs` is for what is read before.
 * @throws AppError 409 in production, 422 when the partner rejects it; 502, 503 or 504
 */
export async function placeTestOrder(
  { partner, imageUrl, logger }: TestOrderDeps,
  environment: Environment,
  request: TestOrderRequest,
  withinMs: number,
): Promise<TestOrder> {
  if (environment !== 'sandbox') {
    throw conflict('Test orders are placed in the sandbox only. Switch the environment first.', 'production')
  }
  const endsAt = performance.now() + withinMs
  const product = chooseProduct(unwrap(await partner.products(environment, { withinMs })), request.productId)
  const { latitude, longitude } = { ...DEFAULT_POSITION, ...request }
  const items = [{ productId: product.productId, quantity: 1 }]
  const search = { latitude, longitude, items }
  const store = nearest(unwrap(await partner.stores(environment, search, { withinMs: endsAt - performance.now() })))
  const outcome = await partner.submit(environment, {
    ...CUSTOMER,
    storeNum: store.storeNum,
    promiseTime: store.promiseTime,
    products: [{ productId: product.productId, images: [{ url: imageUrl, quantity: 1 }] }],
    couponCode: null,
    affNotes: TEST_NOTE,
  })
  if (outcome.outcome === 'unknown' || outcome.outcome === 'notSent') {
    const { kind, status } = outcome
    logger.warn({ environment, outcome: outcome.outcome, kind, httpStatus: status }, 'test order failed')
  }
  const vendorOrderId = numberOf(outcome)
  logger.info({ vendorOrderId }, 'test order placed')
  return { vendorOrderId, environment, message: `Test order placed at store ${store.storeNum}. Nothing is printed.` }
}

function chooseProduct(products: Product[], productId = DEFAULT_PRODUCT): Product {
  const product = products.find((one) => one.productId === productId) ?? products[0]
  if (!product) throw new AppError(502, 'partner_failed', 'Walgreens lists no products.')
  return product
}

function nearest(stores: Store[]): Store & { promiseTime: string } {
  const store = stores.find(({ promiseTime }) => promiseTime !== null)
  if (!store?.promiseTime) throw new AppError(502, 'partner_failed', 'Walgreens lists no store near this position.')
  return { ...store, promiseTime: store.promiseTime }
}

function numberOf(outcome: SubmitOutcome): string {
  if (outcome.outcome === 'accepted') return outcome.vendorOrderId
  if (outcome.outcome === 'rejected') throw new AppError(422, 'partner_refused', rejectionSentence(outcome))
  throw failureError(outcome)
}
