// The time of a submit without the partner's: orders through the service over HTTP, compared with the same calls sent plainly
// to the partner's sandbox. Durable PostgreSQL, Redis and NATS; media is a responder in this process. Prints Markdown and
// exits with 1 above the budget. `npm run check -- bench:orders`; takes about half a minute.
import { randomUUID } from 'node:crypto'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { connectNats, IDENTITY_HEADER, serveRequests, signIdentity } from '@skyfolio/kit'
import { PrintImageStatus, printImageCheck } from '@skyfolio/proto'
import { startBenchSystem } from './system.ts'

const ROUNDS = [
  { concurrency: 1, orders: 300 },
  { concurrency: 4, orders: 600 },
]
const WARM_UP = 100
/** Of one order at a time, at the 95th percentile. */
const BUDGET_MS = 50
const IDENTITY_KEY = 'a-key-that-signs-the-identities-of-the-benchmark'
const ORIGIN = 'http://bench.test'
const POSITION = { latitude: '46.82', longitude: '-92.03' }
const PRODUCT = { productId: '6560003', qty: '1' }
const CUSTOMER = { firstName: 'Ada', lastName: 'Bench', phone: '2185550199', email: 'ada@bench.test' }

let requests = 0
/** Headers of one of many users. */
function headers(): Record<string, string> {
  requests += 1
  const userId = 1 + (requests % 100)
  const identity = {
    userId,
    username: `user${userId}`,
    isAdmin: false,
    sessionHash: 'bench',
    address: '127.0.0.1',
    confirmedAt: null,
  }
  return {
    [IDENTITY_HEADER]: signIdentity(identity, [IDENTITY_KEY]),
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  }
}

/** An image of its own for each order: identical orders would wait for each other. */
function newImage(): string {
  const hex = () => randomUUID().replaceAll('-', '')
  return `p-${hex()}-zzzzzz-${hex()}.jpg`
}

async function post(url: string, body: object, expected: number): Promise<Record<string, unknown>> {
  const response = await fetch(url, { method: 'POST', headers: headers(), body: JSON.stringify(body) })
  const text = await response.text()
  if (response.status !== expected) throw new Error(`${url}: ${response.status} ${text}`)
  return JSON.parse(text)
}

const order = () => ({
  ...CUSTOMER,
  storeNum: '4101',
  promiseTime: 'Same Day',
  productDetails: [
    {
      productId: PRODUCT.productId,
      productPrice: '0.40',
      imageDetails: [{ url: `${ORIGIN}/api/uploads/${newImage()}`, qty: 1 }],
    },
  ],
  orderTotal: '0.40',
  subtotal: '0.40',
  termsAccepted: true,
})

/** The calls of a submit, sent to the sandbox without anything around them. */
async function sendPlainly(sandbox: string): Promise<void> {
  const common = { apiKey: 'sandbox-key', affId: 'sandbox-affiliate' }
  const productDetails = [PRODUCT]
  const read = (path: string, body: object) => post(`${sandbox}/api/photo/${path}/v3`, { ...common, ...body }, 200)
  const [, stores] = await Promise.all([
    read('products', { act: 'getphotoprods', productGroupId: 'STDPR' }),
    read('store', { act: 'photoStores', ...POSITION, productDetails }),
  ])
  const { photoStores } = stores as { photoStores: { photoStoreDetails: { storeNum: string; promiseTime: string } }[] }
  const store = photoStores.find(({ photoStoreDetails }) => photoStoreDetails.storeNum === '4101')?.photoStoreDetails
  const imageDetails = [{ url: `${ORIGIN}/api/uploads/${newImage()}`, qty: '1' }]
  await read('order/submit', {
    ...{ act: 'submitphotoorder', ...CUSTOMER, affNotes: 'Test Order, Do not print!' },
    ...{ storeNum: '4101', promiseTime: store?.promiseTime },
    productDetails: [{ productId: PRODUCT.productId, imageDetails }],
  })
}

/** Runs the work repeatedly and returns the sorted times. */
async function measure(count: number, concurrency: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  let left = count
  const worker = async () => {
    while (left > 0) {
      left -= 1
      const start = performance.now()
      await work()
      times.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return times.sort((a, b) => a - b)
}

const system = await startBenchSystem({ IDENTITY_KEYS: IDENTITY_KEY, PUBLIC_ORIGIN: ORIGIN })
const nats = await connectNats(system.natsUrl, 'bench')
const media = serveRequests(nats, printImageCheck, async ({ filenames }) => ({
  images: filenames.map((filename) => ({
    status: PrintImageStatus.READY,
    filename,
    expiresAt: timestampFromDate(new Date(Date.now() + 86_400_000)),
  })),
}))
let ownTime = 0
try {
  const { service, sandbox } = system
  const search = { ...POSITION, productDetails: [PRODUCT] }
  await post(`${service}/api/walgreens/store-search`, search, 200)
  const submit = () => post(`${service}/api/walgreens/submit-order`, order(), 201)
  await measure(WARM_UP, 2, submit)
  await measure(WARM_UP, 2, () => sendPlainly(sandbox))
  console.log('| at once | submit, p50 | p95 | plain calls, p50 | p95 | submit without the calls, p95 |')
  console.log('| ---: | ---: | ---: | ---: | ---: | ---: |')
  for (const { concurrency, orders } of ROUNDS) {
    const plain = await measure(orders, concurrency, () => sendPlainly(sandbox))
    const submits = await measure(orders, concurrency, submit)
    const at = (times: number[], share: number) => times[Math.floor((times.length - 1) * share)] ?? 0
    const own = at(submits, 0.95) - at(plain, 0.5)
    if (concurrency === 1) ownTime = own
    const cells = [at(submits, 0.5), at(submits, 0.95), at(plain, 0.5), at(plain, 0.95), own]
    console.log(`| ${concurrency} | ${cells.map((ms) => `${ms.toFixed(1)} ms`).join(' | ')} |`)
  }
} finally {
  await media.stop()
  await nats.close()
  await system.close()
}
if (ownTime > BUDGET_MS) {
  console.error(`A submit takes ${ownTime.toFixed(1)} ms without the partner's calls; the budget is ${BUDGET_MS} ms.`)
  process.exitCode = 1
}
