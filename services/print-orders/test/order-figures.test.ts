import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { amountsOf, isPromiseBroken, splitQuantity, toPartnerProducts } from '../src/orders/figures.ts'
import { hashOrder, hashRequest } from '../src/orders/hashes.ts'
import { printSizeOf } from '../src/orders/print-images.ts'
import { countEntries, ENTRIES_MAX, PRINTS_PER_ENTRY, QUANTITY_MAX } from '../src/orders/submit-request.ts'

const quantity = fc.integer({ min: 1, max: QUANTITY_MAX })
const priceCents = fc.integer({ min: 0, max: 10_000 })

describe('amounts', () => {
  test('are whole cents that add up, whatever the discount, and the total is never below 0', () => {
    const lines = fc.array(fc.record({ priceCents, quantity }), { maxLength: 200 })
    fc.assert(
      fc.property(lines, fc.integer({ min: 0, max: 10_000_000 }), (given, discount) => {
        const { subtotalCents, discountCents, totalCents } = amountsOf(given, discount)
        expect([subtotalCents, discountCents, totalCents].every(Number.isSafeInteger)).toBe(true)
        expect(subtotalCents - discountCents).toBe(totalCents)
        expect(totalCents).toBeGreaterThanOrEqual(0)
        expect(discountCents).toBeLessThanOrEqual(discount)
        expect(BigInt(subtotalCents)).toBe(
          given.reduce((sum, line) => sum + BigInt(line.priceCents) * BigInt(line.quantity), 0n),
        )
      }),
    )
  })
})

describe('splitting', () => {
  test('keeps the quantity, in as few entries of at most 20 as possible', () => {
    fc.assert(
      fc.property(quantity, (prints) => {
        const entries = splitQuantity(prints)
        expect(entries.reduce((sum, entry) => sum + entry, 0)).toBe(prints)
        expect(entries.every((entry) => entry >= 1 && entry <= PRINTS_PER_ENTRY)).toBe(true)
        expect(entries).toHaveLength(countEntries([prints]))
      }),
    )
  })

  test('names each product once, with all prints of all images', () => {
    const line = fc.record({ productId: fc.constantFrom('a', 'b', 'c'), quantity, url: fc.constantFrom('x', 'y', 'z') })
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 30 }), (lines) => {
        const products = toPartnerProducts(lines)
        expect(new Set(products.map(({ productId }) => productId)).size).toBe(products.length)
        const sent = products.flatMap(({ productId, images }) => images.map((image) => ({ productId, ...image })))
        const sum = (list: typeof sent, { productId, url }: (typeof lines)[number]) =>
          list
            .filter((one) => one.productId === productId && one.url === url)
            .reduce((all, one) => all + one.quantity, 0)
        for (const one of lines) expect(sum(sent, one)).toBe(sum(lines, one))
        expect(sent).toHaveLength(countEntries(lines.map((one) => one.quantity)))
      }),
    )
  })

  test('999 prints of four images fit into an order, and of five they do not', () => {
    expect(countEntries(Array(4).fill(999))).toBeLessThanOrEqual(ENTRIES_MAX)
    expect(countEntries(Array(5).fill(999))).toBeGreaterThan(ENTRIES_MAX)
  })
})

describe('promise time', () => {
  const SENTINEL = '01-01-3000 00:00 AM'
  test.each([
    ['the same', '11-22-2026 3:00 PM', '11-22-2026 3:00 PM', false],
    ['earlier', '11-22-2026 3:00 PM', '11-22-2026 9:15 AM', false],
    ['an hour later', '11-22-2026 3:00 PM', '11-22-2026 4:00 PM', false],
    ['more than an hour later', '11-22-2026 3:00 PM', '11-22-2026 4:01 PM', true],
    ['across noon', '11-22-2026 11:30 AM', '11-22-2026 12:15 PM', false],
    ['shortly after midnight', '11-22-2026 12:10 AM', '11-22-2026 1:05 AM', false],
    ['on the next day', '11-22-2026 11:45 PM', '11-23-2026 12:15 AM', true],
    ['on the day before', '11-23-2026 9:00 AM', '11-22-2026 9:00 AM', true],
    ['in another year', '11-22-2026 3:00 PM', '11-22-2027 3:00 PM', true],
    ['a display text', 'Same Day', '11-22-2026 3:00 PM', false],
    ['a display text for the sentinel', 'Within 48 hours', SENTINEL, false],
    ['the sentinel twice', SENTINEL, SENTINEL, false],
    ['a time instead of the sentinel', SENTINEL, '11-22-2026 3:00 PM', true],
    ['the sentinel instead of a time', '11-22-2026 3:00 PM', SENTINEL, true],
    ['with seconds', '11-22-2026 3:00:00 PM', '11-22-2026 3:30:00 PM', false],
    ['with seconds, on the next day', '11-22-2026 3:00:00 PM', '11-23-2026 3:00:00 PM', true],
    ['a time in another format', '2026-11-22 15:00', '11-22-2026 3:00 PM', true],
    ['the same time in another format', '2026-11-22 15:00', '2026-11-22 15:00', false],
    ['the display text of the sentinel for a time', 'Within 48 hours', '11-22-2026 3:00 PM', true],
    ['with other zeros', '11-22-2026 03:00 PM', '11-22-2026 3:00 PM', false],
    ['a text that nobody can read', '11-22-2026 3:00 PM', 'soon', true],
  ])('%s', (_what, shown, fresh, isBroken) => {
    expect(isPromiseBroken(shown, fresh)).toBe(isBroken)
  })
})

