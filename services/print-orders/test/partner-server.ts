import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export const CALLS = {
  credentials: '/api/photo/creds/v3',
  products: '/api/photo/products/v3',
  stores: '/api/photo/store/v3',
  coupon: '/api/photo/order/coupon/v3',
  submit: '/api/photo/order/submit/v3',
  status: '/api/photo/order/status/v3',
} as const
export type CallName = keyof typeof CALLS

export interface ReceivedRequest {
  call: CallName
  at: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
}

export type Behaviour = (response: ServerResponse, request: IncomingMessage) => void

/** Responses without faults, as in the reference. */
export const GOOD_RESPONSES = {
  credentials: {
    uploadLimit: '200',
    template: 'x',
    landingUrl: 'x',
    cloud: [{ sasKeyToken: 'https://blob/sas?sig=s3cret' }],
  },
  products: {
    status: 'success',
    err: '',
    products: [
      {
        productId: '6560003',
        productGroupId: 'STDPR',
        productDesc: '4x6 Print',
        productPrice: '0.39',
        currencyType: 'USD',
        productSize: '4x6',
        resWidth: '1800',
        resHeight: '1200',
        dpi: '300',
        multiImageIndicator: false,
        boxQty: '1',
        vendorQtyLimit: '20',
        templateUrl: '',
      },
      {
        productId: '6560005',
        productGroupId: 'STDPR',
        productDesc: '8x10 Print',
        productPrice: '3.99',
        productSize: '8x10',
      },
    ],
  },
  stores: {
    status: 'success',
    errCode: '',
    errDesc: '',
    photoStores: [
      {
        photoStoreDetails: {
          storeNum: '4101',
          storeName: 'Walgreens',
          street: '4501 E Superior St',
          city: 'Duluth',
          state: 'MN',
          zip: '55804',
          phone: '  2185550100 ',
          distance: '1.24',
          distanceUnit: 'miles',
          latitude: '46.83',
          longitude: '-92.01',
          promiseTime: '11-28-2026 5:30 PM',
          openTime: '8:00 AM',
          closeTime: '10:00 PM',
          timeZone: 'CST',
          type: 'store',
          tax: '0.08',
        },
      },
    ],
  },
  coupon: { status: 'success', err: '', errDesc: '', orderTotalPrice: '10.00', orderDiscountPrice: '2.50' },
  submit: { status: 'success', err: '', errDesc: '', vendorOrderId: 'WAG-1' },
  status: { statuses: [{ valid: 'true', code: '', orderId: 'WAG-1', orderStatus: 'Submitting' }] },
} satisfies Record<CallName, object>

export interface PartnerServer {
  url: string
  requests: ReceivedRequest[]
  count(call: CallName): number
  /** Replaces the good response of a call, until `reset`. */
  behave(call: CallName, behaviour: Behaviour): void
  reset(): void
  stop(): Promise<void>
}

export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

export const html =
  (status: number): Behaviour =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end('<html><body>Bad Gateway</body></html>')

export const hang: Behaviour = () => {}
export const drop: Behaviour = (_response, request) => request.socket.destroy()

/** The whole number of bytes announced, half of them sent. */
export const dropHalfWay =
  (body: object): Behaviour =>
  (response, request) => {
    const text = JSON.stringify(body)
    response.writeHead(200, { 'content-length': text.length })
    response.write(text.slice(0, text.length / 2), () => request.socket.destroy())
  }

/** A complete HTTP response whose JSON ends too early. */
export const truncated =
  (body: object): Behaviour =>
  (response) => {
    const text = JSON.stringify(body)
    response.writeHead(200, { 'content-type': 'application/json' }).end(text.slice(0, text.length / 2))
  }

/** A server with the partner's paths that misbehaves as a test tells it; the sandbox knows no such faults of transport. */
export async function startPartnerServer(): Promise<PartnerServer> {
  const requests: ReceivedRequest[] = []
  const behaviours = new Map<CallName, Behaviour>()
  const sockets = new Set<Socket>()
  const callOf = (path: string | undefined) =>
    (Object.keys(CALLS) as CallName[]).find((name) => CALLS[name] === path?.split('?')[0])

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const call = callOf(request.url)
    if (!call) return response.writeHead(404).end()
    requests.push({ call, at: Date.now(), body: JSON.parse(Buffer.concat(chunks).toString()) })
    const behaviour = behaviours.get(call) ?? json(GOOD_RESPONSES[call])
    behaviour(response, request)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    count: (call) => requests.filter((request) => request.call === call).length,
    behave: (call, behaviour) => void behaviours.set(call, behaviour),
    reset() {
      behaviours.clear()
      requests.length = 0
    },
    async stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
