import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SubmitRequest } from '../src/partner/types.ts'
import {
  type Behaviour,
  type CallName,
  drop,
  dropHalfWay,
  GOOD_RESPONSES,
  hang,
  html,
  json,
  type PartnerServer,
  startPartnerServer,
  truncated,
} from './partner-server.ts'
import { AFFILIATE_ID, API_KEY, openLog, openPartner, partnerConfig } from './partner-support.ts'

let server: PartnerServer
beforeAll(async () => {
  server = await startPartnerServer()
})
afterAll(() => server.stop())
beforeEach(() => server.reset())

const ITEMS = [{ productId: '6560003', quantity: 3 }]
const ORDER: SubmitRequest = {
  firstName: 'Ann',
  lastName: 'Lee',
  phone: '2185550100',
  email: 'ann@example.com',
  storeNum: '5803',
  promiseTime: '11-28-2026 5:30 PM',
  products: [{ productId: '6560003', images: [{ url: 'https://photos.example/api/uploads/p-1.jpg', quantity: 3 }] }],
  couponCode: 'SAVE',
  affNotes: 'Test Order, Do not print!',
}

type Partner = ReturnType<typeof openPartner>
const reads = {
  credentials: (partner: Partner) => partner.credentials('sandbox'),
  products: (partner: Partner) => partner.products('sandbox'),
  stores: (partner: Partner) => partner.stores('sandbox', { latitude: '46.8', longitude: '-92.0', items: ITEMS }),
  coupon: (partner: Partner) => partner.coupon('sandbox', { couponCode: 'SAVE', items: ITEMS }),
  status: (partner: Partner) => partner.status('sandbox', ['WAG-1']),
} satisfies Partial<Record<CallName, unknown>>
const readNames = Object.keys(reads) as (keyof typeof reads)[]

const connect = (given = {}) => openPartner(partnerConfig(server.url, { partnerTimeoutMs: 400, ...given }))

describe('requests', () => {
  test('have the fields of the reference', async () => {
    const partner = connect()
    for (const name of readNames) await reads[name](partner)
    await partner.submit('sandbox', ORDER)
    const common = { apiKey: API_KEY, affId: AFFILIATE_ID, appVer: '1.0', devInf: 'WebApp,1.0' }
    expect(Object.fromEntries(server.requests.map(({ call, body }) => [call, body]))).toEqual({
      credentials: { ...common, platform: 'web', transaction: 'photocheckoutv2' },
      products: { ...common, act: 'getphotoprods', productGroupId: 'STDPR' },
      stores: {
        ...common,
        act: 'photoStores',
        latitude: '46.8',
        longitude: '-92.0',
        productDetails: [{ productId: '6560003', qty: '3' }],
      },
      coupon: {
        ...common,
        act: 'getdiscount',
        couponCode: 'SAVE',
        productDetails: [{ productId: '6560003', qty: '3' }],
      },
      submit: {
        ...common,
        act: 'submitphotoorder',
        firstName: 'Ann',
        lastName: 'Lee',
        phone: '2185550100',
        email: 'ann@example.com',
        storeNum: '5803',
        promiseTime: '11-28-2026 5:30 PM',
        productDetails: [
          { productId: '6560003', imageDetails: [{ url: 'https://photos.example/api/uploads/p-1.jpg', qty: '3' }] },
        ],
        couponCode: 'SAVE',
        affNotes: 'Test Order, Do not print!',
      },
      status: { ...common, act: 'orderstatus', orders: ['WAG-1'] },
    })
  })
})

