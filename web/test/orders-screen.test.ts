import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import type { PrintOrder } from '../src/api/types.ts'
import { OrderFacts } from '../src/features/orders/order-parts.tsx'
import {
  couponText,
  describeChanges,
  itemSize,
  itemTitle,
  orderedText,
  orderName,
  photoIdsOf,
  priceText,
  readyText,
  repeatOrder,
  statusLabel,
  statusTone,
  taxText,
} from '../src/features/orders/order-texts.ts'
import { formatAgo, formatPhone } from '../src/lib/format.ts'
import { formatDollars, formatPromiseTime } from '../src/lib/order-formats.ts'

const item = {
  productId: '6560003',
  productSize: '4x6',
  quantity: 2,
  photoId: 7 as number | null,
  photoTitle: 'Lake' as string | null,
  imageUrl: 'https://example.test/p-1.jpg',
}
const order: PrintOrder = {
  ...item,
  id: 1,
  userId: 3,
  vendorOrderId: '4711',
  environment: 'sandbox',
  storeNumber: '59',
  storeName: null,
  storeAddress: null,
  storeCity: null,
  storeState: null,
  storePhone: null,
  subtotalAmount: '0.78',
  discountAmount: '0.00',
  totalAmount: '0.78',
  taxAmount: null,
  couponCode: null,
  couponDiscount: null,
  customerFirstName: 'Paula',
  customerLastName: 'Tern',
  customerEmail: 'paula@example.test',
  customerPhone: '2185550123',
  promiseTime: null,
  orderStatus: 'submitted',
  items: [item],
  createdAt: '2026-06-15T11:00:00Z',
  updatedAt: '2026-06-15T11:00:00Z',
}

describe('a status', () => {
  test.each([
    ['submitted', 'Submitted', 'accent'],
    ['processing', 'Processing', 'warn'],
    ['ready', 'Ready', 'good'],
    ['picked_up', 'Picked up', 'neutral'],
    ['cancelled', 'Cancelled', 'danger'],
    ['unknown', 'Unknown', 'neutral'],
    ['on hold', 'On hold', 'neutral'],
    ['', 'Unknown', 'neutral'],
    [null, 'Unknown', 'neutral'],
  ])('%s is shown as %s in %s', (status, label, tone) => {
    expect([statusLabel(status), statusTone(status)]).toEqual([label, tone])
  })

  test('is announced when it changes, but not for orders seen for the first time', () => {
    const before = new Map([[1, 'submitted']])
    expect(describeChanges(new Map(), [order])).toBe('')
    expect(describeChanges(before, [order])).toBe('')
    const ready = { ...order, orderStatus: 'ready' as const }
    expect(describeChanges(before, [ready, { ...order, id: 2 }])).toBe('Order #4711: Ready')
  })
})

describe('an order', () => {
  test('is named by its number, or by what is known without one', () => {
    expect(orderName(order)).toBe('Order #4711')
    expect(orderName({ vendorOrderId: null, orderStatus: 'unknown' })).toBe('Order not confirmed yet')
    expect(orderName({ vendorOrderId: null, orderStatus: 'cancelled' })).toBe('Order not placed')
  })

  test('costs dollars with two decimals, or what the receipt says', () => {
    expect(priceText('12.50')).toBe('$12.50')
    expect(priceText('0.00')).toBe('$0.00')
    expect(priceText(null)).toBe('See receipt at pickup')
    expect(priceText('free')).toBe('See receipt at pickup')
  })

  test('names the tax that is not part of the total', () => {
    expect(taxText('0.07')).toBe('Plus $0.07 tax')
    expect(taxText('0.00')).toBeNull()
    expect(taxText(null)).toBeNull()
  })

  test('names its coupon, with the discount if there is one', () => {
    expect(couponText({ couponCode: 'SAVE10', couponDiscount: '2.50' })).toBe('Coupon SAVE10 (-$2.50)')
    expect(couponText({ couponCode: 'SAVE10', couponDiscount: '0.00' })).toBe('Coupon SAVE10')
    expect(couponText({ couponCode: 'SAVE10', couponDiscount: null })).toBe('Coupon SAVE10')
    expect(couponText({ couponCode: null, couponDiscount: null })).toBeNull()
  })

  test('is repeated with the photos that still exist', () => {
    const items = [
      item,
      { ...item, productId: '6560005', quantity: 1 },
      { ...item, photoId: null },
      { ...item, photoId: 9 },
    ]
    expect(photoIdsOf({ ...order, items })).toEqual([7, 9])
    expect(repeatOrder({ ...order, items })).toEqual({
      photoIds: [7, 9],
      items: [
        { photoId: 7, productId: '6560003', productSize: '4x6', quantity: 2 },
        { photoId: 7, productId: '6560005', productSize: '4x6', quantity: 1 },
        { photoId: 9, productId: '6560003', productSize: '4x6', quantity: 2 },
      ],
    })
  })
})

