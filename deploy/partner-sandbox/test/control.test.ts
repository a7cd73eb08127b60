import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../src/sandbox.ts'
import { type Client, clientOf, jpeg, orderBody, READS, startImages } from './support.ts'

let images: Awaited<ReturnType<typeof startImages>>
let sandbox: Sandbox
let client: Client

beforeAll(async () => {
  const image = await jpeg()
  images = await startImages((_request, response) =>
    response.writeHead(200, { 'content-type': 'image/jpeg' }).end(image),
  )
  sandbox = await startSandbox({ imageOrigin: images.origin })
  client = clientOf(sandbox)
})
afterEach(() => client.control('POST', '/reset'))
afterAll(async () => {
  await sandbox.stop()
  await images.stop()
})

const page = async (): Promise<string> => (await fetch(`${sandbox.controlUrl}/`)).text()
test('the page says that nothing is printed, loads nothing from elsewhere, and shows orders with their prints', async () => {
  const { vendorOrderId } = await client.call('submit', await orderBody(client, `${images.origin}/photo.jpg`))
  await client.control('POST', '/clock', { advanceHours: 0.1 })
  const response = await fetch(`${sandbox.controlUrl}/`)
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'; img-src 'self'")
  const text = await response.text()
  expect(text).toContain('<h1>Partner sandbox: nothing is printed</h1>')
  expect(text).toContain(vendorOrderId)
  expect(text).toMatch(/<img src="\/thumbnails\/[\w-]+" alt="Print 4x6"/)
  expect(text).toContain('<b>4x6</b> × 2')
})

test('the page escapes what clients send', async () => {
  const hostile = '"><script>alert(1)</script>'
  const changes = { firstName: hostile, affNotes: hostile }
  await client.call('submit', await orderBody(client, `${images.origin}/a`, changes))
  const text = await page()
  expect(text).not.toContain('<script>alert')
  expect(text).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;')
})

test('accepts the key in the URL of the page, its cookie, or as a bearer token, and nothing without it', async () => {
  const KEY = 'k3y-of-this-test'
  const locked = await startSandbox({ controlKey: KEY })
  const open = (path: string, headers: Record<string, string> = {}) =>
    fetch(locked.controlUrl + path, { headers, redirect: 'manual' })
  for (const path of ['/', '/orders', '/?key=wrong', '/thumbnails/1']) expect((await open(path)).status, path).toBe(401)
  expect((await open('/livez')).status).toBe(200)
  const response = await open(`/?key=${KEY}`)
  expect([response.status, response.headers.get('location')]).toEqual([303, '/'])
  const [cookie = ''] = response.headers.getSetCookie()
  expect((await open('/', { cookie: cookie.split(';')[0] ?? '' })).status).toBe(200)
  expect((await open('/orders', { authorization: `Bearer ${KEY}` })).status).toBe(200)
  expect((await open('/orders', { authorization: 'Bearer wrong' })).status).toBe(401)
  await locked.stop()
})

describe('other web pages', () => {
  /** fetch cannot set the header Host. */
  const statusFor = (headers: Record<string, string>, method = 'GET', path = '/clock') =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(sandbox.controlUrl)
      request({ hostname, port, path, method, headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end()
    })

  test('cannot post to the control port', async () => {
    expect(await statusFor({ origin: sandbox.controlUrl, 'sec-fetch-site': 'same-origin' }, 'DELETE', '/faults')).toBe(
      204,
    )
    for (const origin of ['https://example.com', 'null', sandbox.url]) {
      expect(await statusFor({ origin }, 'DELETE', '/faults')).toBe(403)
    }
    expect(await statusFor({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toBe(403)
    expect(await statusFor({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).toBe(200)
  })

  test('cannot read it by a name of their own', async () => {
    for (const host of ['localhost:8096', '127.0.0.1', '[::1]:8096', 'partner-sandbox:8096']) {
      expect(await statusFor({ host })).toBe(200)
    }
    for (const host of ['evil.example.com', 'localhost.example.com', 'a b']) {
      expect(await statusFor({ host })).not.toBe(200)
    }
  })
})

describe('the control API', () => {
  test('rejects what it does not know with a sentence', async () => {
    const message = async (method: string, path: string, body?: object) =>
      (await client.control(method, path, body)).message
    expect(await message('POST', '/clock', { now: 'soon' })).toBe('The clock needs a time or a change of it.')
    expect(await message('POST', '/clock', { advanceHours: 87_600 })).toContain('advanceHours must be <= 10000')
    expect(await message('POST', '/clock', { toNextStep: true })).toBe('No order has a next step.')
    const errorStyle = await message('PATCH', '/profiles/sandbox-affiliate', { errorStyle: 'loud' })
    expect(errorStyle).toContain('errorStyle must be equal to one of')
    expect(await message('PATCH', '/profiles/sandbox-affiliate', { speed: 5 })).toContain('additional properties')
    expect(await message('DELETE', '/faults/7')).toBe('There is no such fault.')
  })

  test('shows no key', async () => {
    await client.call('products', READS.products)
    const requests = await client.control('GET', '/requests')
    expect(requests).toMatchObject([{ route: 'products', faults: [] }])
    expect(JSON.stringify(requests) + (await page())).not.toContain(READS.products.apiKey)
  })
})

describe('a restart', () => {
  test('keeps orders, prints and clock in the data file', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'partner-sandbox-'))
    const options = { imageOrigin: images.origin, dataFile: join(directory, 'data/orders.json') }
    const first = await startSandbox(options)
    const before = clientOf(first)
    const { vendorOrderId } = await before.call('submit', await orderBody(before, `${images.origin}/photo.jpg`))
    await before.control('POST', '/clock', { advanceHours: 20 })
    const kept = await before.control('GET', `/orders/${vendorOrderId}`)
    await first.stop()

    const second = await startSandbox(options)
    const after = clientOf(second)
    expect(await after.control('GET', `/orders/${vendorOrderId}`)).toEqual(kept)
    expect((await after.control('GET', '/clock')).offsetMs).toBe(72_000_000)
    expect((await fetch(`${second.controlUrl}/thumbnails/${kept.items[0].thumbnailId}`)).status).toBe(200)
    await second.stop()
    expect(await readdir(join(directory, 'data'))).toEqual(['orders.json'])
    await rm(directory, { recursive: true })
  })

  test('says so when the data file cannot be read', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'partner-sandbox-'))
    const dataFile = join(directory, 'orders.json')
    await writeFile(dataFile, '{"orders": [')
    await expect(startSandbox({ dataFile })).rejects.toThrow('Repair or delete it')
    await rm(directory, { recursive: true })
  })
})

test('only an origin is accepted as the origin of images', async () => {
  await expect(startSandbox({ imageOrigin: 'http://a/b' })).rejects.toThrow('"http://a/b"; it must be an origin')
})