describe('responses', () => {
  test('are read with their texts trimmed', async () => {
    const partner = connect()
    expect(await reads.credentials(partner)).toEqual({ outcome: 'ok', value: { uploadLimit: 200 } })
    expect(await reads.products(partner)).toMatchObject({
      outcome: 'ok',
      value: [
        { productId: '6560003', priceCents: 39, productPrice: '0.39', multiImageIndicator: 'false', templateUrl: null },
        { priceCents: 399, dpi: null },
      ],
    })
    expect(await reads.stores(partner)).toMatchObject({
      outcome: 'ok',
      value: [{ storeNum: '4101', phone: '2185550100' }],
    })
    expect(await reads.coupon(partner)).toMatchObject({ outcome: 'ok', value: { err: '', discountCents: 250 } })
    expect(await reads.status(partner)).toEqual({
      outcome: 'ok',
      value: [{ vendorOrderId: 'WAG-1', valid: true, code: null, orderStatus: 'Submitting' }],
    })
  })

  test('may have numbers for texts, texts for numbers, nulls, missing and unknown fields', async () => {
    const partner = connect()
    server.behave(
      'products',
      json({ news: 1, products: [{ productId: 6560003, productPrice: 0.5, productDesc: null, x: {} }] }),
    )
    expect(await reads.products(partner)).toMatchObject({
      outcome: 'ok',
      value: [{ productId: '6560003', productPrice: '0.5', priceCents: 50, productDesc: null, productSize: null }],
    })
    server.behave(
      'stores',
      json({ errCode: null, photoStores: [{ photoStoreDetails: { storeNum: 5803, city: ['x'], tax: 0.1 } }] }),
    )
    expect(await reads.stores(partner)).toMatchObject({
      outcome: 'ok',
      value: [{ storeNum: '5803', city: null, tax: '0.1' }],
    })
    server.behave('coupon', json({ err: null, orderDiscountPrice: 1 }))
    expect(await reads.coupon(partner)).toMatchObject({ outcome: 'ok', value: { discountCents: 100, status: null } })
    server.behave('submit', json({ err: null, vendorOrderId: 77 }))
    expect(await partner.submit('sandbox', ORDER)).toEqual({ outcome: 'accepted', vendorOrderId: '77' })
    server.behave('status', json({ statuses: [{ orderId: 77, valid: false }, { orderStatus: 'Sold' }, null] }))
    expect(await reads.status(partner)).toEqual({
      outcome: 'ok',
      value: [{ vendorOrderId: '77', valid: false, code: null, orderStatus: null }],
    })
  })

  test('leave out products without a price and stores without a number, and are unreadable when nothing is left', async () => {
    const partner = connect()
    const good = { productId: '1', productPrice: '1.00' }
    server.behave(
      'products',
      json({ err: '', products: [good, { productId: '2' }, { productId: '3', productPrice: 'free' }] }),
    )
    expect(await reads.products(partner)).toMatchObject({ outcome: 'ok', value: [{ productId: '1' }] })
    server.behave('products', json({ err: '', products: [{ productId: '2', productPrice: null }] }))
    expect(await reads.products(partner)).toMatchObject({ outcome: 'failed', kind: 'unreadable' })
    server.behave('products', json({ err: '', products: [] }))
    expect(await reads.products(partner)).toEqual({ outcome: 'ok', value: [] })
    server.behave('stores', json({ err: '', photoStores: [] }))
    expect(await reads.stores(partner)).toEqual({ outcome: 'ok', value: [] })
    server.behave('stores', json({ err: '', photoStores: [{ photoStoreDetails: { storeNum: ' ' } }] }))
    expect(await reads.stores(partner)).toMatchObject({ outcome: 'failed', kind: 'unreadable' })
  })

  test.each(['112', '659', '661', '851', '2003', '9001'])(
    'have the code %s and the words of the partner',
    async (code) => {
      const partner = connect()
      for (const name of readNames) {
        server.behave(
          name,
          json({ status: 'fail', [name === 'stores' ? 'errCode' : 'err']: code, errDesc: ' SIM: no ' }),
        )
        expect(await reads[name](partner), name).toEqual({ outcome: 'error', code, words: 'SIM: no', status: 'fail' })
        expect(server.count(name), name).toBe(1)
        server.behave(name, json({ err: code, errDesc: '' }, 400))
        expect(await reads[name](partner), name).toEqual({ outcome: 'error', code, words: '', status: null })
      }
    },
  )
})

/** Faults of transport: how a read fails, how often it is sent, and what a submit becomes. */
const faults: [string, Behaviour, object, number, object][] = [
  ['no response', hang, { kind: 'timeout' }, 1, { outcome: 'unknown', kind: 'timeout' }],
  ['a broken connection', drop, { kind: 'reset' }, 3, { outcome: 'unknown', kind: 'reset' }],
  [
    'half a response',
    dropHalfWay(GOOD_RESPONSES.products),
    { kind: 'reset' },
    3,
    { outcome: 'unknown', kind: 'reset' },
  ],
  ['truncated JSON', truncated(GOOD_RESPONSES.products), { kind: 'unreadable' }, 3, { outcome: 'unknown' }],
  ['500 with HTML', html(500), { kind: 'http', status: 500 }, 3, { outcome: 'unknown', status: 500 }],
  ['502 with HTML', html(502), { kind: 'http', status: 502 }, 3, { outcome: 'unknown', status: 502 }],
  ['503 with HTML', html(503), { kind: 'http', status: 503 }, 3, { outcome: 'unknown', status: 503 }],
  ['500 with JSON', json({ err: '9001' }, 500), { kind: 'http' }, 3, { outcome: 'unknown' }],
  ['200 with HTML', html(200), { kind: 'unreadable' }, 3, { outcome: 'unknown', kind: 'unreadable' }],
  ['400 with HTML', html(400), { kind: 'http', status: 400 }, 1, { outcome: 'unknown', kind: 'http' }],
  ['a list', json([]), { kind: 'unreadable' }, 3, { outcome: 'unknown' }],
  ['an empty object', json({}), { kind: 'unreadable' }, 3, { outcome: 'unknown', kind: 'unreadable' }],
  [
    'nothing but nulls',
    json({ err: null, products: null, photoStores: 1, vendorOrderId: null, statuses: null }),
    { kind: 'unreadable' },
    3,
    { outcome: 'unknown' },
  ],
  ['3 megabytes', json({ err: '', products: 'x'.repeat(3_000_000) }), { kind: 'too_large' }, 1, { outcome: 'unknown' }],
  [
    'a redirect',
    (response) => response.writeHead(307, { location: '/elsewhere' }).end(),
    { kind: 'http', status: 307 },
    3,
    { outcome: 'unknown', status: 307 },
  ],
  [
    '429',
    json({}, 429, { 'retry-after': '30' }),
    { kind: 'rate_limited', retryAfterMs: expect.any(Number) },
    1,
    { outcome: 'notSent', kind: 'rate_limited' },
  ],
]

