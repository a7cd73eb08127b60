import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ORDER, readNames, reads } from './partner-calls.ts'
import { drop, GOOD_RESPONSES, hang, json, type PartnerServer, startPartnerServer } from './partner-server.ts'
import { openPartner, partnerConfig } from './partner-support.ts'
import { transportFaults } from './transport-faults.ts'

let server: PartnerServer
beforeAll(async () => {
  server = await startPartnerServer()
})
afterAll(() => server.stop())
beforeEach(() => server.reset())

const connect = (given = {}) => openPartner(partnerConfig(server.url, { partnerTimeoutMs: 1_000, ...given }))

describe.each(transportFaults)('%s', (_name, behaviour, failure, attempts, submitted) => {
  // Own limits for each test: 429 pauses the calls of the account. A busy machine has time for all attempts.
  const time = attempts > 1 ? { partnerTimeoutMs: 10_000 } : {}
  const connectAlone = () => connect({ partnerAffiliateId: crypto.randomUUID(), ...time })

  test.each(readNames)('fails the call %s, which is repeated where that can help', async (name) => {
    server.behave(name, behaviour)
    const partner = connectAlone()
    expect(await reads[name](partner)).toMatchObject({ outcome: 'failed', ...failure })
    expect(server.count(name)).toBe(attempts)
  })

  test('is known to be an order or not, after exactly one request', async () => {
    server.behave('submit', behaviour)
    const partner = connectAlone()
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

  test('was not sent when the encrypted connection is not established', async () => {
    const https = server.url.replace('http:', 'https:')
    expect(await openPartner(partnerConfig(https)).submit('sandbox', ORDER)).toEqual({
      outcome: 'notSent',
      kind: 'connection',
    })
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const partner = openPartner(partnerConfig(`https://127.0.0.1:${port}`, { partnerTimeoutMs: 200 }))
    expect(await partner.submit('sandbox', ORDER)).toEqual({ outcome: 'notSent', kind: 'timeout' })
    silent.close()
    expect(server.requests).toHaveLength(0)
  })

  test('is rejected with the words of the partner, and unknown when the response contradicts itself', async () => {
    const partner = connect()
    server.behave('submit', json({ status: 'fail', err: '112', errDesc: 'Not activated', vendorOrderId: null }))
    expect(await partner.submit('sandbox', ORDER)).toMatchObject({
      outcome: 'rejected',
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
  const partner = openPartner(partnerConfig(server.url, { partnerTimeoutMs: 400 }))
  const startedAt = Date.now()
  expect(await partner.products('sandbox', { withinMs: 1_500 })).toMatchObject({ outcome: 'failed', kind: 'timeout' })
  expect(Date.now() - startedAt).toBeLessThan(3_000)
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
