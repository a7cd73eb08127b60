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

/** Counts the failed attempts of a file: by the number of the part, or 0 for the file as a whole. */
export class Attempts {
  readonly #breaks = new Map<number, number>()
  readonly #refusals = new Map<number, number>()
  readonly #rests = new Map<number, number>()

  /** A failed attempt; returns how many of its cause there were. */
  failed(number: number, failure: Failure): number {
    const counts = breaksConnection(failure) ? this.#breaks : this.#refusals
    const count = (counts.get(number) ?? 0) + 1
    counts.set(number, count)
    return count
  }

  /** The connection carries parts: that it broke before says nothing. What a server has refused, it may refuse each time. */
  forgetBreaks(): void {
    this.#breaks.clear()
  }

  /** The time until the next question whether another request has done the same; null when it was asked too often. */
  restMs(number: number, wantedMs: number): number | null {
    const rests = (this.#rests.get(number) ?? 0) + 1
    this.#rests.set(number, rests)
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
