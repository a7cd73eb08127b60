const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 30_000
/** Nobody is there to press Retry: a router may need a while. */
const GIVE_UP_MS = 30 * 60_000

/** Why nothing is sent just now. */
export type Hold = 'connection' | 'busy' | 'signed-out'

/**
 * One view of the way to the server for all requests: after a failure all wait, longer each time, and go on together;
 * at once when the browser comes online again. A signed-out user is waited for without end.
 */
export class Connection {
  hold: Hold | null = null
  #failures = 0
  #failingSince = 0
  #heldUntil = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #onFree: () => void
  readonly #onGiveUp: () => void

  constructor(handlers: { onFree: () => void; onGiveUp: () => void }) {
    this.#onFree = handlers.onFree
    this.#onGiveUp = handlers.onGiveUp
  }

  /** A request failed in a way that another try may mend; `afterMs` is what the server asks to wait. */
  failed(why: 'connection' | 'busy', afterMs: number | null = null): void {
    if (this.hold === 'signed-out') return
    const now = Date.now()
    if (this.#failures === 0) this.#failingSince = now
    if (navigator.onLine !== false && now - this.#failingSince > GIVE_UP_MS) {
      this.reset()
      this.#onGiveUp()
      return
    }
    // Requests that run side by side fail together: that is one failure.
    if (this.hold === null) this.#failures += 1
    const wait = afterMs ?? Math.min(FIRST_WAIT_MS * 2 ** (this.#failures - 1), MAX_WAIT_MS)
    if (this.hold !== null && now + wait <= this.#heldUntil) return
    this.hold = why
    this.#heldUntil = now + wait
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#free(), wait)
  }

  /** Files have arrived: whatever failed before is over. */
  succeeded(): void {
    this.#failures = 0
  }

  signedOut(): void {
    clearTimeout(this.#timer)
    this.hold = 'signed-out'
  }

  signedIn(): void {
    if (this.hold === 'signed-out') this.#free()
  }

  /** The browser has found a network: the waiting ends. */
  online(): void {
    if (this.hold === 'connection') this.#free()
  }

  /** The user asks for another try: the waiting ends, and the next one is short again. Nobody is signed in by that. */
  retryNow(): void {
    this.#failures = 0
    if (this.hold === 'connection' || this.hold === 'busy') this.#free()
  }

  /** Forgets everything, without calling anybody. */
  reset(): void {
    clearTimeout(this.#timer)
    this.#failures = 0
    this.hold = null
  }

  #free(): void {
    clearTimeout(this.#timer)
    this.hold = null
    this.#onFree()
  }
}
