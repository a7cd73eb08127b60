import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { statusOfText } from '../src/status/apply-reports.ts'
import { createBatchSize } from '../src/status/batch-size.ts'
import { type DueOrder, nextCheckIn } from '../src/status/due-orders.ts'

describe('the text of the partner', () => {
  test.each([
    ['Submitting', 'submitted'],
    ['Downloading', 'processing'],
    ['Ready for Pickup', 'ready'],
    ['Sold', 'picked_up'],
    ['  ready\tFOR   pickup ', 'ready'],
    ['Cancelled', 'cancelled'],
    ['Canceled by store', 'cancelled'],
    ['ORDER REJECTED', 'cancelled'],
    ['Print failed', 'cancelled'],
  ])('%j means %s', (text, status) => {
    expect(statusOfText(text)).toBe(status)
  })

  test.each(['', ' ', 'Ready', 'Printing', 'constructor', '__proto__', '0'])('%j is unknown', (text) => {
    expect(statusOfText(text)).toBeNull()
  })
})

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const pause = (orderStatus: string, ageMs: number, random = 0.5) => nextCheckIn({ ageMs, orderStatus }, random)

describe('the next check of an order', () => {
  test.each([
    ['submitted', 0, 30_000],
    ['submitted', 10 * MINUTE, 30_000],
    ['processing', HOUR, 3 * MINUTE],
    ['processing', 5 * HOUR, 15 * MINUTE],
    ['processing', DAY, 15 * MINUTE],
    ['submitted', 2 * DAY, HOUR],
    ['submitted', 29 * DAY, HOUR],
    ['ready', MINUTE, 5 * MINUTE],
    ['ready', DAY, 15 * MINUTE],
    ['ready', 3 * DAY, HOUR],
  ])('%s, placed %d ms ago: in %d ms', (status, age, expected) => {
    expect(pause(status, age)).toBe(expected)
  })

  test('there is none when the order has ended or is 30 days old', () => {
    expect(pause('picked_up', MINUTE)).toBeNull()
    expect(pause('cancelled', MINUTE)).toBeNull()
    expect(pause('submitted', 30 * DAY)).toBeNull()
  })

  test('older orders never wait less, and the time varies by a tenth', () => {
    const age = fc.integer({ min: 0, max: 30 * DAY - 1 })
    fc.assert(
      fc.property(age, age, fc.constantFrom('submitted', 'processing', 'ready'), (a, b, status) => {
        const [younger, older] = [Math.min(a, b), Math.max(a, b)]
        expect(pause(status, older)).toBeGreaterThanOrEqual(pause(status, younger) ?? 0)
        expect(pause(status, a, 0)).toBeCloseTo(0.9 * (pause(status, a) ?? 0), -1)
      }),
    )
  })
})

describe('the size of a batch', () => {
  const orders = (count: number) => Array.from({ length: count }, () => ({}) as DueOrder)
  const accepted = (...counts: number[]) => ({
    reported: counts.map((count) => ({ orders: orders(count), entries: [] })),
    rejected: [],
    withoutResponse: [],
    failure: null,
  })

  test('becomes what the partner accepted when it rejected more, and grows again after many requests', () => {
    const size = createBatchSize(50)
    size.learn(50, accepted(13, 12, 25))
    expect(size.current()).toBe(25)
    for (let count = 0; count < 99; count += 1) size.learn(25, accepted(25))
    expect(size.current()).toBe(25)
    size.learn(25, accepted(25))
    expect(size.current()).toBe(50)
  })

  test('does not change for a single order that the partner rejects, nor for a batch that was not full', () => {
    const size = createBatchSize(50)
    size.learn(50, { ...accepted(25, 24), rejected: orders(1) })
    size.learn(7, accepted(7))
    size.learn(50, { ...accepted(25), withoutResponse: orders(25) })
    expect(size.current()).toBe(50)
  })
})
