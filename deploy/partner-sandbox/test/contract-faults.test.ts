import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Sandbox, startSandbox } from '../src/sandbox.ts'
import { FAULTS } from '../src/state/faults.ts'
import { type CallName, type Client, clientOf, type Json, orderBody, READS } from './support.ts'

const CALLS = ['creds', 'products', 'stores', 'coupon', 'submit', 'status'] as const
const PHOTO = 'http://127.0.0.1:9/photo.jpg'

let sandbox: Sandbox
let client: Client

beforeAll(async () => {
  sandbox = await startSandbox()
  client = clientOf(sandbox)
})
afterEach(() => client.control('POST', '/reset'))
afterAll(() => sandbox.stop())

const bodyOf = (call: CallName): Promise<Json> | Json => (call === 'submit' ? orderBody(client, PHOTO) : READS[call])
const orders = (): Promise<Json[]> => client.control('GET', '/orders')

describe.each(CALLS)('%s', (call) => {
  let body: Json
  beforeAll(async () => {
    body = await bodyOf(call)
  })
  const fresh = async () => (call === 'submit' ? await bodyOf(call) : body)

  test.each([
    ['http-429', 429],
    ['http-500', 500],
    ['http-502', 502],
    ['http-503', 503],
    ['html', 200],
  ] as const)('fault %s answers HTML', async (fault, status) => {
    const sent = await fresh()
    await client.fault({ fault, route: call, times: 1 })
    const response = await client.post(call, sent)
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toContain('text/html')
    expect(await response.text()).toContain('<html>')
    expect(await orders()).toEqual([])
  })

  test.each(['112', '659', '661', '2003', '851'] as const)(
    'fault %s answers the code, with and without text',
    async (fault) => {
      const sent = await fresh()
      await client.fault({ fault, route: call, times: 1 })
      await client.fault({ fault, route: call, times: 1, text: '' })
      const described = await client.call(call, sent)
      expect(described.err ?? described.errCode).toBe(fault)
      expect(described.errDesc).not.toBe('')
      const silent = await client.call(call, sent)
      expect([silent.err ?? silent.errCode, silent.errDesc]).toEqual([fault, ''])
      expect(await orders()).toEqual([])
    },
  )

  test('faults reset, hang and broken-body give no answer', async () => {
    const sent = await fresh()
    await client.fault({ fault: 'reset', route: call, times: 1 })
    await expect(client.post(call, sent)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
    await client.fault({ fault: 'hang', route: call, times: 1 })
    await expect(client.post(call, sent, AbortSignal.timeout(200))).rejects.toMatchObject({ name: 'TimeoutError' })
    await client.fault({ fault: 'broken-body', route: call, times: 1 })
    const response = await client.post(call, sent)
    await expect(response.text()).rejects.toThrow('terminated')
  })

  test('fault truncated-json answers half a document', async () => {
    const sent = await fresh()
    await client.fault({ fault: 'truncated-json', route: call, times: 1 })
    const text = await (await client.post(call, sent)).text()
    expect(text.startsWith('{')).toBe(true)
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
  })

  test('faults empty-body, slow and error', async () => {
    const sent = await fresh()
    await client.fault({ fault: 'empty-body', route: call, times: 1 })
    expect(await (await client.post(call, sent)).text()).toBe('')
    await client.fault({ fault: 'slow', route: call, times: 1, ms: 150 })
    const started = performance.now()
    await client.call(call, sent)
    expect(performance.now() - started).toBeGreaterThan(140)
    await client.fault({ fault: 'error', route: call, times: 1, code: '77', text: 'So' })
    const answer = await client.call(call, sent)
    expect([answer.err ?? answer.errCode, answer.errDesc]).toEqual(['77', 'So'])
  })
})

test('connections are refused for the given time, then the same port answers again', async () => {
  await client.fault({ fault: 'connection-refused', seconds: 0.4 })
  await vi.waitFor(() =>
    expect(client.post('products', READS.products)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } }),
  )
  await vi.waitFor(async () => expect((await client.post('products', READS.products)).status).toBe(200), 5_000)
})

test('connections are refused until the fault is deleted', async () => {
  const { id } = await client.fault({ fault: 'connection-refused' })
  await vi.waitFor(() => expect(client.post('products', READS.products)).rejects.toThrow())
  await client.control('DELETE', `/faults/${id}`)
  await vi.waitFor(async () => expect((await client.post('products', READS.products)).status).toBe(200), 5_000)
})

test('commit-then-drop: the order exists and the client gets no answer', async () => {
  const body = await orderBody(client, PHOTO)
  await client.fault({ fault: 'commit-then-drop', times: 1 })
  await expect(client.post('submit', body, AbortSignal.timeout(300))).rejects.toMatchObject({ name: 'TimeoutError' })
  expect(await orders()).toHaveLength(1)
  expect((await client.call('submit', body)).err).toBe('')
  expect(await orders()).toHaveLength(2)
})

test.each([
  ['reset', 'after', 1],
  ['reset', 'before', 0],
  ['http-502', 'after', 1],
  ['truncated-json', undefined, 1],
  ['truncated-json', 'before', 0],
  ['112', 'after', 1],
] as const)('fault %s %s on submit leaves %i orders', async (fault, when, count) => {
  const body = await orderBody(client, PHOTO)
  await client.fault({ fault, route: 'submit', times: 1, ...(when && { when }) })
  await client
    .post('submit', body)
    .then((response) => response.text())
    .catch(() => undefined)
  expect(await orders()).toHaveLength(count)
})

