import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Photo } from '../src/api/types.ts'
import {
  addPrint,
  changePhoto,
  changePrint,
  chooseForAll,
  clampQuantity,
  confirmFigures,
  couponChecked,
  figuresOffered,
  goTo,
  prefillCustomer,
  productsLoaded,
  removePhoto,
  startWizard,
  stepBefore,
  storesFound,
  typeCoupon,
} from '../src/features/print-wizard/wizard-state.ts'
import { PRODUCTS, printPhoto, withStore, wizardWith } from './print-fixture.ts'

const [SMALL = '', MEDIUM = '', LARGE = ''] = PRODUCTS.map(({ productId }) => productId)
const figures = (total: string) => {
  return { subtotalAmount: total, discountAmount: '0.00', totalAmount: total, promiseTime: null }
}

test('a photo whose picture differs from its file warns before it is printed', () => {
  const warningOf = (status: Photo['status']) =>
    startWizard(7, [printPhoto(1, { status, statusMessage: 'The values are stretched.' })]).photos[0]?.warning
  expect(warningOf('ready')).toBe('The values are stretched.')
  expect(warningOf('failed')).toBeNull()
})

describe('quantities', () => {
  test.each([
    ['0', 1],
    ['-4', 1],
    ['12', 12],
    ['2.9', 2],
    ['1000', 999],
    ['abc', 1],
    ['', 1],
  ])('%s becomes %s', (text, quantity) => {
    expect(clampQuantity(text)).toBe(quantity)
  })

  test('are always between 1 and 999', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double()), (value) => {
        expect(clampQuantity(value)).toBeGreaterThanOrEqual(1)
        expect(clampQuantity(value)).toBeLessThanOrEqual(999)
      }),
    )
  })
})

describe('a choice for all photos', () => {
  test('applies to the first print of every photo', () => {
    const state = chooseForAll(wizardWith(3), { productId: MEDIUM, quantity: 2 })
    expect(state.prints.map(({ productId, quantity }) => [productId, quantity])).toEqual(Array(3).fill([MEDIUM, 2]))
  })

  test('leaves further sizes and single choices as they are', () => {
    let state = addPrint(chooseForAll(wizardWith(2), { productId: SMALL }), 1)
    expect(state.prints.map(({ photoId, productId }) => [photoId, productId])).toEqual([
      [1, SMALL],
      [1, MEDIUM],
      [2, SMALL],
    ])
    state = changePrint(state, state.prints[2]?.key ?? 0, { quantity: 5 })
    state = chooseForAll(state, { productId: LARGE, quantity: 3 })
    expect(state.prints.map(({ productId, quantity }) => [productId, quantity])).toEqual([
      [LARGE, 3],
      [MEDIUM, 1],
      [SMALL, 5],
    ])
  })

  test('keeps the crop only for a size with the same proportions', () => {
    const crop = { x: 0, y: 0, width: 1, height: 0.5 }
    let state = chooseForAll(wizardWith(1), { productId: SMALL })
    state = changePrint(state, 1, { crop })
    expect(chooseForAll(state, { productId: LARGE }).prints[0]?.crop).toEqual(crop)
    expect(chooseForAll(state, { productId: MEDIUM }).prints[0]?.crop).toBeNull()
  })
})

describe('an order again', () => {
  const items = [
    { photoId: 1, productId: SMALL, productSize: '4x6', quantity: 2 },
    { photoId: 1, productId: 'gone', productSize: '9x9', quantity: 1 },
  ]

  test('starts with the sizes and quantities of the earlier one', () => {
    const { prints } = wizardWith(2, items)
    expect(prints.map(({ photoId, quantity }) => [photoId, quantity])).toEqual([
      [1, 2],
      [1, 1],
      [2, 1],
    ])
  })

  test('takes back a size that is no longer sold', () => {
    expect(wizardWith(2, items).prints.map(({ productId }) => productId)).toEqual([SMALL, null, null])
  })
})

describe('what was checked for other prints', () => {
  test('no longer holds: the coupon is unchecked and the confirmed figures are gone', () => {
    let state = chooseForAll(wizardWith(1), { productId: SMALL })
    state = couponChecked(typeCoupon(state, 'save10'), { status: 'valid', message: 'ok', discountCents: 100 })
    state = confirmFigures(figuresOffered(state, { before: figures('1.00'), now: figures('2.00') }))
    expect(state.confirmed?.totalAmount).toBe('2.00')
    state = chooseForAll(state, { quantity: 2 })
    expect(state.coupon).toMatchObject({ code: 'SAVE10', status: 'unchecked', discountCents: 0 })
    expect(state.confirmed).toBeNull()
  })

  test('does not replace newer figures, and a coupon that the partner rejects is not sent again', () => {
    let state = chooseForAll(wizardWith(1), { productId: SMALL })
    state = couponChecked(typeCoupon(state, 'save10'), { status: 'valid', message: 'ok', discountCents: 10 })
    state = confirmFigures(figuresOffered(state, { before: figures('1.00'), now: figures('2.00') }))
    const couponMessage = 'This coupon code is not valid for this order.'
    state = figuresOffered(state, { before: figures('2.00'), now: { ...figures('2.00'), couponMessage } })
    expect(state.confirmed).toBeNull()
    expect(state.coupon).toEqual({ code: 'SAVE10', status: 'refused', message: couponMessage, discountCents: 0 })
  })

  test('holds when the same products are loaded again', () => {
    const state = couponChecked(typeCoupon(chooseForAll(wizardWith(1), { productId: SMALL }), 'A'), {
      status: 'valid',
      message: null,
      discountCents: 10,
    })
    expect(productsLoaded(state, PRODUCTS).coupon.status).toBe('valid')
  })
})

describe('steps', () => {
  test('go back one at a time, but not from the first nor from the last', () => {
    expect(stepBefore('upload')).toBeNull()
    expect(stepBefore('order')).toBe('stores')
    expect(stepBefore('complete')).toBeNull()
  })

  test('clear the banner of the step before', () => {
    expect(goTo({ ...wizardWith(1), error: 'Store search failed' }, 'products').error).toBeNull()
  })
})

test('a photo that failed is removed with its prints', () => {
  const state = removePhoto(changePhoto(wizardWith(2), 1, { failure: 'damaged' }), 1)
  expect(state.photos.map(({ id }) => id)).toEqual([2])
  expect(state.prints.map(({ photoId }) => photoId)).toEqual([2])
})

test('the chosen store stays chosen while a search still finds it', () => {
  const state = withStore(wizardWith(1))
  const { position, stores, prints } = state.search
  expect(storesFound(state, { position, place: null, stores, prints }).storeNum).toBe('1234')
  expect(storesFound(state, { position, place: null, stores: [], prints }).storeNum).toBeNull()
})

test('known details fill only empty fields', () => {
  const state = { ...wizardWith(1), customer: { firstName: 'Ada', lastName: '', email: '', phone: '' } }
  const known = { firstName: 'Bob', lastName: 'Lovelace', email: null, phone: '2185550100' }
  expect(prefillCustomer(state, known).customer).toEqual({
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: '',
    phone: '2185550100',
  })
})