test('the facts of an order name its store, or its number alone', () => {
  const facts = (storeName: string | null) =>
    renderToStaticMarkup(createElement(OrderFacts, { order: { ...order, storeName } }))
  expect(facts('Duluth Downtown')).toMatch(/Duluth Downtown<.*Store #59</)
  expect(facts(null)).toContain('Store #59<')
})

describe('an item', () => {
  test('is named by its photo', () => {
    expect(itemTitle(item)).toBe('Lake')
    expect(itemTitle({ photoTitle: null })).toBe('Uploaded Image')
    expect(itemTitle({ photoTitle: '' })).toBe('Uploaded Image')
  })

  test('shows size and quantity', () => {
    expect(itemSize(item)).toBe('4x6 · Quantity: 2')
    expect(itemSize({ productSize: null, quantity: 1 })).toBe('Quantity: 1')
  })
})

describe('times of an order', () => {
  const now = Date.parse('2026-06-15T12:00:00Z')

  test.each([
    ['2026-06-15T11:59:40Z', 'Ordered less than a minute ago'],
    ['2026-06-15T11:59:00Z', 'Ordered 1 minute ago'],
    ['2026-06-15T09:00:00Z', 'Ordered 3 hours ago'],
    ['2026-06-14T11:00:00Z', 'Ordered 1 day ago'],
    ['2026-05-01T12:00:00Z', 'Ordered 1 month ago'],
    ['2026-06-15T12:05:00Z', 'Ordered less than a minute ago'],
    ['soon', 'Ordered recently'],
    [null, 'Ordered recently'],
  ])('%s: %s', (at, text) => expect(orderedText(at, now)).toBe(text))

  test('are null for an invalid date', () => expect(formatAgo('', now)).toBeNull())

  test.each([
    ['06-23-2026 4:30 PM', 'Jun 23, 2026, 4:30 PM'],
    ['06-23-2026 12:05 AM', 'Jun 23, 2026, 12:05 AM'],
    ['06-23-2026 12:05 PM', 'Jun 23, 2026, 12:05 PM'],
    ['12-31-2026 09:00 am', 'Dec 31, 2026, 9:00 AM'],
    ['01-01-3000 00:00 AM', 'Within 48 hours'],
    ['02-31-2026 4:30 PM', '02-31-2026 4:30 PM'],
    ['Same Day', 'Same Day'],
    ['  ', null],
    [null, null],
  ])('a promise of %s is shown as %s', (promise, text) =>
    // Browsers put a narrow space before AM and PM.
    expect(formatPromiseTime(promise)?.replaceAll('\u202f', ' ') ?? null).toBe(text),
  )

  test('a promise is announced with Ready', () => {
    expect(readyText({ promiseTime: '01-01-3000 00:00 AM', orderStatus: 'submitted' })).toBe('Ready: Within 48 hours')
    expect(readyText({ promiseTime: null, orderStatus: 'submitted' })).toBeNull()
    expect(readyText({ promiseTime: '06-23-2026 4:30 PM', orderStatus: 'unknown' })).toBeNull()
    expect(readyText({ promiseTime: '06-23-2026 4:30 PM', orderStatus: 'cancelled' })).toBeNull()
  })
})

test.each([
  ['1234.5', '$1,234.50'],
  [0, '$0.00'],
  ['', null],
  ['x', null],
  [undefined, null],
])('%s dollars are shown as %s', (amount, text) => expect(formatDollars(amount)).toBe(text))

test.each([
  ['2185550123', '(218) 555-0123'],
  ['1-218-555-0123', '(218) 555-0123'],
  ['  218 555 0123  ', '(218) 555-0123'],
  ['+49 30 1234567', '+49 30 1234567'],
])('the phone number %s is shown as %s', (phone, text) => expect(formatPhone(phone)).toBe(text))
