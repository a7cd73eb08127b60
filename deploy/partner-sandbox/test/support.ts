import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'
import type { FaultRequest } from '../src/state/faults.ts'

export const CREDENTIALS = { apiKey: 'sandbox-key', affId: 'sandbox-affiliate' }
export const COMMON = { ...CREDENTIALS, appVer: '1.0', devInf: 'WebApp,1.0' }

export const PATHS = {
  creds: '/api/photo/creds/v3',
  products: '/api/photo/products/v3',
  stores: '/api/photo/store/v3',
  coupon: '/api/photo/order/coupon/v3',
  submit: '/api/photo/order/submit/v3',
  status: '/api/photo/order/status/v3',
}
export type CallName = keyof typeof PATHS

// biome-ignore lint/suspicious/noExplicitAny: bodies are checked field by field.
export type Json = any

const FOUR_BY_SIX = [{ productId: '6560003', qty: '1' }]

/** A valid body of each call that only reads. */
export const READS = {
  creds: { ...COMMON, platform: 'web', transaction: 'photocheckoutv2' },
  products: { ...COMMON, act: 'getphotoprods', productGroupId: 'STDPR' },
  stores: { ...COMMON, act: 'photoStores', latitude: '46.8', longitude: '-92.0', productDetails: FOUR_BY_SIX },
  coupon: {
    ...COMMON,
    act: 'getdiscount',
    couponCode: 'PRINT25',
    productDetails: [{ productId: '6560003', qty: '10' }],
  },
  status: { ...COMMON, act: 'orderstatus', orders: ['1234567890123'] },
}

/** Calls of the partner API and of the control API of one sandbox. */
export function clientOf({ url, controlUrl }: { url: string; controlUrl: string }) {
  const post = (call: CallName, body: unknown, signal?: AbortSignal) =>
    fetch(`${url}${PATHS[call]}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    })
  const call = async (name: CallName, body: unknown): Promise<Json> => (await post(name, body)).json()
  const control = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const response = await fetch(`${controlUrl}${path}`, init)
    const text = await response.text()
    return text ? JSON.parse(text) : undefined
  }
  return {
    post,
    call,
    control,
    fault: (fault: FaultRequest) => control('POST', '/faults', fault),
    profile: (changes: object) => control('PATCH', `/profiles/${CREDENTIALS.affId}`, changes),
    stores: async (): Promise<Json[]> =>
      (await call('stores', READS.stores)).photoStores.map((entry: Json) => entry.photoStoreDetails),
    status: async (id: string): Promise<Json> => (await call('status', { ...READS.status, orders: [id] })).statuses[0],
  }
}
export type Client = ReturnType<typeof clientOf>

/** A valid submit for the store that is nearest to Duluth, with a fresh promise time. */
export async function orderBody(client: Client, url: string, changes: object = {}): Promise<Json> {
  const [store] = await client.stores()
  return {
    ...COMMON,
    act: 'submitphotoorder',
    ...{ firstName: 'Ann', lastName: 'Lee', phone: '2185550100', email: 'ann@example.com' },
    storeNum: store.storeNum,
    promiseTime: store.promiseTime,
    productDetails: [{ productId: '6560003', imageDetails: [{ url, qty: '2' }] }],
    affNotes: 'Test Order, Do not print!',
    ...changes,
  }
}

/** A small photograph. */
export function jpeg(width = 600, height = 400): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#3a7' } })
    .jpeg()
    .toBuffer()
}

type Responder = (request: IncomingMessage, response: ServerResponse) => void

/** A server with images; `requests` records what came. */
export async function startImages(respond: Responder) {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    respond(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    requests,
    origin: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  }
}
