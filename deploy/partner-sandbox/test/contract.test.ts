import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../src/sandbox.ts'
import { type CallName, type Client, clientOf, type Json, orderBody, READS } from './support.ts'

// What is publicly known of the partner's API. The first part only reads and can run against another host:
// PARTNER_CONTRACT_URL, with PARTNER_CONTRACT_KEY and PARTNER_CONTRACT_AFFILIATE.
const { PARTNER_CONTRACT_URL, PARTNER_CONTRACT_KEY, PARTNER_CONTRACT_AFFILIATE } = process.env
const READ_CALLS = Object.keys(READS) as (keyof typeof READS)[]

let sandbox: Sandbox
let client: Client

beforeAll(async () => {
  sandbox = await startSandbox()
  client = clientOf(sandbox)
})
afterEach(() => client.control('POST', '/reset'))
afterAll(() => sandbox.stop())

describe('calls that read', () => {
  const read = async (call: keyof typeof READS, changes: object = {}): Promise<Json> => {
    const credentials = PARTNER_CONTRACT_KEY && { apiKey: PARTNER_CONTRACT_KEY, affId: PARTNER_CONTRACT_AFFILIATE }
    const host = clientOf({ url: PARTNER_CONTRACT_URL ?? sandbox.url, controlUrl: '' })
    const response = await host.post(call, { ...READS[call], ...credentials, ...changes })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('application/json')
    return response.json()
  }

  test('credentials give the upload limit and a container for uploads', async () => {
    const { err, uploadLimit, cloud } = await read('creds')
    expect(err ?? '').toBe('')
    expect(Number(uploadLimit)).toBe(200)
    expect(new URL(cloud[0].sasKeyToken).searchParams.get('sig')).toBeTruthy()
  })

  test('products have ids, sizes and prices as texts, 6560003 is the 4x6 print', async () => {
    const { err, products } = await read('products')
    expect(err).toBe('')
    const print = products.find(({ productId }: Json) => productId === '6560003')
    expect(print).toMatchObject({ productGroupId: 'STDPR', productSize: expect.stringMatching(/4 ?x ?6/i) })
    for (const { productId, productDesc, productPrice } of products) {
      expect([productId, productDesc].every((text) => typeof text === 'string' && text)).toBe(true)
      expect(productPrice).toMatch(/^\d+\.\d{1,2}$/)
    }
  })

  test('stores have an address, a position, hours and a promise time', async () => {
    const { errCode, photoStores } = await read('stores')
    expect(errCode).toBe('')
    expect(photoStores.length).toBeGreaterThan(0)
    for (const { photoStoreDetails: store } of photoStores) {
      const texts = ['storeNum', 'street', 'city', 'state', 'zip', 'phone', 'distance', 'openTime', 'closeTime']
      expect(texts.filter((name) => typeof store[name] !== 'string' || store[name].trim() === '')).toEqual([])
      expect(store.promiseTime).toMatch(/^\d\d-\d\d-\d{4} \d?\d:\d\d (AM|PM)$/)
    }
  })

  test('the status of an order that does not exist is not valid', async () => {
    const { statuses } = await read('status')
    expect(statuses).toHaveLength(1)
    expect(statuses[0]).toMatchObject({ valid: 'false', orderId: '1234567890123' })
  })
})

