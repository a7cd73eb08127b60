const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 30_000
/** Users may be absent and a router may need a while: retry this long. */
const GIVE_UP_MS = 30 * 60_000

/** Timers of a hidden page are late by a minute at most; a later one means that the device slept. */
export const ASLEEP_MS = 90_000

/** Why nothing is being sent. */
export type Hold = 'connection' | 'busy' | 'signed-out'

/**
 * The state of the connection for all requests: after a failure all wait, longer each time, and continue together, or
 * immediately when the browser is online again. After a sign-out they wait indefinitely.
 */
export class Connection {
  hold: Hold | null = null
  #failures = 0
  #failingSince = 0
  #heldUntil = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #handlers: { onFree(): void; onGiveUp(): void }

  constructor(handlers: { onFree(): void; onGiveUp(): void }) {
    this.#handlers = handlers
  }

  /** A request failed and a retry may succeed; `afterMs` is the delay that the server requested. */
  failed(why: 'connection' | 'busy', afterMs: number | null = null): void {
    if (this.hold === 'signed-out') return
    const now = Date.now()
    if (this.#failures === 0) this.#failingSince = now
    if (navigator.onLine !== false && now - this.#failingSince > GIVE_UP_MS) {
      clearTimeout(this.#timer)
      this.#failures = 0
      this.hold = null
      this.#handlers.onGiveUp()
      return
    }
    // Parallel requests fail together: that is one failure.
    if (this.hold === null) this.#failures += 1
    const wait = afterMs ?? Math.min(FIRST_WAIT_MS * 2 ** (this.#failures - 1), MAX_WAIT_MS)
    if (this.hold !== null && now + wait <= this.#heldUntil) return
    this.hold = why
    this.#heldUntil = now + wait
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      if (Date.now() - this.#heldUntil > ASLEEP_MS) this.#failingSince = Date.now()
      this.#free()
    }, wait)
  }

  /** Files were stored: earlier failures no longer count. */
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

  /** It was no sign-out: waits as after a failure, so that a contradiction of the server is no endless loop. */
  sessionKept(): void {
    if (this.hold !== 'signed-out') return
    this.hold = null
    this.failed('busy')
  }

  /** The browser is online, or in use again: ends the wait. What failed before a sleep does not count as a long failure. */
  online(): void {
    this.#failingSince = Date.now()
    if (this.hold === 'connection') this.#free()
  }

  /** The user requests a retry: ends the wait and resets its length. It does not affect a sign-out. */
  retryNow(): void {
    this.#failures = 0
    if (this.hold === 'connection' || this.hold === 'busy') this.#free()
  }

  #free(): void {
    clearTimeout(this.#timer)
    this.hold = null
    this.#handlers.onFree()
  }
}
