import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isAccountError, rejectionSentence } from '../src/partner/problem.ts'
import { ORDER, readNames, reads } from './partner-calls.ts'
import { type Behaviour, json, type PartnerServer, startPartnerServer } from './partner-server.ts'
import { AFFILIATE_ID, API_KEY, openLog, openPartner, partnerConfig } from './partner-support.ts'
import { transportFaults } from './transport-faults.ts'

let server: PartnerServer
beforeAll(async () => {
  server = await startPartnerServer()
})
afterAll(() => server.stop())
beforeEach(() => server.reset())

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

describe('the number of an order', () => {
  const respond = (text: string): Behaviour => {
    return (response) => response.writeHead(200).end(`{"status":"success","err":"","vendorOrderId":${text}}`)
  }

  test.each([
    ['"WAG-17"', 'WAG-17'],
    ['17', '17'],
    ['12345678901234567890', '12345678901234567890'],
  ])('%s is taken as written', async (text, vendorOrderId) => {
    server.behave('submit', respond(text))
    expect(await connect().submit('sandbox', ORDER)).toEqual({ outcome: 'accepted', vendorOrderId })
  })

  test.each(['false', 'true', 'null', '""', '0', '-1', '1.5', '1e400', '"null"', '"undefined"', '"NaN"', '{}', '[7]'])(
    '%s is none: the outcome is unknown',
    async (text) => {
      server.behave('submit', respond(text))
      expect(await connect().submit('sandbox', ORDER)).toMatchObject({ outcome: 'unknown' })
    },
  )
})

test('a code that is the name of something in JavaScript is a code like others', () => {
  for (const code of ['constructor', 'toString', '__proto__']) {
    expect(isAccountError({ code })).toBe(false)
    expect(rejectionSentence({ code, words: '' })).toBe(`Walgreens did not accept the request (error ${code}).`)
  }
})

test('a submit that is answered by 408 is unknown, whatever its body says', async () => {
  server.behave('submit', json({ err: '851', errDesc: 'timeout' }, 408))
  expect(await connect().submit('sandbox', ORDER)).toMatchObject({ outcome: 'unknown', kind: 'http' })
})

test('the credentials are in no log line and no outcome, also when the partner sends them back', async () => {
  const { logger, lines } = openLog()
  const outcomes: unknown[] = []
  const behaviours: Behaviour[] = [
    json({ err: API_KEY, errDesc: `no account for ${AFFILIATE_ID} with ${API_KEY}` }),
    json({ err: '9001', errDesc: API_KEY }, 400),
    // The last one is 429, after which the account pauses.
    ...transportFaults.map(([, behaviour]) => behaviour),
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
