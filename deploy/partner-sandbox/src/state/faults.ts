export const ROUTES = ['creds', 'products', 'stores', 'coupon', 'submit', 'status'] as const
export type Route = (typeof ROUTES)[number]

/** Faults that change what is sent, or whether, instead of its content; a request has at most one of them. */
const RESPONSE_FAULTS = [
  ...(['reset', 'hang', 'http-429', 'http-500', 'http-502', 'http-503', 'html', 'empty-body'] as const),
  ...(['truncated-json', 'broken-body', 'commit-then-drop', '112', '659', '661', '2003', '851', 'error'] as const),
] as const
const OTHER_FAULTS = [
  ...(['connection-refused', 'slow', 'expired-sas', 'empty-store-list', 'promise-time-changed'] as const),
  ...(['price-change', 'null-fields', 'number-fields', 'extra-fields', 'no-order-number'] as const),
  ...(['printer-down', 'never-collected', 'unknown-status', 'missing-ids'] as const),
] as const

/** What can be made to go wrong. */
export const FAULTS = [...RESPONSE_FAULTS, ...OTHER_FAULTS]
export type FaultName = (typeof FAULTS)[number]

/** The route that a fault applies to unless it names another; the others apply to all. */
const USUAL_ROUTES: Partial<Record<FaultName, Route>> = {
  'commit-then-drop': 'submit',
  '661': 'coupon',
  'expired-sas': 'creds',
  'empty-store-list': 'stores',
  'promise-time-changed': 'stores',
  'no-order-number': 'submit',
  'printer-down': 'submit',
  'never-collected': 'submit',
  'unknown-status': 'status',
  'missing-ids': 'status',
}

const isResponseFault = ({ fault }: Fault) => RESPONSE_FAULTS.some((name) => name === fault)

/** By default these replace the response to a request that was executed. */
const AFTER_BY_DEFAULT: readonly FaultName[] = ['truncated-json', 'broken-body', 'empty-body', 'commit-then-drop']

export interface FaultRequest {
  fault: FaultName
  route?: Route | '*'
  /** How many requests it hits; null or absent: until it is deleted. */
  times?: number | null
  probability?: number
  /** Whether the request is executed before: on submit, `after` means that the order exists. */
  when?: 'before' | 'after'
  /** `connection-refused`: how long. Absent: until it is deleted. */
  seconds?: number
  /** `slow`: delay. */
  ms?: number
  /** `error`: its code. */
  code?: string
  /** Text of an error or of an unknown status; may be empty for an error. */
  text?: string
  /** `promise-time-changed`: how much later. */
  minutes?: number
  /** `price-change`. */
  percent?: number
  /** `null-fields`: their names. */
  fields?: string[]
  /** `missing-ids`: how many. */
  count?: number
  /** `http-429`: value of the header. */
  retryAfter?: number
}

export interface Fault extends FaultRequest {
  id: number
  route: Route | '*'
  times: number | null
  probability: number
  when: 'before' | 'after'
}

export class Faults {
  #faults: Fault[] = []
  #lastId = 0
  onChange: () => void = () => {}

  list(): Fault[] {
    return [...this.#faults]
  }

  add(request: FaultRequest): Fault {
    const { fault } = request
    const added: Fault = {
      ...request,
      id: ++this.#lastId,
      route: request.route ?? USUAL_ROUTES[fault] ?? '*',
      times: request.times ?? null,
      probability: request.probability ?? 1,
      when: request.when ?? (AFTER_BY_DEFAULT.includes(fault) ? 'after' : 'before'),
    }
    this.#faults.push(added)
    if (fault === 'connection-refused' && request.seconds !== undefined) {
      setTimeout(() => this.remove(added.id), request.seconds * 1000).unref()
    }
    this.onChange()
    return added
  }

  /** @returns whether it existed */
  remove(id: number): boolean {
    const existed = this.#faults.some((fault) => fault.id === id)
    this.#faults = this.#faults.filter((fault) => fault.id !== id)
    this.onChange()
    return existed
  }

  clear(): void {
    this.#faults = []
    this.onChange()
  }

  get refusesConnections(): boolean {
    return this.#faults.some(({ fault }) => fault === 'connection-refused')
  }

  /** The faults that hit this request; counts them. */
  take(route: Route): TakenFaults {
    const taken: Fault[] = []
    for (const fault of [...this.#faults]) {
      if (fault.fault === 'connection-refused' || (fault.route !== '*' && fault.route !== route)) continue
      if (isResponseFault(fault) && taken.some(isResponseFault)) continue
      if (this.#hits(fault)) taken.push(fault)
    }
    return new TakenFaults(taken)
  }

  #hits(fault: Fault): boolean {
    if (Math.random() >= fault.probability) return false
    if (fault.times !== null && --fault.times <= 0) this.remove(fault.id)
    return true
  }
}

/** The faults that hit one request. */
export class TakenFaults {
  readonly all: Fault[]

  constructor(all: Fault[]) {
    this.all = all
  }

  get(name: FaultName): Fault | undefined {
    return this.all.find(({ fault }) => fault === name)
  }

  /** The one that replaces the response. */
  responseFault(when: 'before' | 'after'): Fault | undefined {
    return this.all.find((fault) => isResponseFault(fault) && fault.when === when)
  }
}
