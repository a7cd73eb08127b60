import { AppError } from '@skyfolio/kit'
import { expect, test } from 'vitest'
import { imageOrigins } from '../src/orders/image-urls.ts'
import { quantitiesOf, readOrderRequest } from '../src/orders/submit-request.ts'
import { printImageName } from './media-stub.ts'
import { IMAGE_ORIGIN, ORIGIN, orderBody } from './support.ts'

const origins = imageOrigins(`${ORIGIN}/`, IMAGE_ORIGIN)
const filename = printImageName('an image')
const url = `${ORIGIN}/api/uploads/${filename}`
const valid = orderBody([{ url, qty: 1 }])

/** The names of the fields that are missing or not valid. */
function problemsOf(body: object): Record<string, string> {
  try {
    readOrderRequest({ ...valid, ...body } as never, origins)
    return {}
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return error.fields ?? { '': error.message }
  }
}

test('an empty body names everything that is missing', () => {
  expect(() => readOrderRequest({}, origins)).toThrow()
  const empty = Object.fromEntries(Object.keys(valid).map((name) => [name, undefined]))
  expect(Object.keys(problemsOf(empty)).sort()).toEqual(
    [
      'email',
      'firstName',
      'lastName',
      'orderTotal',
      'phone',
      'productDetails',
      'promiseTime',
      'storeNum',
      'subtotal',
      'termsAccepted',
    ].sort(),
  )
})

test.each(['storeNum', 'promiseTime', 'firstName', 'lastName', 'phone', 'email', 'orderTotal', 'subtotal'])(
  'a blank %s counts as missing',
  (field) => {
    for (const blank of ['', '   ', '\t\n', null]) expect(Object.keys(problemsOf({ [field]: blank }))).toEqual([field])
  },
)

test('terms that are not accepted have the sentence of the wizard', () => {
  const sentence = 'Please accept the Terms of Use and Privacy Policy to continue with your order.'
  expect(problemsOf({ termsAccepted: false })).toEqual({ termsAccepted: sentence })
  expect(problemsOf({ termsAccepted: null })).toEqual({ termsAccepted: sentence })
})

test.each([
  ['storeNum', '4101\0'],
  ['storeNum', 'the nearest'],
  ['storeNum', -1],
  ['phone', '12345'],
  ['phone', 'call me'],
  ['phone', '2185550199 ext 12x'],
  ['phone', '1'.repeat(16)],
  ['email', 'ada'],
  ['email', 'ada@quill'],
  ['email', 'a b@quill.test'],
  ['email', `${'a'.repeat(250)}@quill.test`],
  ['firstName', 'a'.repeat(51)],
  ['lastName', '\u200b\u2060'],
  ['orderTotal', '1.234'],
  ['orderTotal', '-1'],
  ['orderTotal', 'free'],
  ['orderTotal', '1e3'],
  ['subtotal', 0.001],
])('%s %j is not valid', (field, value) => {
  expect(Object.keys(problemsOf({ [field]: value }))).toEqual([field])
})

test.each([0, -1, 1.5, '1.5', '', ' ', null, 1000, '0x10', 'one', Number.NaN])(
  'the quantity %j is not valid',
  (qty) => {
    const productDetails = [{ productId: '1', productPrice: 1, imageDetails: [{ url, qty }] }]
    expect(Object.keys(problemsOf({ productDetails }))).toEqual(['productDetails.0.imageDetails.0.qty'])
  },
)

test.each([
  [[], 'productDetails'],
  [[{ productId: '1', productPrice: 1, imageDetails: [] }], 'productDetails.0.imageDetails'],
  [[{ productId: ' ', productPrice: 1, imageDetails: [{ url, qty: 1 }] }], 'productDetails.0.productId'],
  [[{ productId: '1', imageDetails: [{ url, qty: 1 }] }], 'productDetails.0.productPrice'],
  [[{ productId: '1', productPrice: 1, imageDetails: [{ qty: 1 }] }], 'productDetails.0.imageDetails.0.url'],
  [
    [{ productId: '1', productPrice: 1, imageDetails: [{ url, photoId: 1, qty: 1 }] }],
    'productDetails.0.imageDetails.0.url',
  ],
  [
    [
      {
        productId: '1',
        productPrice: 1,
        imageDetails: [{ photoId: 1, qty: 1, crop: { x: 0.5, y: 0, width: 0.6, height: 1 } }],
      },
    ],
    'productDetails.0.imageDetails.0.crop',
  ],
])('%j is not valid', (productDetails, field) => {
  expect(Object.keys(problemsOf({ productDetails }))).toEqual([field])
})

test('reads of the partner name each product once, with all its prints', () => {
  const [first] = valid.productDetails
  const other = { productId: '7', productPrice: 1, imageDetails: [{ photoId: 1, qty: 2 }] }
  const more = {
    ...first,
    imageDetails: [
      { photoId: 1, qty: 3 },
      { photoId: 2, qty: 4 },
    ],
  }
  const request = readOrderRequest({ ...valid, productDetails: [first, other, more] } as never, origins)
  expect(quantitiesOf(request)).toEqual([
    { productId: first?.productId, quantity: 8 },
    { productId: '7', quantity: 2 },
  ])
})

test('more than 200 entries are rejected without naming the fields of each', () => {
  const entries = (count: number) => ({
    productDetails: [1, 2].map(() => ({ productId: '1', imageDetails: Array.from({ length: count }, () => ({})) })),
  })
  expect(problemsOf(entries(101))).toEqual({ '': expect.stringContaining('at most 200 images') })
  expect(Object.keys(problemsOf(entries(100)))).toHaveLength(2 + 2 * 200)
  const empty = Array.from({ length: 201 }, () => ({ imageDetails: [] }))
  expect(problemsOf({ productDetails: empty })).toEqual({ '': expect.stringContaining('at most 200 images') })
})

test('texts become one line, telephone numbers digits, coupons capitals', () => {
  const request = readOrderRequest(
    { ...valid, firstName: ' Ada\n\u202eMae ', phone: '+1 (218) 555-0199', couponCode: ' print25 ', storeNum: 4101 },
    origins,
  )
  expect(request).toMatchObject({
    storeNumber: '4101',
    customer: { firstName: 'Ada Mae', phone: '12185550199' },
    couponCode: 'PRINT25',
  })
})

test('images may have the public origin or the one of the partner', () => {
  const body = orderBody([{ url: `${IMAGE_ORIGIN}/api/uploads/${filename}`, qty: 1 }])
  expect(readOrderRequest(body, origins).lines).toMatchObject([{ image: { filename } }])
})

test('a crop that leaves the photo by an error of rounding ends at its edge', () => {
  const crop = { x: 0.1, y: 0, width: 0.9000000000000001, height: 1 }
  const body = orderBody([{ photoId: 1, qty: 1, crop } as never])
  const [line] = readOrderRequest(body, origins).lines
  expect(line?.image).toEqual({ photoId: 1, crop: { x: 0.1, y: 0, width: 0.9, height: 1 } })
})