describe('print size', () => {
  const product = { productSize: null, resWidth: null, resHeight: null }
  test.each([
    ['4x6', 1200, 1800],
    ['6x4', 1200, 1800],
    [' 8 x 10 ', 2400, 3000],
    ['8X8', 2400, 2400],
    ['3.5x5', 1050, 1500],
    ['11 × 14 in', 3300, 4200],
    ['5" x 7"', 1500, 2100],
    ['20x40', 6000, 12_000],
    ['24x72', 4000, 12_000],
    ['900x900', 12_000, 12_000],
  ])('%s', (productSize, shortSide, longSide) => {
    expect(printSizeOf({ ...product, productSize })).toEqual({ shortSide, longSide })
  })

  test('the pixels of the partner count where there are no inches', () => {
    expect(printSizeOf({ productSize: 'Wallet', resWidth: '1800', resHeight: '1200' })).toEqual({
      shortSide: 1200,
      longSide: 1800,
    })
  })

  test.each(['', 'Wallet', '0x0', 'x'])('no size: %j', (productSize) => {
    expect(printSizeOf({ ...product, productSize })).toBeNull()
  })
})

describe('hashes', () => {
  const order = (more: object = {}) => ({
    storeNumber: '4101',
    promiseTime: 'Same Day',
    customer: { firstName: 'Ada', lastName: 'Quillfeather', email: 'Ada@quill.test', phone: '2185550199' },
    lines: [
      { productId: 'a', priceCents: 40, quantity: 1, image: { photoId: 1, crop: null }, field: '' },
      { productId: 'b', priceCents: 40, quantity: 2, image: { photoId: 1, crop: null }, field: '' },
    ],
    couponCode: null,
    subtotalCents: 120,
    totalCents: 120,
    ...more,
  })

  test('the same body has the same hash in any order of its fields', () => {
    expect(hashRequest({ a: 1, b: { c: 2, d: [3, 4] } })).toBe(hashRequest({ b: { d: [3, 4], c: 2 }, a: 1 }))
    expect(hashRequest({ a: [3, 4] })).not.toBe(hashRequest({ a: [4, 3] }))
    expect(hashRequest({ a: 1 })).not.toBe(hashRequest({ a: '1' }))
  })

  test('an order is identical with other figures, another order of its prints, and an image whose name was renewed', () => {
    const { lines } = order()
    expect(hashOrder(order({ lines: lines.toReversed(), promiseTime: 'later', couponCode: 'X' }))).toBe(
      hashOrder(order()),
    )
    const image = (rest: string) => ({ filename: `p-${'a'.repeat(32)}-${rest}.jpg` })
    const upload = (rest: string) => hashOrder(order({ lines: [{ ...lines[0], image: image(rest) }] }))
    expect(upload(`zz-${'1'.repeat(32)}`)).toBe(upload(`zzz-${'2'.repeat(32)}`))
  })

  test('another quantity, crop, customer or store is another order', () => {
    const [first] = order().lines
    const others = [
      order({ storeNumber: '4102' }),
      order({ customer: { ...order().customer, firstName: 'Ida' } }),
      order({ lines: [{ ...first, quantity: 3 }] }),
      order({ lines: [{ ...first, image: { photoId: 1, crop: { x: 0, y: 0, width: 1, height: 0.5 } } }] }),
      order(),
    ]
    expect(new Set(others.map(hashOrder)).size).toBe(others.length)
  })
})
