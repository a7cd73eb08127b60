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

const submit = async (changes: object = {}): Promise<Json> =>
  client.call('submit', await orderBody(client, `${images.origin}/photo.jpg`, changes))
const turn = (change: object) => client.control('POST', '/clock', change)
const order = (id: string): Promise<Json> => client.control('GET', `/orders/${id}`)

describe('the life of an order', () => {
  test('goes from Submitting to Sold as the clock goes', async () => {
    const { vendorOrderId } = await submit()
    expect((await client.status(vendorOrderId)).orderStatus).toBe('Submitting')
    await turn({ toNextStep: true })
    expect((await client.status(vendorOrderId)).orderStatus).toBe('Downloading')
    expect(images.requests.map(({ url }) => url)).toEqual(['/photo.jpg'])
    await turn({ toNextStep: true })
    expect((await client.status(vendorOrderId)).orderStatus).toBe('Ready for Pickup')
    const { stageAt, readyAt } = await order(vendorOrderId)
    expect(stageAt).toBe(readyAt)
    await turn({ advanceHours: 25 })
    expect(await client.status(vendorOrderId)).toMatchObject({
      valid: 'true',
      code: '',
      orderId: vendorOrderId,
      orderStatus: 'Sold',
    })
  })
})
