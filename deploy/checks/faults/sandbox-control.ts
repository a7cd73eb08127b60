/** A fault as the control API of the partner sandbox takes it. */
export interface SandboxFault {
  fault: string
  route?: 'products' | 'stores' | 'coupon' | 'submit' | 'status'
  times?: number
  /** Of each request to be hit. */
  probability?: number
  when?: 'before' | 'after'
  /** `connection-refused`: how long. */
  seconds?: number
  /** `slow`: how long. */
  ms?: number
  code?: string
  text?: string
}

/** An order at the partner sandbox. */
export interface SandboxOrder {
  vendorOrderId: string
  customer: { email: string }
  stage: string
  orderStatus: string
}

/** The control API of the partner sandbox (deploy/partner-sandbox). */
export interface SandboxControl {
  addFault(fault: SandboxFault): Promise<void>
  /** How many faults have not hit yet. */
  waitingFaults(): Promise<number>
  clearFaults(): Promise<void>
  orders(): Promise<SandboxOrder[]>
  advance(hours: number): Promise<void>
  changeProfile(affiliateId: string, changes: object): Promise<void>
}

const TIMEOUT_MS = 40_000
const MOST_ORDERS = 100_000

export function sandboxControl(controlUrl: string, key: string): SandboxControl {
  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(controlUrl + path, {
      method,
      ...(body && { body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`the sandbox answered ${method} ${path} with ${response.status}: ${text}`)
    return (text ? JSON.parse(text) : undefined) as T
  }
  return {
    addFault: (fault) => call('POST', '/faults', fault),
    waitingFaults: async () => (await call<unknown[]>('GET', '/faults')).length,
    clearFaults: () => call('DELETE', '/faults'),
    orders: () => call('GET', `/orders?limit=${MOST_ORDERS}`),
    advance: (advanceHours) => call('POST', '/clock', { advanceHours }),
    changeProfile: (affiliateId, changes) => call('PATCH', `/profiles/${affiliateId}`, changes),
  }
}
