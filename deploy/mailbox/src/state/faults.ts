export const REPLIES = ['busy', 'reject', 'drop-after-data', 'hang', 'connection-refused'] as const
export type Reply = (typeof REPLIES)[number]

export interface FaultRequest {
  reply: Reply
  /** Every n-th message; absent: each. Attempts count, so that a message that is sent again counts again. */
  every?: number
  /** How many messages it hits; absent: until it is deleted. */
  times?: number
  /** Messages to this address alone hit and count. */
  to?: string
  /** What `busy` (451) and `reject` (550) answer; 421 closes the connection. */
  code?: number
  /** When `busy` and `reject` answer: after the recipient, or after the content. */
  at?: 'recipient' | 'content'
}

export interface Fault extends FaultRequest {
  every: number
  /** How many messages it has seen, and how many of them it has hit. */
  seen: number
  hits: number
}

const USUAL_CODES: Partial<Record<Reply, number>> = { busy: 451, reject: 550 }

/** What goes wrong at present: one fault, or none. */
export class Faults {
  #fault: Fault | undefined
  readonly #listeners: (() => void)[] = []

  get current(): Fault | undefined {
    return this.#fault
  }

  get refusesConnections(): boolean {
    return this.#fault?.reply === 'connection-refused'
  }

  /** Replaces the fault; its counts begin anew. @throws Error about a wrong code */
  set(request: FaultRequest): Fault {
    checkCode(request)
    const code = request.code ?? USUAL_CODES[request.reply]
    this.#fault = { ...request, every: request.every ?? 1, ...(code && { code }), seen: 0, hits: 0 }
    this.#notify()
    return this.#fault
  }

  clear(): void {
    this.#fault = undefined
    this.#notify()
  }

  /** The fault that hits a message to this recipient; counts the message. */
  take(recipient: string): Fault | undefined {
    const fault = this.#fault
    if (!fault || fault.reply === 'connection-refused') return undefined
    if (fault.to && fault.to.toLowerCase() !== recipient.toLowerCase()) return undefined
    if (fault.times !== undefined && fault.hits >= fault.times) return undefined
    if (++fault.seen % fault.every !== 0) return undefined
    fault.hits++
    return fault
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}

function checkCode({ reply, code }: FaultRequest): void {
  if (code === undefined) return
  const usual = USUAL_CODES[reply]
  if (usual === undefined) throw new Error(`${reply} has no code.`)
  if (Math.floor(code / 100) === Math.floor(usual / 100)) return
  throw new Error(`The code of ${reply} is like ${usual}.`)
}
