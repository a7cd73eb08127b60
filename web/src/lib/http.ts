/** The error model of all services. */
export interface ErrorBody {
  /** Machine-readable kind of error. */
  code: string
  /** A sentence for the user. */
  message: string
  /** A sentence by name of the field. */
  fields?: Record<string, string>
  /** One sentence for each problem. */
  issues?: string[]
}

/** A call that failed. Its message is the status, a colon and the body's text; status 0 means that no answer came. */
export class ApiError extends Error {
  readonly status: number
  /** The parsed error model, null when the answer was something else. */
  readonly body: ErrorBody | null
  /** Seconds before which the server wants no other try; 0 when it named none. */
  readonly retryAfter: number

  constructor(status: number, text: string, body: ErrorBody | null, retryAfter = 0) {
    super(`${status}: ${text}`)
    this.name = 'ApiError'
    this.status = status
    this.body = body
    this.retryAfter = retryAfter
  }
}

/** The error model in a response's text, or null. */
export function parseErrorBody(text: string): ErrorBody | null {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string') {
      return body as ErrorBody
    }
  } catch {
    // Not JSON: the text itself is all there is.
  }
  return null
}

async function toError(response: Response): Promise<ApiError> {
  const text = (await response.text()) || response.statusText
  // The gateway names seconds, never a date.
  const retryAfter = Math.max(0, Number(response.headers.get('retry-after')) || 0)
  return new ApiError(response.status, text, parseErrorBody(text), retryAfter)
}

export const UNREACHABLE = 'The server could not be reached. Check your connection and try again.'

/** What a notice says about an error: the sentence that the server wrote for the user, where there is one. */
export function errorMessage(error: unknown, fallback = 'Something went wrong. Please try again.'): string {
  if (!(error instanceof ApiError)) return fallback
  if (error.body) return error.body.message
  return error.status === 0 ? UNREACHABLE : error.message
}

/** True when the same call may succeed later: no answer came, the server was busy, or it failed. */
export function isRetryable(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true
  return error.status === 0 || error.status === 429 || error.status >= 500
}

/** True when the server answered with this status. */
export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status
}

interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** A form is sent as it is, anything else as JSON. */
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

/**
 * Calls the API with the user's cookies and answers the parsed JSON (undefined for an empty answer).
 * The browser's cache revalidates by ETag. Throws ApiError for every failure but an abort.
 */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return parse<T>(await call(path, options))
}

/** Reads a file. */
export async function requestFile(path: string): Promise<Blob> {
  return (await call(path, {})).blob()
}

/** One page of a list: `next` is the path of the page after it, null for the last. */
export interface Page<T> {
  items: T[]
  total: number
  next: string | null
}

/** Reads a page of a list: its total and its cursor travel in X-Total-Count and Link. */
export async function requestPage<T>(path: string, options: RequestOptions = {}): Promise<Page<T>> {
  const response = await call(path, options)
  const items = await parse<T[]>(response)
  return {
    items,
    total: Number(response.headers.get('x-total-count') ?? items.length),
    next: /<([^>]+)>;\s*rel="?next"?/.exec(response.headers.get('link') ?? '')?.[1] ?? null,
  }
}

async function call(path: string, options: RequestOptions): Promise<Response> {
  const { method = 'GET', body, headers, signal } = options
  const isJson = body !== undefined && !(body instanceof FormData)
  const response = await fetch(path, {
    method,
    credentials: 'include',
    cache: method === 'GET' ? 'no-cache' : 'default',
    headers: isJson ? { 'content-type': 'application/json', ...headers } : headers,
    body: isJson ? JSON.stringify(body) : (body as FormData | undefined),
    signal,
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError(0, UNREACHABLE, null)
  })
  if (!response.ok) throw await toError(response)
  return response
}

async function parse<T>(response: Response): Promise<T> {
  const text = await response.text()
  return (text === '' ? undefined : JSON.parse(text)) as T
}