describe.skipIf(PARTNER_CONTRACT_URL)('the sandbox', () => {
  const bodyOf = (call: CallName): Promise<Json> | Json =>
    call === 'submit' ? orderBody(client, 'http://127.0.0.1:9/photo.jpg') : READS[call]
  const codeOf = (reply: Json): string => reply.err ?? reply.errCode
  const CALLS = [...READ_CALLS, 'submit'] as CallName[]

  test.each(CALLS)('%s succeeds with an empty error code', async (call) => {
    const reply = await client.call(call, await bodyOf(call))
    expect([reply.status, codeOf(reply)]).toEqual(['success', ''])
  })

  test.each(CALLS)('%s rejects credentials, empty fields, another act and other JSON', async (call) => {
    const body = await bodyOf(call)
    const code = async (changes: object) => codeOf(await client.call(call, { ...body, ...changes }))
    expect(await code({ apiKey: 'wrong' })).toBe('2003')
    expect(await code({ affId: 'somebody' })).toBe('659')
    expect(await code({ apiKey: '' })).toBe('851')
    expect(await code({ act: 'other', transaction: 'other' })).toBe('9002')
    expect(codeOf(await client.call(call, [body]))).toBe('9001')
  })

  test.each([
    ['http-200', 200, 'application/json'],
    ['http-4xx', 400, 'application/json'],
    ['html-5xx', 500, 'text/html'],
  ])('sends errors in the style %s', async (errorStyle, status, type) => {
    await client.profile({ errorStyle })
    const response = await client.post('products', { ...READS.products, apiKey: 'wrong' })
    expect([response.status, response.headers.get('content-type')]).toEqual([status, expect.stringContaining(type)])
    const text = await response.text()
    if (type === 'application/json') expect(JSON.parse(text)).toMatchObject({ err: '2003', status: 'failure' })
    else expect(text).toContain('<html>')
  })

  test('has 12 print sizes up to 24x36, squares among them', async () => {
    const { products } = await client.call('products', READS.products)
    const sizes = products.map(({ productSize }: Json) => productSize)
    expect(sizes).toHaveLength(12)
    expect(sizes).toEqual(expect.arrayContaining(['4x6', '8x8', '20x30', '24x36']))
    expect((await client.call('products', { ...READS.products, productGroupId: 'CARDS' })).products).toEqual([])
  })

  test('has stores near Duluth: one with the sentinel, some with a padded phone, the nearest first', async () => {
    const stores = await client.stores()
    expect(stores.length).toBeGreaterThanOrEqual(5)
    expect(stores.filter(({ promiseTime }) => promiseTime === '01-01-3000 00:00 AM')).toHaveLength(1)
    expect(stores.some(({ phone }) => phone !== phone.trim())).toBe(true)
    const distances = stores.map(({ distance }) => Number(distance))
    expect(distances).toEqual(distances.toSorted((one, other) => one - other))
  })

  test.each([
    ['PRINT25', '', '1.00'],
    ['print25', '', '1.00'],
    ['FIRST10', '', '0.40'],
    ['ONTHEHOUSE', '', '4.00'],
    ['SUMMER20', '9102', undefined],
    ['PARTNER50', '661', undefined],
    ['GUESS', '9101', undefined],
  ])('coupon %s gives code "%s" and a discount of %s', async (couponCode, err, orderDiscountPrice) => {
    const reply = await client.call('coupon', { ...READS.coupon, couponCode })
    expect([reply.err, reply.orderDiscountPrice]).toEqual([err, orderDiscountPrice])
    if (Number(err) > 9000) expect(reply.errDesc).toMatch(/^SIM:/)
  })

  test.each([
    [{ storeNum: '99' }, '9201'],
    [{ promiseTime: '01-02-2020 1:00 PM' }, '9202'],
    [{ productDetails: [{ productId: '1', imageDetails: [{ url: 'http://a/', qty: '1' }] }] }, '9204'],
    [{ productDetails: [{ productId: '6560003', imageDetails: [{ url: 'http://a/', qty: '0' }] }] }, '9208'],
    [{ productDetails: [{ productId: '6560003', imageDetails: [{ url: 'file:///etc/passwd', qty: '1' }] }] }, '9209'],
    [{ productDetails: [] }, '851'],
    [{ firstName: '' }, '851'],
    [{ couponCode: 'GUESS' }, '9101'],
    [{ couponCode: 'PARTNER50' }, '661'],
  ])('submit with %o is rejected with %s', async (changes, code) => {
    const reply = await client.call('submit', await orderBody(client, 'http://127.0.0.1:9/photo.jpg', changes))
    expect([reply.err, reply.vendorOrderId]).toEqual([code, undefined])
    expect(await client.control('GET', '/orders')).toEqual([])
  })

  test('returns a batch of statuses in the order of the request, and rejects a batch that is too large', async () => {
    const orders = Array.from({ length: 100 }, (_, index) => String(index))
    const { statuses } = await client.call('status', { ...READS.status, orders })
    expect(statuses.map(({ orderId }: Json) => orderId)).toEqual(orders)
    const tooMany = { ...READS.status, orders: [...orders, '100'] }
    expect((await client.call('status', tooMany)).err).toBe('9302')
  })

  test('rejects more than the permitted requests a minute, coupons earlier', async () => {
    await client.profile({ requestsPerMinute: 5, couponsPerMinute: 2 })
    const statuses: number[] = []
    for (const call of ['coupon', 'coupon', 'coupon', 'products', 'products', 'products', 'products'] as const) {
      statuses.push((await client.post(call, READS[call])).status)
    }
    expect(statuses).toEqual([200, 200, 429, 200, 200, 200, 429])
    expect(await client.control('GET', '/stats')).toMatchObject({ requests: { coupon: 3, products: 4 } })
  })

  test('returns HTML at unknown addresses, and nothing to web pages', async () => {
    const response = await fetch(`${sandbox.url}/api/photo/products/v4`, { method: 'POST', body: '{}' })
    expect([response.status, response.headers.get('content-type')]).toEqual([404, expect.stringContaining('text/html')])
    const headers = { origin: 'https://example.com', 'content-type': 'application/json' }
    const body = JSON.stringify(READS.products)
    const foreign = await fetch(`${sandbox.url}/api/photo/products/v3`, { method: 'POST', headers, body })
    expect(foreign.status).toBe(403)
  })
})
