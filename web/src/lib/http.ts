import { isEmbedded } from './served-page.ts'

/** The error model of all services. */
export interface ErrorBody {
  /** Machine-readable kind of error. */
  code: string
  /** A sentence for the user. */
  message: string
  /** Messages by field name. */
  fields?: Record<string, string>
  /** One sentence for each problem. */
  issues?: string[]
}

/**
 * A failed request. Its message is the status, a colon and the body's text; status 0 means that there was no response.
 */
export class ApiError extends Error {
  readonly status: number
  /** The parsed error model, or null for another body. */
  readonly body: ErrorBody | null
  /** The server's minimum delay of a retry in seconds; 0 if it set none. */
  readonly retryAfter: number

  constructor(status: number, text: string, body: ErrorBody | null, retryAfter = 0) {
    super(`${status}: ${text}`)
    this.name = 'ApiError'
    this.status = status
    this.body = body
    this.retryAfter = retryAfter
  }
}

/** The error model in a response body, or null. */
export function parseErrorBody(text: string): ErrorBody | null {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string') {
      return body as ErrorBody
    }
  } catch {
    // Not JSON: callers use the text itself.
  }
  return null
}

async function toError(response: Response): Promise<ApiError> {
  const text = (await response.text().catch(toUnreachable)) || response.statusText
  // The gateway sends seconds, never a date.
  const retryAfter = Math.max(0, Number(response.headers.get('retry-after')) || 0)
  return new ApiError(response.status, text, parseErrorBody(text), retryAfter)
}

export const UNREACHABLE = 'The server could not be reached. Check your connection and try again.'

/** The text for the user about an error: the server's message if there is one. */
export function errorMessage(error: unknown, fallback = 'Something went wrong. Please try again.'): string {
  if (!(error instanceof ApiError)) return fallback
  if (error.body) return error.body.message
  return error.status === 0 ? UNREACHABLE : error.message
}

/** True when the same request may succeed later: there was no response, the server was busy, or it failed. */
export function isRetryable(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true
  return error.status === 0 || error.status === 429 || error.status >= 500
}

/** True for a response with this status. */
export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status
}

/** True for a response with this code of the error model. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof ApiError && error.body?.code === code
}

/** True for an error about the session: it has ended, or its account is being deleted. */
export function concernsSession(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 401 || error.body?.code === 'account_deleting')
}

function toUnreachable(error: unknown): never {
  if (error instanceof DOMException && error.name === 'AbortError') throw error
  throw new ApiError(0, UNREACHABLE, null)
}

/** The JSON of a response; undefined without a body. A connection that ends before it is there has not reached the server. */
export async function jsonOf(response: Response) {
  const text = await response.text().catch(toUnreachable)
  return text === '' ? undefined : JSON.parse(text)
}

export interface RequestOptions {
  method?: string
  /** Form data is sent as it is, everything else as JSON. */
  body?: unknown
  headers?: Record<string, string>
  /** By default the user's cookies are sent. */
  credentials?: RequestCredentials
  signal?: AbortSignal
}

/** In a frame of another site the server sets only the cookie of the voter. */
const EMBED_HEADERS = isEmbedded && { 'x-embed': 'true' }

/**
 * Sends a request. The browser's cache revalidates by ETag. Throws ApiError for every failure except an abort.
 * Operations of the API are called by `api` (api/client.ts), which knows their types.
 */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  const { method = 'get', body, headers, credentials = 'include', signal } = options
  const isJson = body !== undefined && !(body instanceof FormData)
  const response = await fetch(path, {
    method: method.toUpperCase(),
    credentials,
    cache: method === 'get' ? 'no-cache' : 'default',
    headers: { ...EMBED_HEADERS, ...(isJson && { 'content-type': 'application/json' }), ...headers },
    body: isJson ? JSON.stringify(body) : (body as FormData | undefined),
    signal,
  }).catch(toUnreachable)
  if (!response.ok) throw await toError(response)
  return response
}
