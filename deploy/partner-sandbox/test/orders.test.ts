import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../src/sandbox.ts'
import { type Client, clientOf, type Json, jpeg, orderBody, startImages } from './support.ts'

let images: Awaited<ReturnType<typeof startImages>>
let sandbox: Sandbox
let client: Client

beforeAll(async () => {
  const image = await jpeg()
  images = await startImages(({ url = '' }, response) => {
    if (url.startsWith('/photo')) return void response.writeHead(200, { 'content-type': 'image/jpeg' }).end(image)
    if (url === '/text.jpg') return void response.writeHead(200, { 'content-type': 'image/jpeg' }).end('not an image')
    if (url === '/cut.jpg')
      return void response.writeHead(200, { 'content-type': 'image/jpeg' }).end(image.subarray(0, -400))
    if (url === '/page') return void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>')
    if (url === '/moved') return void response.writeHead(302, { location: '/photo.jpg' }).end()
    response.writeHead(404).end()
  })
  sandbox = await startSandbox({ imageOrigin: images.origin })
  client = clientOf(sandbox)
})

afterEach(async () => {
  await client.control('POST', '/reset')
  images.requests.length = 0
})

afterAll(async () => {
  await sandbox.stop()
  await images.stop()
})

const submitImage = (url: string): Promise<Json> =>
  submit({ productDetails: [{ productId: '6560003', imageDetails: [{ url, qty: '1' }] }] })
const submit = async (changes: object = {}): Promise<Json> =>
  client.call('submit', await orderBody(client, `${images.origin}/photo.jpg`, changes))
const turn = (change: object) => client.control('POST', '/clock', change)
const order = (id: string): Promise<Json> => client.control('GET', `/orders/${id}`)

const thumbnailSize = async (id: string) => {
  const response = await fetch(`${sandbox.controlUrl}/thumbnails/${id}`)
  const { width, height } = await sharp(await response.arrayBuffer()).metadata()
  return [width, height]
}

describe('the life of an order', () => {
  test('goes from Submitting to Sold as the clock goes', async () => {
    const { vendorOrderId } = await submit()
    const status = async () => (await client.status(vendorOrderId)).orderStatus
    expect(await status()).toBe('Submitting')
    await turn({ toNextStep: true })
    expect(await status()).toBe('Downloading')
    await turn({ toNextStep: true })
    expect(await status()).toBe('Ready for Pickup')
    const { stageAt, readyAt } = await order(vendorOrderId)
    expect(stageAt).toBe(readyAt)
    await turn({ advanceHours: 25 })
    expect(await client.status(vendorOrderId)).toMatchObject({ valid: 'true', code: '', orderStatus: 'Sold' })
  })

  test('passes all stages when the clock jumps, and does not go back with it', async () => {
    const { vendorOrderId } = await submit()
    await turn({ advanceHours: 72 })
    await turn({ reset: true })
    const { orderStatus, history } = await order(vendorOrderId)
    expect(orderStatus).toBe('Sold')
    const texts = ['Submitting', 'Downloading', 'All images downloaded', 'Ready for Pickup', 'Sold']
    expect(history.map(({ text }: Json) => text)).toEqual(texts)
    const times = history.map(({ at }: Json) => at)
    expect(times).toEqual(times.toSorted())
  })

  test('is ready within 48 hours at the store without a promise time', async () => {
    const store = (await client.stores()).find(({ promiseTime }) => promiseTime.startsWith('01-01-3000'))
    const { vendorOrderId } = await submit({ storeNum: store.storeNum, promiseTime: store.promiseTime })
    await turn({ advanceHours: 46 })
    expect((await client.status(vendorOrderId)).orderStatus).toBe('Downloading')
    await turn({ advanceHours: 2 })
    expect((await client.status(vendorOrderId)).orderStatus).toBe('Ready for Pickup')
  })

  test('ends as Cancelled when the printer is down, in the words of the profile', async () => {
    await client.fault({ fault: 'printer-down', times: 1 })
    await client.profile({ cancelledText: 'Order Rejected' })
    const { vendorOrderId } = await submit()
    await turn({ advanceHours: 24 })
    expect((await client.status(vendorOrderId)).orderStatus).toBe('Order Rejected')
  })

  test('shows any status that is set by hand, until it follows the clock again', async () => {
    const { vendorOrderId } = await submit()
    await turn({ advanceHours: 20 })
    for (const status of ['Submitting', 'Lost <in> transit']) {
      await client.control('POST', `/orders/${vendorOrderId}/status`, { status })
      expect((await client.status(vendorOrderId)).orderStatus).toBe(status)
    }
    await client.control('POST', `/orders/${vendorOrderId}/status`, { status: null })
    expect((await client.status(vendorOrderId)).orderStatus).toBe('Ready for Pickup')
  })
})

