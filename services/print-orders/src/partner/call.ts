import { Value as Schema } from 'typebox/value'
import { Envelope, textOf } from './fields.ts'
import type { Exchange } from './transport.ts'
import type { ReadOutcome } from './types.ts'

export type CallName = 'credentials' | 'products' | 'stores' | 'coupon' | 'submit' | 'status'

/** One call of the partner's API: its request and how its response is read. */
export interface Call<Value> {
  name: CallName
  path: string
  /** Body of the request without the fields that all calls have. */
  body: object
  /** The usable part of a response without an error code; null when there is none. */
  read(response: unknown): Value | null
  /** Whether a response with an error code contradicts itself. */
  isContradictory?(response: unknown): boolean
}

/** Values of the code that mean success, beside an empty text. */
const NO_ERROR = /^(0|false)$/i

const failed = (kind: 'http' | 'unreadable', status: number, retryAfterMs?: number) =>
  ({ outcome: 'failed', kind, status, ...(retryAfterMs !== undefined && { retryAfterMs }) }) as const

/** A 429 is the partner's own if it has an error code or Retry-After. Any other may be from a proxy that sent the request on. */
function rateLimited(response: unknown, retryAfterMs?: number) {
  const isOwn = retryAfterMs !== undefined || errorCodeOf(response) !== null
  const fields = { ...(isOwn && { isRejection: true }), ...(retryAfterMs !== undefined && { retryAfterMs }) }
  return { outcome: 'failed', kind: 'rate_limited', status: 429, ...fields } as const
}

/** What an exchange with the partner means. Secrets that it sends back are replaced in all texts. */
export function interpret<Value>(call: Call<Value>, exchange: Exchange, secrets: string[]): ReadOutcome<Value> {
  if (exchange.kind !== 'response') return { outcome: 'failed', kind: exchange.kind }
  const { status, text, retryAfterMs } = exchange
  // 408 says nothing about what became of the request either.
  const isSilent = status >= 500 || (status >= 300 && status < 400) || status === 408
  if (isSilent) return failed('http', status, retryAfterMs)
  const response = parse(text, secrets)
  if (status === 429) return rateLimited(response, retryAfterMs)
  if (!Schema.Check(Envelope, response)) return failed(status >= 400 ? 'http' : 'unreadable', status)
  const code = errorCodeOf(response)
  if (code !== null) {
    if (call.isContradictory?.(response)) return failed('unreadable', status)
    return { outcome: 'error', code, words: textOf(response.errDesc) ?? '', status: textOf(response.status) }
  }
  if (status >= 400) return failed('http', status)
  const value = call.read(response)
  return value === null ? failed('unreadable', status) : { outcome: 'ok', value }
}

function errorCodeOf(response: unknown): string | null {
  return Schema.Check(Envelope, response) ? (codeOf(response.err) ?? codeOf(response.errCode)) : null
}

function codeOf(value: unknown): string | null {
  const code = textOf(value)
  return code === null || NO_ERROR.test(code) ? null : code
}

function parse(text: string, secrets: string[]): unknown {
  const hide = (value: string) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '[hidden]'), value)
  try {
    return JSON.parse(text, (_key, value, { source }: { source?: string } = {}) => {
      if (typeof value === 'string') return hide(value)
      // Larger numbers lose digits: an order number must stay as the partner wrote it.
      return typeof value === 'number' && !Number.isSafeInteger(value) && /^\d+$/.test(source ?? '') ? source : value
    })
  } catch {
    return undefined
  }
}
