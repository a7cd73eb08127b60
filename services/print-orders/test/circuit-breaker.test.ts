import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createCircuitBreaker } from '../src/partner/circuit-breaker.ts'
import { ORDER, reads } from './partner-calls.ts'
import { GOOD_RESPONSES, html, json, type PartnerServer, startPartnerServer } from './partner-server.ts'
import { openPartner, partnerConfig } from './partner-support.ts'

let server: PartnerServer
beforeAll(async () => {
  server = await startPartnerServer()
})
afterAll(() => server.stop())
beforeEach(() => server.reset())

const connect = (given = {}) => openPartner(partnerConfig(server.url, { partnerTimeoutMs: 400, ...given }))

test('a circuit that nobody uses denies nothing', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const circuit = createCircuitBreaker({ failures: 2, openMs: 1_000, openMaxMs: 15_000 })
  for (const _ of [1, 2]) (await circuit.enter(performance.now()))?.failed()
  expect(circuit.isDenying()).toBe(false)
  expect(await circuit.enter(performance.now())).toBeNull()
  expect(circuit.isDenying()).toBe(true)
  vi.advanceTimersByTime(120_000)
  expect(circuit.isDenying()).toBe(false)
  expect(await circuit.enter(performance.now(), { mayProbe: false })).toBeNull()
  expect(circuit.isDenying()).toBe(true)
  const probe = await circuit.enter(performance.now())
  probe?.succeeded()
  expect(circuit.isDenying()).toBe(false)
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
