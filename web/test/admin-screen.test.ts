import { describe, expect, test } from 'vitest'
import { linksOf } from '../src/app/navigation.ts'
import { ENVIRONMENT_NOTES, updateFailureText } from '../src/features/admin/environment-tab.tsx'
import {
  summariseCoupon,
  summariseCredentials,
  summariseList,
  summariseTestOrder,
} from '../src/features/admin/partner-answers.ts'
import { resolutionSchema, toResolution } from '../src/features/admin/printing-tab.tsx'
import { ApiError } from '../src/lib/http.ts'

const products = (answer: unknown) => summariseList(answer, 'products', 'product')
const stores = (answer: unknown) => summariseList(answer, 'photoStores', 'store')

test('only administrators have a link to the administration', () => {
  const labels = (isAdmin: boolean) => linksOf({ isAdmin }).map(({ label }) => label)
  expect(labels(false)).toEqual(['Photos', 'Orders', 'Meta Data', 'Profile'])
  expect(labels(true)).toEqual(['Photos', 'Orders', 'Meta Data', 'Profile', 'Admin'])
})

describe('the environment', () => {
  test('says what to expect of it', () => {
    expect(ENVIRONMENT_NOTES.sandbox.text).toContain('error code 112 (API_NOT_ACTIVATED)')
    expect(ENVIRONMENT_NOTES.production.text).toContain('Real orders and payments are processed')
  })

  test('says why it was not changed', () => {
    expect(updateFailureText(new ApiError(0, 'x', null))).toBe('Failed to update environment')
    const body = { code: 'partner_not_configured', message: 'There is no production address.' }
    expect(updateFailureText(new ApiError(503, 'x', body))).toBe(
      'Failed to update environment. There is no production address.',
    )
  })
})

describe('an answer of the partner is summarised:', () => {
  test.each([
    [summariseCredentials, { accepted: true, uploadLimit: 200 }, 'Credentials accepted, up to 200 images in an order'],
    [summariseCredentials, { accepted: true, uploadLimit: null }, 'Credentials accepted'],
    [products, { products: [{}, {}] }, '2 products'],
    [stores, { photoStores: [{}] }, '1 store'],
    [summariseTestOrder, { vendorOrderId: '12' }, 'Order #12 placed in sandbox'],
    [summariseTestOrder, { vendorOrderId: 12 }, 'Order #12 placed in sandbox'],
    [summariseCoupon, { err: '', orderDiscountPrice: '2.5' }, 'Coupon accepted: $2.50 off'],
    [summariseCoupon, { err: '', orderDiscountPrice: null }, 'Coupon accepted'],
  ])('as success, %o %o', (summarise, answer, text) => expect(summarise(answer)).toEqual({ text, good: true }))

  test.each([
    [summariseCredentials, { accepted: false, message: 'Credentials rejected (2003)' }, 'Credentials rejected (2003)'],
    [summariseCredentials, {}, 'Credentials not accepted'],
    [products, { products: null }, 'The answer has no list of products'],
    [stores, 'text', 'The answer has no list of stores'],
    [stores, { photoStores: [] }, 'No stores'],
    [summariseTestOrder, { message: 'Refused' }, 'Refused'],
    [summariseTestOrder, null, 'No order number in the answer'],
    [summariseCoupon, { err: '661', errDesc: 'Not configured' }, 'Coupon not accepted (661): Not configured'],
    [summariseCoupon, { err: 661 }, 'Coupon not accepted (661)'],
  ])('as failure, %o %o', (summarise, answer, text) => expect(summarise(answer)).toEqual({ text, good: false }))
})

describe('a resolution', () => {
  test('needs the number of an order that was placed', () => {
    const missing = resolutionSchema.safeParse({ outcome: 'placed', vendorOrderId: '  ' })
    expect(missing.error?.issues[0]?.message).toBe('Enter the number that the store gave for the order')
    const values = resolutionSchema.parse({ outcome: 'placed', vendorOrderId: ' 4711 ' })
    expect(toResolution(values)).toEqual({ vendorOrderId: '4711' })
  })

  test('needs nothing else for an order that was not placed', () => {
    const values = resolutionSchema.parse({ outcome: 'not_placed', vendorOrderId: '' })
    expect(toResolution(values)).toEqual({ placed: false })
  })
})