describe('images', () => {
  test('are fetched once each, without cookies, and shown as prints', async () => {
    const [url, other] = [`${images.origin}/photo.jpg`, `${images.origin}/photo2.jpg`]
    const { vendorOrderId } = await submit({
      productDetails: [
        { productId: '6560003', imageDetails: [20, 5].map((qty) => ({ url, qty: String(qty) })) },
        { productId: '6560104', imageDetails: [url, other].map((image) => ({ url: image, qty: '1' })) },
      ],
    })
    await turn({ advanceHours: 0.1 })
    expect(images.requests.map((request) => request.url)).toEqual(['/photo.jpg', '/photo2.jpg'])
    expect(images.requests.every(({ headers }) => headers.cookie === undefined)).toBe(true)
    const { items } = await order(vendorOrderId)
    expect(items.map(({ productSize, quantity }: Json) => [productSize, quantity])).toEqual([
      ['4x6', 25],
      ['8x8', 1],
      ['8x8', 1],
    ])
    expect(items[0].image).toMatchObject({ format: 'jpeg', width: 600, height: 400 })
    const sizes = await Promise.all(items.map(({ thumbnailId }: Json) => thumbnailSize(thumbnailId)))
    expect(sizes).toEqual([
      [320, 213],
      [320, 320],
      [320, 320],
    ])
  })

  test.each([
    ['/missing.jpg', 'status 404'],
    ['/page', 'content type "text/html"'],
    ['/text.jpg', 'no JPEG or PNG'],
    ['/cut.jpg', 'can be decoded'],
    ['/moved', 'status 302'],
  ])('%s is tried three times, then the order is cancelled', async (path, reason) => {
    const { vendorOrderId } = await submitImage(`${images.origin}${path}`)
    await turn({ advanceHours: 0.1 })
    expect((await client.status(vendorOrderId)).orderStatus).toBe('Downloading')
    await turn({ advanceHours: 0.5 })
    expect((await client.status(vendorOrderId)).orderStatus).toBe('Cancelled')
    expect(images.requests.map(({ url }) => url)).toEqual([path, path, path])
    expect((await order(vendorOrderId)).items[0].problem).toContain(reason)
  })

  test('are fetched from no other origin', async () => {
    const port = new URL(images.origin).port
    const others = [
      `http://localhost:${port}/photo.jpg`,
      `http://127.0.0.1:1/photo.jpg`,
      `http://a:b@127.0.0.1:${port}/photo.jpg`,
    ]
    for (const url of others) {
      const { vendorOrderId } = await submitImage(url)
      await turn({ advanceHours: 0.1 })
      expect((await client.status(vendorOrderId)).orderStatus).toBe('Cancelled')
    }
    expect(images.requests).toEqual([])
  })
})

describe('submit', () => {
  const lines = (count: number, qty: number, productId = '6560003') => [
    {
      productId,
      imageDetails: Array.from({ length: count }, () => ({ url: `${images.origin}/photo.jpg`, qty: String(qty) })),
    },
  ]
  const code = async (changes: object) => (await submit(changes)).err

  test('takes at most 20 prints of an entry and 200 images', async () => {
    expect(await code({ productDetails: lines(1, 20) })).toBe('')
    expect(await code({ productDetails: lines(1, 21) })).toBe('9206')
    expect(await code({ productDetails: lines(200, 1) })).toBe('')
    expect(await code({ productDetails: lines(201, 1) })).toBe('9205')
  })

  test('takes totals under $998, after the coupon', async () => {
    // 40 posters cost $999.60.
    expect(await code({ productDetails: lines(2, 20, '6560109') })).toBe('9207')
    expect(await code({ productDetails: lines(2, 20, '6560109'), couponCode: 'FIRST10' })).toBe('')
    const [order] = await client.control('GET', '/orders')
    expect([order.subtotal, order.discount, order.total]).toEqual(['999.60', '99.96', '899.64'])
  })

  test('makes two orders of the same body sent twice', async () => {
    const body = await orderBody(client, `${images.origin}/photo.jpg`)
    const [one, two] = [await client.call('submit', body), await client.call('submit', body)]
    expect(one.vendorOrderId).not.toBe(two.vendorOrderId)
    const orders = await client.control('GET', '/orders')
    expect(orders.map(({ vendorOrderId }: Json) => vendorOrderId)).toEqual([two.vendorOrderId, one.vendorOrderId])
  })

  test('rejects a promise time of another store, and one that is too old', async () => {
    const body = await orderBody(client, `${images.origin}/photo.jpg`)
    expect((await client.call('submit', { ...body, promiseTime: '01-01-3000 00:00 AM' })).err).toBe('9202')
    await turn({ advanceHours: 0.6 })
    expect((await client.call('submit', body)).err).toBe('9203')
  })

  test.each([
    ['digits', /^\d{13}$/],
    ['prefixed', /^PHT-\d{13}$/],
    ['uuid', /^[0-9a-f-]{36}$/],
    ['number', /^\d{13}$/],
  ])('gives order numbers as %s', async (vendorOrderIds, format) => {
    await client.profile({ vendorOrderIds })
    const { vendorOrderId } = await submit()
    expect(String(vendorOrderId)).toMatch(format)
    expect((await client.status(String(vendorOrderId))).valid).toBe('true')
  })
})
