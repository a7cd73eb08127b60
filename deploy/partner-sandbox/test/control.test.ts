import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../src/sandbox.ts'
import { readSettings } from '../src/settings.ts'
import { type Client, clientOf, jpeg, orderBody, READS, startImages } from './support.ts'

let images: Awaited<ReturnType<typeof startImages>>
let sandbox: Sandbox
let client: Client

beforeAll(async () => {
  const image = await jpeg()
  images = await startImages((_request, response) =>
    response.writeHead(200, { 'content-type': 'image/jpeg' }).end(image),
  )
  sandbox = await startSandbox({ imageOrigin: images.origin, controlHosts: ['sandbox.example.com'] })
  client = clientOf(sandbox)
})
afterEach(() => client.control('POST', '/reset'))
afterAll(async () => {
  await sandbox.stop()
  await images.stop()
})

const page = async (): Promise<string> => (await fetch(`${sandbox.controlUrl}/`)).text()
const form = (name: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${sandbox.controlUrl}/forms/${name}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
    headers,
  })

describe('the page', () => {
  test('says that nothing is printed, and loads nothing from elsewhere', async () => {
    const response = await fetch(`${sandbox.controlUrl}/`)
    expect(await response.text()).toContain('<h1>Partner sandbox: nothing is printed</h1>')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'; img-src 'self'")
  })

  test('shows orders with their prints', async () => {
    const { vendorOrderId } = await client.call('submit', await orderBody(client, `${images.origin}/photo.jpg`))
    await client.control('POST', '/clock', { advanceMinutes: 1 })
    const text = await page()
    expect(text).toContain(vendorOrderId)
    expect(text).toMatch(/<img src="\/thumbnails\/[\w-]+" alt="Print 4x6"/)
    expect(text).toContain('<b>4x6</b> × 2')
  })

  test('escapes what clients send', async () => {
    const hostile = '"><script>alert(1)</script>'
    await client.call(
      'submit',
      await orderBody(client, `${images.origin}/a`, { firstName: hostile, affNotes: hostile }),
    )
    await client.call('coupon', { ...READS.coupon, [hostile]: hostile })
    const text = await page()
    expect(text).not.toContain('<script>alert')
    expect(text).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;')
  })

  test('has forms for clock, faults, orders, profile and reset', async () => {
    const { vendorOrderId } = await client.call('submit', await orderBody(client, `${images.origin}/photo.jpg`))
    expect((await form('clock', { minutes: '60' })).status).toBe(303)
    expect((await client.control('GET', '/clock')).offsetMs).toBe(3_600_000)
    await form('faults', { fault: 'http-503', route: '', when: '', times: '2' })
    const [fault] = await client.control('GET', '/faults')
    expect(fault).toMatchObject({ fault: 'http-503', route: '*', times: 2, when: 'before' })
    await form('faults', { remove: String(fault.id) })
    await form('profile', { affId: 'sandbox-affiliate', errorStyle: 'http-4xx', nullFields: 'true', sasMinutes: '5' })
    const profiles = await client.control('GET', '/profiles')
    expect(profiles['sandbox-affiliate']).toMatchObject({ errorStyle: 'http-4xx', nullFields: true, sasMinutes: 5 })
    await form('orders', { id: vendorOrderId, status: 'Lost' })
    expect((await client.status(vendorOrderId)).orderStatus).toBe('Lost')
    await form('reset', {})
    expect(await client.control('GET', '/orders')).toEqual([])
  })
})

