import type { FaultRequest } from '../../../deploy/partner-sandbox/src/state/faults.ts'

/** An order as the sandbox has it. */
export interface SandboxOrder {
  vendorOrderId: string
  storeNum: string
  affNotes: string
  promiseTime: string
  couponCode: string
  customer: { firstName: string; lastName: string; phone: string; email: string }
  items: { productId: string; url: string; quantity: number }[]
  imageCount: number
  total: string
}

/** The control API of the partner's sandbox. */
export interface SandboxControl {
  url: string
  orders(): Promise<SandboxOrder[]>
  ordersOf(lastName: string): Promise<SandboxOrder[]>
  addFault(fault: FaultRequest): Promise<void>
  clearFaults(): Promise<void>
  changeProfile(profile: Record<string, unknown>): Promise<void>
  setStatus(vendorOrderId: string, status: string | null): Promise<void>
  /** Sets the clock to the morning in Duluth: what a store promises depends on its hours. */
  turnClockToMorning(): Promise<void>
  /** Requests that arrived, by call. */
  counts(): Promise<Record<string, number>>
}

export function controlOf(url: string, controlUrl: string): SandboxControl {
  async function send(method: string, path: string, body?: unknown): Promise<Response> {
    const response = await fetch(controlUrl + path, {
      method,
      ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response
  }
  const orders = async () => (await send('GET', '/orders?limit=1000')).json() as Promise<SandboxOrder[]>
  return {
    url,
    orders,
    ordersOf: async (lastName) => (await orders()).filter(({ customer }) => customer.lastName === lastName),
    addFault: async (fault) => void (await send('POST', '/faults', fault)),
    clearFaults: async () => void (await send('DELETE', '/faults')),
    changeProfile: async (profile) => void (await send('PATCH', '/profiles/sandbox-affiliate', profile)),
    setStatus: async (id, status) => void (await send('POST', `/orders/${id}/status`, { status })),
    turnClockToMorning: async () =>
      void (await send('POST', '/clock', { now: `${new Date().toISOString().slice(0, 10)}T16:00:00.000Z` })),
    counts: async () => ((await (await send('GET', '/stats')).json()) as { requests: Record<string, number> }).requests,
  }
}
