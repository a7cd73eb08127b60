import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { entriesOf } from '../src/api/print-orders.ts'
import { couponResult } from '../src/features/print-wizard/actions/prices.ts'
import {
  amountProblem,
  amountsOf,
  isComplete,
  orderRequest,
  printFilesOf,
  printsProblem,
  productName,
} from '../src/features/print-wizard/order.ts'
import {
  addPrint,
  changeCustomer,
  changePhoto,
  changePrint,
  chooseForAll,
  confirmFigures,
  couponChecked,
  edit,
  figuresOffered,
  typeCoupon,
  type WizardState,
} from '../src/features/print-wizard/wizard-state.ts'
import { centsToText, formatCents, toCents } from '../src/lib/order-formats.ts'
import { PRODUCTS, withStore, wizardWith } from './print-fixture.ts'

const [SMALL = '', MEDIUM = ''] = PRODUCTS.map(({ productId }) => productId)
const CUSTOMER = { firstName: ' Ada ', lastName: 'Lovelace', email: 'ada@example.com', phone: '(218) 555-0100' }

const coupon = (state: WizardState, discountCents: number) =>
  couponChecked(typeCoupon(state, 'save'), { status: 'valid', message: null, discountCents })

function readyOrder(): WizardState {
  const chosen = chooseForAll(wizardWith(2), { productId: SMALL, quantity: 3 })
  return edit(changeCustomer(withStore(chosen), CUSTOMER), { termsAccepted: true })
}

describe('amounts', () => {
  test.each([
    ['0.39', 39],
    ['$1,5', null],
    ['12', 1200],
    ['0.295', 30],
    ['', null],
    [null, null],
  ])('%s is %s cents', (text, cents) => {
    expect(toCents(text)).toBe(cents)
  })

  test('survive the way to text and back', () => {
    fc.assert(fc.property(fc.nat(99_999_999), (cents) => toCents(centsToText(cents)) === cents))
  })

  test('have two decimals', () => {
    expect([centsToText(5), centsToText(161_700)]).toEqual(['0.05', '1617.00'])
    expect(formatCents(161_705)).toBe('$1,617.05')
  })

  test('add up over prints, and the discount is subtracted', () => {
    const state = addPrint(chooseForAll(wizardWith(2), { productId: SMALL, quantity: 3 }), 1)
    expect(amountsOf(coupon(state, 100))).toEqual({ subtotal: 6 * 39 + 299, discount: 100, total: 433 })
  })

  test('are never below 0', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999 }), fc.nat(100_000), (quantity, discount) => {
        const state = coupon(chooseForAll(wizardWith(1), { productId: SMALL, quantity }), discount)
        const { subtotal, total } = amountsOf(state)
        expect(total).toBe(Math.max(0, subtotal - discount))
      }),
    )
  })

  test('are those of the server once they are confirmed', () => {
    const now = { subtotalAmount: '2.00', discountAmount: '0.50', totalAmount: '1.50', promiseTime: null }
    const state = confirmFigures(figuresOffered(readyOrder(), { before: now, now }))
    expect(amountsOf(state)).toEqual({ subtotal: 200, discount: 50, total: 150 })
    expect(orderRequest(state)).toMatchObject({ subtotal: '2.00', orderTotal: '1.50' })
  })
})

describe('an order is complete', () => {
  test('with a store, all details and accepted terms', () => {
    expect(isComplete(readyOrder())).toBe(true)
  })

  test.each(['firstName', 'lastName', 'email', 'phone'] as const)('not without %s', (field) => {
    expect(isComplete(changeCustomer(readyOrder(), { [field]: '  ' }))).toBe(false)
  })

  test('not without the terms', () => {
    expect(isComplete(edit(readyOrder(), { termsAccepted: false }))).toBe(false)
  })

  test('not with a phone number without digits', () => {
    expect(isComplete(changeCustomer(readyOrder(), { phone: 'none' }))).toBe(false)
  })
})

describe('prints are a problem', () => {
  test('without a size', () => {
    expect(printsProblem(wizardWith(1))).toBe('Choose a size for every print.')
    expect(printsProblem(readyOrder())).toBeNull()
  })

  test('with more images than the partner takes', () => {
    const state = chooseForAll(wizardWith(5), { productId: SMALL, quantity: 999 })
    expect(printsProblem(state)).toContain('at most 200 images')
  })

  test('above the limit of the amount, after the discount', () => {
    const state = chooseForAll(wizardWith(1), { productId: MEDIUM, quantity: 400 })
    expect(amountProblem(state)).toContain('under $998.00')
    expect(amountProblem(coupon(state, 20_000))).toBeNull()
  })
})

