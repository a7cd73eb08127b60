import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { statusOfText } from '../src/status/apply-reports.ts'
import { nextCheckIn } from '../src/status/due-orders.ts'

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