describe.each(faults)('%s', (_name, behaviour, failure, attempts, submitted) => {
  test.each(readNames)('fails the call %s, which is repeated where that can help', async (name) => {
    server.behave(name, behaviour)
    // Own limits for each test: 429 pauses the calls of the account.
    const partner = connect({ partnerAffiliateId: crypto.randomUUID() })
    expect(await reads[name](partner)).toMatchObject({ outcome: 'failed', ...failure })
    expect(server.count(name)).toBe(attempts)
  })

  test('is known to be an order or not, after exactly one request', async () => {
    server.behave('submit', behaviour)
    const partner = connect({ partnerAffiliateId: crypto.randomUUID() })
    expect(await partner.submit('sandbox', ORDER)).toMatchObject(submitted)
    expect(server.count('submit')).toBe(1)
  })
})

describe('a submit', () => {
  test('was not sent when there is no connection, no configuration or an open circuit', async () => {
    const stopped = await startPartnerServer()
    await stopped.stop()
    const partner = openPartner(partnerConfig(stopped.url))
    expect(await partner.submit('sandbox', ORDER)).toEqual({ outcome: 'notSent', kind: 'connection' })
    expect(await partner.submit('production', ORDER)).toEqual({ outcome: 'notSent', kind: 'not_configured' })
    for (let count = 0; count < 4; count++) await partner.submit('sandbox', ORDER)
    expect(await partner.submit('sandbox', ORDER)).toMatchObject({ outcome: 'notSent', kind: 'circuit_open' })
  })

  test('is refused with the words of the partner, and unknown when the response contradicts itself', async () => {
    const partner = connect()
    server.behave('submit', json({ status: 'fail', err: '112', errDesc: 'Not activated', vendorOrderId: null }))
    expect(await partner.submit('sandbox', ORDER)).toMatchObject({
      outcome: 'refused',
      code: '112',
      words: 'Not activated',
    })
    server.behave('submit', json({ err: '9002', errDesc: '', vendorOrderId: 'WAG-9' }))
    expect(await partner.submit('sandbox', ORDER)).toMatchObject({ outcome: 'unknown' })
    server.behave('submit', json({ status: 'success', err: '' }))
    expect(await partner.submit('sandbox', ORDER)).toMatchObject({ outcome: 'unknown', kind: 'unreadable' })
  })

  test('has a connection of its own, which an idle one that the partner closes cannot break', async () => {
    const partner = connect()
    for (let count = 0; count < 3; count++) await reads.products(partner)
    const sockets = new Set<unknown>()
    server.behave('submit', (response, request) => {
      sockets.add(request.socket)
      json(GOOD_RESPONSES.submit)(response, request)
    })
    for (let count = 0; count < 3; count++) await partner.submit('sandbox', ORDER)
    expect(sockets.size).toBe(3)
  })

  test('ends within the time that it is given', async () => {
    server.behave('submit', hang)
    const partner = openPartner(partnerConfig(server.url))
    const startedAt = Date.now()
    expect(await partner.submit('sandbox', ORDER, { withinMs: 200 })).toMatchObject({
      outcome: 'unknown',
      kind: 'timeout',
    })
    expect(Date.now() - startedAt).toBeLessThan(2_000)
  })
})

