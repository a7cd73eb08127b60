import { ApiError, concernsSession } from '../../../lib/http.ts'

export const ERROR_TEXTS = {
  network: 'A network error occurred during upload',
  unreadable: 'The server response could not be understood',
  other: 'An error occurred during upload',
}

/** The server no longer has what was stored of a file. */
export const LOST =
  'What was stored of a photo was discarded while it was being uploaded here, for example on another device. It is sent again from the beginning.'

/** A photo could not be made of what is stored, and the file is not at hand. */
export const NEEDS_FILE = 'The upload could not be finished without the file. Choose it again.'

export const UNREADABLE = 'The file has changed or can no longer be read. Choose it again.'

export const CHANGED = 'The file has changed while it was being uploaded. Choose it again.'

/** The code of an error that says that a signed URL is no longer valid. */
export const URL_EXPIRED = 'url_expired'
/** Of errors that say that another request, perhaps of another device, does the same. */
const TAKEN = new Set(['part_superseded', 'upload_busy'])
/** No response, or one of a server that the request did not reach in time (408) or too early (425). */
const NOT_ARRIVED = new Set([0, 408, 425])
/** The sentence of a server that does not know the address. During an update the request may have met one of an earlier release. */
const NO_ROUTE = /^There is nothing at /
/** When the server does not say when to ask again. */
const TAKEN_MS = 2_000

/** What a failed request means for the upload. `afterMs`: the delay that the server requested. */
export type Failure =
  /** The same request can succeed later: there was no response, the server is busy, or it failed. */
  | { kind: 'retryable'; why: 'connection' | 'busy' | 'broken'; reason: string; afterMs: number | null }
  | { kind: 'signed-out' }
  /** The server has no room for anybody's files: sending others makes no sense. */
  | { kind: 'store-full'; reason: string }
  /** The upload session does not exist any more, or is in another state. */
  | { kind: 'closed'; reason: string }
  | { kind: 'url-expired' }
  /** Another request sends the same part, or completes the same upload session. That says nothing about other parts and files. */
  | { kind: 'taken'; reason: string; afterMs: number }
  /** The bytes are not those that were announced. */
  | { kind: 'changed' }
  /** The file itself: the server does not accept it, it does not fit into the user's storage, or anything else. */
  | { kind: 'no-room' | 'failed'; reason: string }
  /** `isTooLarge`: the request was. */
  | { kind: 'rejected'; reason: string; isTooLarge: boolean }

export function failureOf(error: unknown): Failure {
  if (!(error instanceof ApiError)) return { kind: 'failed', reason: ERROR_TEXTS.unreadable }
  const { status, body } = error
  if (NOT_ARRIVED.has(status)) {
    return { kind: 'retryable', why: 'connection', reason: ERROR_TEXTS.network, afterMs: null }
  }
  if (concernsSession(error)) return { kind: 'signed-out' }
  const reason = body?.message ?? ERROR_TEXTS.other
  const afterMs = error.retryAfter > 0 ? error.retryAfter * 1000 : null
  const isUnknownRoute = status === 404 && (!body || NO_ROUTE.test(body.message))
  if (status === 507) return { kind: 'store-full', reason }
  if (body && TAKEN.has(body.code)) return { kind: 'taken', reason, afterMs: afterMs ?? TAKEN_MS }
  if ([429, 502, 503, 504].includes(status)) return { kind: 'retryable', why: 'busy', reason, afterMs }
  if (status >= 500) return { kind: 'retryable', why: 'broken', reason, afterMs }
  if (isUnknownRoute) return { kind: 'retryable', why: 'busy', reason: ERROR_TEXTS.other, afterMs }
  if (body?.code === URL_EXPIRED) return { kind: 'url-expired' }
  if (status === 422) return { kind: 'changed' }
  if (status === 404 || status === 409) return { kind: 'closed', reason }
  const issue = body?.issues?.length === 1 ? (body.issues[0] ?? reason) : reason
  if (body?.code === 'quota_exceeded') return { kind: 'no-room', reason: issue }
  if ([400, 413, 415].includes(status)) return { kind: 'rejected', reason: issue, isTooLarge: status === 413 }
  return { kind: 'failed', reason: issue }
}

/** After this many attempts, each after a successful request, a part or a request is given up. */
export const MAX_ATTEMPTS = 6
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

/** True for failures that a server has not caused. */
export function breaksConnection(failure: Failure): boolean {
  return failure.kind === 'retryable' && failure.why === 'connection'
}

export function reasonOf(failure: Failure): string {
  return 'reason' in failure ? failure.reason : ERROR_TEXTS.other
}
