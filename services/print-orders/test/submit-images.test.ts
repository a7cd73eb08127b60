import type { App } from '@skyfolio/kit'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { newCustomer, openTestSystem, orderBody, PRINT_5X7, submit, type TestSystem } from './support.ts'

let system: TestSystem
let app: App
beforeAll(async () => {
  system = await openTestSystem()
  app = await system.start()
})
afterEach(() => system.sandbox.clearFaults())
afterAll(() => system.close())

test('an order of several photos and sizes is one order, with a title for each', async () => {
  const user = await newCustomer(system, app)
  const photos = [1, 2, 3].map(() => system.media.addPhoto(user.userId))
  await system.pool.query(
    "INSERT INTO photos (id, revision, user_id, title) SELECT id, 1, $1, 'Photo ' || id FROM unnest($2::int[]) AS id",
    [user.userId, photos],
  )
  const crop = { x: 0.1, y: 0, width: 0.5, height: 1 }
  const body = orderBody([], {
    lastName: user.lastName,
    productDetails: [
      {
        productId: '6560003',
        productPrice: '0.40',
        imageDetails: [
          { photoId: photos[0], qty: 21 },
          { photoId: photos[1], crop, qty: 1 },
        ],
      },
      { productId: PRINT_5X7.productId, productPrice: 3.49, imageDetails: [{ photoId: photos[0], qty: 1 }] },
      { productId: PRINT_5X7.productId, productPrice: 3.49, imageDetails: [{ photoId: photos[2], qty: 2 }] },
    ],
    subtotal: 19.27,
    orderTotal: 19.27,
  })
  const response = await submit(app, user, body)
  expect(response).toMatchObject({ status: 201, body: { totalAmount: '19.27' } })
  const [order] = await user.listed()
  expect(order).toMatchObject({ photoId: photos[0], photoTitle: `Photo ${photos[0]}`, quantity: 25 })
  expect(
    order.items.map(({ productSize, quantity, photoId }: Record<string, unknown>) => [productSize, quantity, photoId]),
  ).toEqual([
    ['4x6', 21, photos[0]],
    ['4x6', 1, photos[1]],
    ['5x7', 1, photos[0]],
    ['5x7', 2, photos[2]],
  ])
  expect(await user.placed()).toMatchObject([{ imageCount: 5, total: '19.27' }])
  expect(system.media.prepared.slice(-4)).toMatchObject([
    { photoId: photos[0], shortSide: 1200, longSide: 1800 },
    { photoId: photos[1], crop },
    { photoId: photos[0], shortSide: 1500, longSide: 2100 },
    { photoId: photos[2] },
  ])
})

test('images that are still being rendered are waited for', async () => {
  const user = await newCustomer(system, app)
  const photoId = system.media.addPhoto(user.userId)
  system.media.setRendering(true)
  const before = system.media.prepared.length
  const running = submit(app, user, orderBody([{ photoId, qty: 1 }], { lastName: user.lastName }))
  await waitFor(() => system.media.prepared.length > before + 1, { what: 'a further request to media' })
  system.media.setRendering(false)
  expect((await running).status).toBe(201)
})

test('images that are not ready in time are a reason to try again, with the same key', async () => {
  const user = await newCustomer(system, app)
  const impatient = await system.start({ PARTNER_TIMEOUT_MS: '15000' })
  const photoId = system.media.addPhoto(user.userId)
  const body = orderBody([{ photoId, qty: 1 }], { lastName: user.lastName })
  system.media.setRendering(true)
  const early = await submit(impatient, user, body, 'a-key-for-later')
  expect(early).toMatchObject({ status: 503, headers: { 'retry-after': '2' }, body: { code: 'images_not_ready' } })
  system.media.setRendering(false)
  expect((await submit(impatient, user, body, 'a-key-for-later')).status).toBe(201)
}, 30_000)

test('a photo that cannot be printed is named with the reason', async () => {
  const user = await newCustomer(system, app)
  const photoId = system.media.addPhoto(user.userId)
  system.media.fail(photoId, 'The file is damaged.')
  expect(await submit(app, user, orderBody([{ photoId, qty: 1 }]))).toMatchObject({
    status: 400,
    body: { fields: { 'productDetails.0.imageDetails.0.photoId': 'The file is damaged.' } },
  })
})

test("others' photos are 404, others' and forged images 400, and nothing is requested from an address", async () => {
  const user = await newCustomer(system, app)
  const other = await newCustomer(system, app)
  const photoId = system.media.addPhoto(other.userId)
  expect((await submit(app, user, orderBody([{ photoId, qty: 1 }]))).status).toBe(404)
  const forged = user.filename.replace(/-[0-9a-f]{32}[.]jpg$/, `-${'0'.repeat(32)}.jpg`)
  const origin = user.url.slice(0, -user.filename.length)
  const urls = [
    other.url,
    origin + forged,
    `${system.sandbox.url}/api/uploads/${user.filename}`,
    `http://169.254.169.254/latest/${user.filename}`,
    `${origin}../${user.filename}`,
    `${origin}${user.filename}?x=1`,
    `${origin}${user.filename}#`,
    `http://user@photos.test/api/uploads/${user.filename}`,
    `http://photos.test.evil.test/api/uploads/${user.filename}`,
    `/api/uploads/${user.filename}`,
    'file:///etc/passwd',
    'not a url',
  ]
  const before = await system.sandbox.counts()
  for (const url of urls) {
    const response = await submit(app, user, orderBody([{ url, qty: 1 }]))
    expect(response, url).toMatchObject({ status: 400, body: { code: 'invalid_fields' } })
    expect(Object.keys(response.body.fields)).toEqual(['productDetails.0.imageDetails.0.url'])
  }
  expect((await system.sandbox.counts()).submit).toBe(before.submit)
  expect(await user.placed()).toEqual([])
})
