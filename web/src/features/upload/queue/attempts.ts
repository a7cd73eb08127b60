import { type Failure, NO_RESPONSE } from './failure.ts'

/** After this many attempts, each after a successful request, a part or a request is given up. */
export const MAX_ATTEMPTS = 6
/** So many attempts by a signed URL: the parts go through the gateway for the rest of the visit. */
export const MAX_DIRECT_ATTEMPTS = 2
/** So often the server may say that it has other parts than its list says: each time some are sent again. */
export const MAX_COMPLETIONS = 3
/** So many attempts while nothing of the file is stored: its parts are too large for this connection. */
const MAX_FIRST_ATTEMPTS = 3
/** Between two questions whether another request has done the same, and how many of them there are: half an hour. */
const MAX_REST_MS = 30_000
const MAX_RESTS = 60

/** What is attempted: to send a part, by its number, or a request about the whole upload session. */
type Attempted = number | 'session'

/** Counts the failed attempts of a file. */
export class Attempts {
  readonly #breaks = new Map<Attempted, number>()
  readonly #refusals = new Map<Attempted, number>()
  readonly #rests = new Map<Attempted, number>()

  /** A failed attempt; returns how many of its cause there were. */
  failed(what: Attempted, failure: Failure): number {
    const counts = breaksConnection(failure) ? this.#breaks : this.#refusals
    const count = (counts.get(what) ?? 0) + 1
    counts.set(what, count)
    return count
  }

  /** The connection carries parts: that it broke before says nothing. What a server has refused, it may refuse each time. */
  forgetBreaks(): void {
    this.#breaks.clear()
  }

  /** The time until the next question whether another request has done the same; null when it was asked too often. */
  restMs(what: Attempted, wantedMs: number): number | null {
    const rests = (this.#rests.get(what) ?? 0) + 1
    this.#rests.set(what, rests)
    if (rests > MAX_RESTS) return null
    return Math.max(wantedMs, Math.min(1000 * 2 ** rests, MAX_REST_MS))
  }
}

/** What follows after so many failed attempts of a part: another one, smaller parts, or the end with a reason. */
export function nextStep(
  file: { canBeSmaller: boolean; stored: number },
  failure: Failure,
  attempts: number,
): 'retry' | 'cut' | { reason: string } {
  if (breaksConnection(failure) && file.canBeSmaller) {
    // What is stored is given up only when nothing else helps.
    return attempts >= (file.stored > 0 ? MAX_ATTEMPTS : MAX_FIRST_ATTEMPTS) ? 'cut' : 'retry'
  }
  if (attempts < MAX_ATTEMPTS) return 'retry'
  return { reason: 'reason' in failure ? failure.reason : NO_RESPONSE.reason }
}

/** True for failures that a server has not caused. */
export function breaksConnection(failure: Failure): boolean {
  return failure.kind === 'retryable' && failure.why === 'connection'
}