test('a control port with a key answers only to the key, in the URL of the page, its cookie, or as a bearer token', async () => {
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
  const statusFor = (headers: Record<string, string>, method = 'GET') =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(sandbox.controlUrl)
      request({ hostname, port, path: '/clock', method, headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end()
    })

  test('cannot post to the control port', async () => {
    const own = { origin: sandbox.controlUrl, 'sec-fetch-site': 'same-origin' }
    expect((await form('clock', { minutes: '1' }, own)).status).toBe(303)
    for (const origin of ['https://example.com', 'null', sandbox.url]) {
      expect((await form('clock', { minutes: '1' }, { origin })).status).toBe(403)
    }
    expect(await statusFor({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toBe(403)
    expect(await statusFor({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).toBe(200)
  })

  test('cannot read it by a name of their own', async () => {
    for (const host of ['localhost:8096', '127.0.0.1', '[::1]:8096', 'partner-sandbox:8096', 'sandbox.example.com']) {
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
    expect(await message('POST', '/clock', { now: 'soon' })).toContain('now must be a time')
    expect(await message('POST', '/clock', { advanceHours: 87_600, advanceMinutes: 5_256_000 })).toContain('10 years')
    expect(await message('POST', '/clock', { toNextStep: true })).toBe('No order has a next step.')
    expect(await message('PATCH', '/profiles/sandbox-affiliate', { errorStyle: 'loud' })).toContain(
      'errorStyle must be one of',
    )
    expect(await message('PATCH', '/profiles/sandbox-affiliate', { colour: 'red' })).toBe(
      'A profile has no field "colour".',
    )
    expect(await message('PATCH', '/profiles/new', { sasMinutes: 5 })).toBe('apiKey must not be empty.')
    expect(await message('GET', '/orders/1')).toBe('There is no such order.')
    expect(await message('DELETE', '/faults/7')).toBe('There is no such fault.')
  })

  test('shows no key', async () => {
    await client.control('PATCH', '/profiles/other', { apiKey: 'a-long-secret-key-7777' })
    await client.call('products', { ...READS.products, affId: 'other', apiKey: 'a-long-secret-key-7777' })
    await client.call('creds', READS.creds)
    const answers = await Promise.all(['/profiles', '/requests'].map((path) => client.control('GET', path)))
    const text = JSON.stringify(answers) + (await page())
    expect(text).toContain('…7777')
    expect(text).not.toContain('a-long-secret')
    expect(text).not.toMatch(/sig=[A-Za-z0-9]/)
  })

  test('keeps the last 500 requests', async () => {
    for (let count = 0; count < 26; count++) {
      await Promise.all(Array.from({ length: 20 }, () => client.call('products', READS.products)))
    }
    const entries = await client.control('GET', '/requests?limit=1000')
    expect(entries).toHaveLength(500)
    expect((await client.control('GET', '/stats')).requests.products).toBe(520)
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

  test('forgets the oldest finished order when there are too many', async () => {
    const small = await startSandbox({ maxOrders: 2, imageOrigin: images.origin })
    const client = clientOf(small)
    const ids: string[] = []
    for (const _ of [1, 2, 3]) {
      ids.push((await client.call('submit', await orderBody(client, `${images.origin}/photo.jpg`))).vendorOrderId)
    }
    const orders = await client.control('GET', '/orders')
    expect(orders.map(({ vendorOrderId }: { vendorOrderId: string }) => vendorOrderId)).toEqual([ids[2], ids[1]])
    await small.stop()
  })
})

describe('settings', () => {
  test('have defaults for a person who starts it', () => {
    expect(readSettings({ IMAGE_ORIGIN: 'http://127.0.0.1:8080/' })).toMatchObject({
      imageOrigin: 'http://127.0.0.1:8080',
      port: 8095,
      controlPort: 8096,
      host: '127.0.0.1',
      latency: 'realistic',
    })
  })

  test.each([
    [{ PORT: 'x' }, 'PORT is "x"; it must be a whole number.'],
    [{ LATENCY: 'slow' }, 'LATENCY is "slow"; it must be off or realistic.'],
    [{ IMAGE_ORIGIN: '' }, 'IMAGE_ORIGIN is required'],
    [{ IMAGE_ORIGIN: 'http://a/b' }, 'IMAGE_ORIGIN is "http://a/b"; it must be an origin'],
  ])('%o are rejected', (env, message) => {
    expect(() => readSettings({ IMAGE_ORIGIN: 'http://a', ...env })).toThrow(message)
  })
})