test('a read ends within the time that it is given, retries included', async () => {
  server.behave('products', hang)
  const partner = openPartner(partnerConfig(server.url, { partnerTimeoutMs: 100 }))
  const startedAt = Date.now()
  expect(await partner.products('sandbox', { withinMs: 350 })).toMatchObject({ outcome: 'failed', kind: 'timeout' })
  expect(Date.now() - startedAt).toBeLessThan(2_000)
  expect(server.count('products')).toBeGreaterThan(1)
})

test('a retry helps where the partner fails once', async () => {
  const partner = connect()
  for (const name of readNames) {
    let failures = 0
    server.behave(name, (response, request) =>
      (failures++ === 0 ? drop : json(GOOD_RESPONSES[name]))(response, request),
    )
    expect(await reads[name](partner), name).toMatchObject({ outcome: 'ok' })
  }
})

test('429 is waited out within the time', async () => {
  let rejections = 0
  server.behave('products', (response, request) =>
    (rejections++ === 0 ? json({}, 429, { 'retry-after': '1' }) : json(GOOD_RESPONSES.products))(response, request),
  )
  const partner = connect({ partnerAffiliateId: crypto.randomUUID(), partnerTimeoutMs: 5_000 })
  expect(await reads.products(partner)).toMatchObject({ outcome: 'ok' })
  const [first, second] = server.requests
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(900)
})

describe('the circuit', () => {
  test('opens after failures in a row, spares the partner, and closes after a probe that succeeds', async () => {
    const partner = connect()
    server.behave('products', html(503))
    expect(await reads.products(partner)).toMatchObject({ kind: 'http' })
    expect(await reads.products(partner)).toMatchObject({ outcome: 'failed' })
    const sent = server.requests.length
    expect(await reads.stores(partner)).toMatchObject({ kind: 'circuit_open', retryAfterMs: expect.any(Number) })
    expect(await partner.submit('sandbox', ORDER)).toMatchObject({ outcome: 'notSent', kind: 'circuit_open' })
    expect(server.requests.length).toBe(sent)
    server.reset()
    await waitFor(async () => (await reads.stores(partner)).outcome === 'ok', { what: 'the circuit closes' })
    expect(await partner.submit('sandbox', ORDER)).toMatchObject({ outcome: 'accepted' })
  })

  test('lets one probe through while others wait for its result', async () => {
    const partner = connect()
    server.behave('products', html(503))
    await reads.products(partner)
    await reads.products(partner)
    server.reset()
    const pending: (() => void)[] = []
    server.behave('products', (response, request) =>
      pending.push(() => json(GOOD_RESPONSES.products)(response, request)),
    )
    const results: Promise<unknown>[] = []
    await waitFor(
      async () => {
        results.push(reads.products(partner))
        return pending.length === 1
      },
      { what: 'the probe is sent' },
    )
    const others = [reads.stores(partner), reads.status(partner)]
    expect(server.requests).toHaveLength(1)
    pending[0]?.()
    expect(await Promise.all(others)).toMatchObject([{ outcome: 'ok' }, { outcome: 'ok' }])
  })

  test('stays closed while the partner rejects requests', async () => {
    const partner = connect()
    server.behave('coupon', json({ err: '661', errDesc: '' }))
    server.behave('products', html(404))
    for (let count = 0; count < 6; count++) {
      await reads.coupon(partner)
      await reads.products(partner)
    }
    expect(await reads.stores(partner)).toMatchObject({ outcome: 'ok' })
  })
})

test('the credentials are in no log line and no outcome, also when the partner sends them back', async () => {
  const { logger, lines } = openLog()
  const outcomes: unknown[] = []
  const behaviours: Behaviour[] = [
    json({ err: API_KEY, errDesc: `no account for ${AFFILIATE_ID} with ${API_KEY}` }),
    json({ err: '9001', errDesc: API_KEY }, 400),
    // The last one is 429, after which the account pauses.
    ...faults.map(([, behaviour]) => behaviour),
  ]
  for (const behaviour of behaviours) {
    const partner = openPartner(partnerConfig(server.url, { partnerTimeoutMs: 100 }), { logger })
    server.behave('submit', behaviour)
    outcomes.push(await partner.submit('sandbox', ORDER))
    for (const name of readNames) {
      server.behave(name, behaviour)
      outcomes.push(await reads[name](partner))
    }
  }
  const seen = lines.join('') + JSON.stringify(outcomes)
  expect(lines.length).toBeGreaterThan(20)
  expect(seen).toContain('[hidden]')
  expect(seen).not.toContain(API_KEY)
  expect(seen).not.toContain(AFFILIATE_ID)
  expect(seen).not.toContain('s3cret')
  for (const personal of ['Ann', '2185550100', 'ann@example.com', 'SAVE', 'uploads/p-1'])
    expect(seen).not.toContain(personal)
})