test('no-order-number: the order exists, the answer has no number', async () => {
  await client.fault({ fault: 'no-order-number' })
  const answer = await client.call('submit', await orderBody(client, PHOTO))
  expect([answer.err, answer.vendorOrderId]).toEqual(['', undefined])
  expect(await orders()).toHaveLength(1)
})

test('expired-sas: the container rejects the signature', async () => {
  await client.fault({ fault: 'expired-sas', times: 1 })
  const { cloud } = await client.call('creds', READS.creds)
  const [container, signature] = cloud[0].sasKeyToken.split('?')
  const headers = { 'content-type': 'image/jpeg', 'x-ms-client-request-id': 'a', 'x-ms-blob-type': 'BlockBlob' }
  const response = await fetch(`${container}/Image-a.jpg?${signature}`, { method: 'PUT', headers, body: 'a' })
  expect(response.status).toBe(403)
})

test('empty-store-list: success without stores', async () => {
  await client.fault({ fault: 'empty-store-list' })
  expect(await client.call('stores', READS.stores)).toMatchObject({ errCode: '', photoStores: [] })
})

test('promise-time-changed on stores: a later time, which can be ordered', async () => {
  const [before] = await client.stores()
  await client.fault({ fault: 'promise-time-changed', minutes: 3000 })
  const [after] = await client.stores()
  expect(after.storeNum).toBe(before.storeNum)
  expect(after.promiseTime).not.toBe(before.promiseTime)
  expect((await client.call('submit', await orderBody(client, PHOTO))).err).toBe('')
})

test('promise-time-changed on submit: rejected, or accepted and ready later', async () => {
  const body = await orderBody(client, PHOTO)
  await client.fault({ fault: 'promise-time-changed', route: 'submit', times: 1 })
  expect((await client.call('submit', body)).err).toBe('9203')
  await client.call('submit', body)
  await client.fault({ fault: 'promise-time-changed', route: 'submit', times: 1, when: 'after', minutes: 90 })
  await client.call('submit', body)
  const [late, punctual] = await orders()
  expect(Date.parse(late.readyAt) - Date.parse(punctual.readyAt)).toBe(90 * 60_000)
})

test('price-change: products, coupons and totals follow while it lasts', async () => {
  const price = async () => (await client.call('products', READS.products)).products[0].productPrice
  expect(await price()).toBe('0.40')
  await client.fault({ fault: 'price-change', percent: 50 })
  expect(await price()).toBe('0.60')
  expect((await client.call('coupon', READS.coupon)).orderDiscountPrice).toBe('1.50')
  await client.call('submit', await orderBody(client, PHOTO))
  expect((await orders())[0].total).toBe('1.20')
  await client.control('DELETE', '/faults')
  expect(await price()).toBe('0.40')
})

test('null-fields and number-fields change the types', async () => {
  await client.fault({ fault: 'null-fields', route: 'stores', times: 1 })
  const [store] = await client.stores()
  expect([store.phone, store.distance, store.openTime]).toEqual([null, null, null])
  await client.fault({ fault: 'number-fields', times: 2 })
  expect((await client.call('products', READS.products)).products[0]).toMatchObject({
    productId: 6560003,
    productPrice: 0.4,
  })
  expect((await client.stores())[0].zip).toBe(55804)
  await client.fault({ fault: 'null-fields', route: 'products', fields: ['productPrice'] })
  expect((await client.call('products', READS.products)).products[0].productPrice).toBeNull()
})

test('extra-fields adds fields that no document mentions', async () => {
  await client.profile({ extraFields: false })
  const plain = Object.keys(await client.call('coupon', READS.coupon))
  await client.fault({ fault: 'extra-fields' })
  expect(Object.keys(await client.call('coupon', READS.coupon)).length).toBe(plain.length + 1)
})

test('unknown-status and missing-ids', async () => {
  const { vendorOrderId } = await client.call('submit', await orderBody(client, PHOTO))
  await client.fault({ fault: 'unknown-status', times: 1, text: 'Drying' })
  expect((await client.status(vendorOrderId)).orderStatus).toBe('Drying')
  await client.fault({ fault: 'missing-ids', count: 2 })
  const { statuses } = await client.call('status', { ...READS.status, orders: ['1', vendorOrderId, '2', '3'] })
  expect(statuses.map(({ orderId }: Json) => orderId)).toEqual(['2', '3'])
})

test('a fault can pass requests, hit by chance, and hit a number of times', async () => {
  const statuses = async (count: number) => {
    const responses = await Promise.all(Array.from({ length: count }, () => client.post('products', READS.products)))
    return responses.filter(({ status }) => status === 503).length
  }
  await client.fault({ fault: 'http-503', skip: 2, times: 3 })
  expect([await statuses(2), await statuses(4), await statuses(2)]).toEqual([0, 3, 0])
  expect(await client.control('GET', '/faults')).toEqual([])
  await client.fault({ fault: 'http-503', probability: 0.5 })
  const hits = await statuses(100)
  expect(hits).toBeGreaterThan(25)
  expect(hits).toBeLessThan(75)
})

test('every fault can be added, others are rejected', async () => {
  const answers = await Promise.all(Object.keys(FAULTS).map((fault) => client.control('POST', '/faults', { fault })))
  expect(answers.map(({ fault }) => fault)).toEqual(Object.keys(FAULTS))
  const { message } = await client.control('POST', '/faults', { fault: 'gremlins' })
  expect(message).toContain('must be equal to one of the allowed values')
})
