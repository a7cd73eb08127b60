import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Sandbox, startSandbox } from '../src/sandbox.ts'
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
  const fresh = async () => (call === 'submit' ? bodyOf(call) : body)

  test.each([
    ['http-429', 429],
    ['http-500', 500],
    ['http-502', 502],
    ['http-503', 503],
    ['html', 200],
  ] as const)('fault %s returns HTML', async (fault, status) => {
    const sent = await fresh()
    await client.fault({ fault, route: call, times: 1 })
    const response = await client.post(call, sent)
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toContain('text/html')
    expect(await response.text()).toContain('<html>')
    expect(await orders()).toEqual([])
  })

  test.each(['112', '659', '661', '2003', '851'] as const)(
    'fault %s returns the code, with and without text',
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

  test('faults reset, hang and broken-body give no response', async () => {
    const sent = await fresh()
    await client.fault({ fault: 'reset', route: call, times: 1 })
    await expect(client.post(call, sent)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
    await client.fault({ fault: 'hang', route: call, times: 1 })
    await expect(client.post(call, sent, AbortSignal.timeout(200))).rejects.toMatchObject({ name: 'TimeoutError' })
    await client.fault({ fault: 'broken-body', route: call, times: 1 })
    const response = await client.post(call, sent)
    await expect(response.text()).rejects.toThrow('terminated')
  })

  test('faults empty-body, truncated-json, slow and error change the response, its time and its code', async () => {
    const sent = await fresh()
    await client.fault({ fault: 'empty-body', route: call, times: 1 })
    expect(await (await client.post(call, sent)).text()).toBe('')
    await client.fault({ fault: 'truncated-json', route: call, times: 1 })
    const truncated = await (await client.post(call, sent)).text()
    expect(() => JSON.parse(truncated)).toThrow(SyntaxError)
    await client.fault({ fault: 'slow', route: call, times: 1, ms: 150 })
    const started = performance.now()
    await client.call(call, sent)
    expect(performance.now() - started).toBeGreaterThan(140)
    await client.fault({ fault: 'error', route: call, times: 1, code: '77', text: 'So' })
    const reply = await client.call(call, sent)
    expect([reply.err ?? reply.errCode, reply.errDesc]).toEqual(['77', 'So'])
  })
})

test('fault connection-refused closes the port for the given time', async () => {
  await client.fault({ fault: 'connection-refused', seconds: 0.4 })
  await vi.waitFor(() =>
    expect(client.post('products', READS.products)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } }),
  )
  await vi.waitFor(async () => expect((await client.post('products', READS.products)).status).toBe(200), 5_000)
})

test('fault commit-then-drop places the order and gives no response', async () => {
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

test('fault no-order-number places the order and returns no number', async () => {
  await client.fault({ fault: 'no-order-number' })
  const reply = await client.call('submit', await orderBody(client, PHOTO))
  expect([reply.err, reply.vendorOrderId]).toEqual(['', undefined])
  expect(await orders()).toHaveLength(1)
})

test('fault promise-time-changed rejects a submit, or makes its order ready later', async () => {
  const body = await orderBody(client, PHOTO)
  await client.fault({ fault: 'promise-time-changed', route: 'submit', times: 1 })
  expect((await client.call('submit', body)).err).toBe('9203')
  await client.call('submit', body)
  await client.fault({ fault: 'promise-time-changed', route: 'submit', times: 1, when: 'after', minutes: 90 })
  await client.call('submit', body)
  const [late, punctual] = await orders()
  expect(late.readyAt - punctual.readyAt).toBe(90 * 60_000)
})

test('fault price-change changes products, coupons and totals while it lasts', async () => {
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

test('faults unknown-status and missing-ids change what is said of orders', async () => {
  const { vendorOrderId } = await client.call('submit', await orderBody(client, PHOTO))
  await client.fault({ fault: 'unknown-status', times: 1, text: 'Drying' })
  expect((await client.status(vendorOrderId)).orderStatus).toBe('Drying')
  await client.fault({ fault: 'missing-ids', count: 2 })
  const { statuses } = await client.call('status', { ...READS.status, orders: ['1', vendorOrderId, '2', '3'] })
  expect(statuses.map(({ orderId }: Json) => orderId)).toEqual(['2', '3'])
})

test('a fault hits by chance, and a number of times', async () => {
  const failed = async (count: number) => {
    const responses = await Promise.all(Array.from({ length: count }, () => client.post('products', READS.products)))
    return responses.filter(({ status }) => status === 503).length
  }
  await client.fault({ fault: 'http-503', times: 3 })
  expect(await failed(4)).toBe(3)
  expect(await client.control('GET', '/faults')).toEqual([])
  await client.fault({ fault: 'http-503', probability: 0.5 })
  const hits = await failed(100)
  expect(hits).toBeGreaterThan(25)
  expect(hits).toBeLessThan(75)
})
