import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatCents, parseCents } from '../src/money.ts'

const cents = fc.integer({ min: 0, max: 10_000_000 })

describe('amounts', () => {
  test('survive being written and read, as text and as numbers', () => {
    fc.assert(
      fc.property(cents, (amount) => {
        expect(parseCents(formatCents(amount))).toBe(amount)
        expect(parseCents(Number(formatCents(amount)))).toBe(amount)
      }),
    )
  })

  test('have two decimals', () => {
    fc.assert(fc.property(cents, (amount) => void expect(formatCents(amount)).toMatch(/^\d+\.\d\d$/)))
    expect([0, 5, 39, 100, 1234567].map(formatCents)).toEqual(['0.00', '0.05', '0.39', '1.00', '12345.67'])
    expect(formatCents(-5)).toBe('-0.05')
  })

  test('are read as the cents that were meant when a browser summed them in floating point', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 99_999 }), { maxLength: 50 }), (prices) => {
        const sum = prices.reduce((total, price) => total + price / 100, 0)
        expect(parseCents(sum)).toBe(prices.reduce((total, price) => total + price, 0))
      }),
    )
  })

  test('are exact: whatever is read differs from no other text by rounding', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99_999 }), fc.stringMatching(/^\d{0,4}$/), (dollars, fraction) => {
        const read = parseCents(`${dollars}.${fraction}`)
        const isAmount = fraction.length === 1 || fraction.length === 2
        expect(read).toBe(isAmount ? dollars * 100 + Number(fraction.padEnd(2, '0')) : null)
      }),
    )
  })

  test.each([
    ['0.39', 39],
    ['3', 300],
    ['3.5', 350],
    [' 12.50 ', 1250],
    [0.39, 39],
    [0, 0],
    [-0, 0],
    ['0', 0],
  ])('%j is an amount', (given, expected) => expect(parseCents(given)).toBe(expected))

  test.each([
    '',
    ' ',
    '.',
    '.5',
    '1.',
    '1.234',
    '-1',
    '+1',
    '1e3',
    '1,50',
    '$1',
    'NaN',
    '0x10',
    '１',
    0.001,
    -1,
    NaN,
    Infinity,
    1e9,
    null,
    undefined,
    true,
    {},
    ['1'],
  ])('%j is none', (given) => expect(parseCents(given)).toBeNull())
})