describe('the order that is sent', () => {
  test('has trimmed details, a phone in digits, and images by product', () => {
    const crop = { x: 0, y: 0, width: 1, height: 0.5 }
    const state = changePrint(addPrint(readyOrder(), 2), 2, { crop })
    expect(orderRequest(state)).toEqual({
      storeNum: '1234',
      promiseTime: '11-22-2026 3:30 PM',
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'ada@example.com',
      phone: '2185550100',
      productDetails: [
        {
          productId: SMALL,
          productPrice: '0.39',
          imageDetails: [
            { photoId: 1, qty: 3 },
            { photoId: 2, crop, qty: 3 },
          ],
        },
        { productId: MEDIUM, productPrice: '2.99', imageDetails: [{ photoId: 2, qty: 1 }] },
      ],
      orderTotal: '5.33',
      subtotal: '5.33',
      termsAccepted: true,
    })
  })

  test('names the coupon, whatever its check said, unless the submit was refused because of it', () => {
    const typed = typeCoupon(readyOrder(), ' save ')
    const checked = { message: null, discountCents: 0 }
    expect(orderRequest(typed).couponCode).toBe('SAVE')
    expect(orderRequest(couponChecked(typed, { ...checked, status: 'valid' })).couponCode).toBe('SAVE')
    expect(orderRequest(couponChecked(typed, { ...checked, status: 'invalid' })).couponCode).toBe('SAVE')
    expect(orderRequest(couponChecked(typed, { ...checked, status: 'refused' }))).not.toHaveProperty('couponCode')
    expect(orderRequest(typeCoupon(readyOrder(), ' '))).not.toHaveProperty('couponCode')
  })

  test("names the stored image of a photo that is not the user's own", () => {
    const [src, url] = ['/api/uploads/p-1.jpg', 'https://skyfolio.test/api/uploads/p-1.jpg']
    const picture = { src, uploadedUrl: url, width: 10, height: 10, sourceWidth: 10, sourceHeight: 10 }
    const [image] = orderRequest(changePhoto(readyOrder(), 1, { picture })).productDetails[0]?.imageDetails ?? []
    expect(image).toEqual({ url, qty: 3 })
  })
})

test('each photo, size and crop is one file to make', () => {
  const state = addPrint(readyOrder(), 1)
  const doubled = changePrint(state, 3, { productId: SMALL })
  expect(printFilesOf(state)).toHaveLength(3)
  expect(printFilesOf(doubled)).toEqual([
    { photoId: 1, productId: SMALL },
    { photoId: 2, productId: SMALL },
  ])
})

test('a product without a description is named after its size', () => {
  expect(productName({ productDesc: null, productSize: '8x12' })).toBe('8x12 Print')
  expect(productName({ productDesc: '', productSize: null })).toBe('4x6 Print')
})

describe('a coupon', () => {
  test('tells the amount of its discount', () => {
    const { coupon, notice } = couponResult({ err: '', orderDiscountPrice: '1.50' })
    expect(coupon).toEqual({ status: 'valid', message: 'Coupon applied successfully', discountCents: 150 })
    expect(notice).toEqual({ title: 'Coupon Valid', description: 'Discount applied: $1.50' })
  })

  test('is accepted without a discount', () => {
    expect(couponResult({ err: '', orderDiscountPrice: null }).notice.description).toBe('Coupon code accepted')
  })

  test('of another account says so, beside its field as in its toast', () => {
    const text = 'This coupon is not configured for your account. Contact support for available promotions.'
    expect(couponResult({ err: '661', errDesc: '' })).toMatchObject({
      coupon: { status: 'invalid', message: text },
      notice: { title: 'Coupon Not Available', description: text },
    })
  })

  test('says that it is invalid', () => {
    expect(couponResult({ err: '9001' })).toMatchObject({
      coupon: { status: 'invalid', message: 'Invalid coupon code' },
      notice: { title: 'Coupon Invalid', description: 'This coupon code is not valid for this order' },
    })
  })
})

test('more prints of a product than an entry may name are several entries', () => {
  expect(entriesOf([{ productId: SMALL, quantity: 2000 }])).toEqual([
    { productId: SMALL, qty: 999 },
    { productId: SMALL, qty: 999 },
    { productId: SMALL, qty: 2 },
  ])
})
