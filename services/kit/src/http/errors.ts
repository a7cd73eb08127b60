import { Type } from 'typebox'
import { STORAGE_FULL } from '../process/storage-full.ts'

interface Extra {
  code?: string
  issues?: string[]
  fields?: Record<string, string>
  /** Seconds after which a retry makes sense; sent as Retry-After. */
  retryAfter?: number
  /** The name of the limit that was reached, for metrics and logs. */
  limit?: string
  cause?: unknown
}

/** The body of every error response. */
export const ErrorBody = Type.Object({
  code: Type.String({ description: 'Machine-readable kind of error' }),
  message: Type.String({ description: 'A sentence for the user' }),
  issues: Type.Optional(Type.Array(Type.String(), { description: 'One sentence for each problem' })),
  fields: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'A sentence by name of field' })),
})

/** The error responses in the schema of a route. */
export const errorResponses = { '4xx': ErrorBody, '5xx': ErrorBody }

const ErrorBodyWithField = Type.Object({
  ...ErrorBody.properties,
  error: Type.String({ description: 'The message again' }),
})

/** The error responses of a route below one of the server's `errorFieldPaths`. */
export const errorFieldResponses = { '4xx': ErrorBodyWithField, '5xx': ErrorBodyWithField }

/** An error for the user: its message is a sentence for them. */
export class AppError extends Error {
  override name = 'AppError'
  status: number
  code: string
  issues?: string[]
  fields?: Record<string, string>
  retryAfter?: number
  limit?: string

  constructor(status: number, code: string, message: string, extra: Extra = {}) {
    super(message, { cause: extra.cause })
    this.status = status
    this.code = extra.code ?? code
    this.issues = extra.issues
    this.fields = extra.fields
    this.retryAfter = extra.retryAfter
    this.limit = extra.limit
  }

  /** The error as the body of a response. */
  toBody(): { code: string; message: string; issues?: string[]; fields?: Record<string, string> } {
    return {
      code: this.code,
      message: this.message,
      ...(this.issues && { issues: this.issues }),
      ...(this.fields && { fields: this.fields }),
    }
  }
}

/** 400 */
export function badRequest(message: string, extra?: Extra): AppError {
  return new AppError(400, 'bad_request', message, extra)
}

/** 400: the client left before its request was complete. Its response is for nobody. */
export function requestCutOff(): AppError {
  return badRequest('The request was cut off.')
}

/** 400: a list does not continue there. */
export function cursorInvalid(): AppError {
  return badRequest('The cursor is not valid.')
}

/** 400 with a sentence for each field; the message is the first of them unless given. */
export function invalidFields(fields: Record<string, string>, message?: string): AppError {
  const first = Object.values(fields)[0] ?? 'Some fields are not valid.'
  return new AppError(400, 'invalid_fields', message ?? first, { fields })
}

/** 401: without a session. */
export function unauthenticated(message = 'Please log in.'): AppError {
  return new AppError(401, 'unauthenticated', message)
}

/** 403 */
export function forbidden(message = 'You are not allowed to do this.'): AppError {
  return new AppError(403, 'forbidden', message)
}

/** 404 */
export function notFound(message = 'There is nothing here.'): AppError {
  return new AppError(404, 'not_found', message)
}

/** 404: what a deleted user would add is stored nowhere. */
export function accountDeleted(): AppError {
  return notFound('This account was deleted.')
}

/** 408: the client sends its request too slowly. */
export function requestTimeout(
  message = 'The request took too long to arrive. Please check your connection and try again.',
): AppError {
  return new AppError(408, 'request_timeout', message)
}

/** 409 */
export function conflict(message: string, code = 'conflict'): AppError {
  return new AppError(409, code, message)
}

/** 409: the deletion of the account cannot be revoked any more. */
export function accountErasing(): AppError {
  return conflict('This account is being deleted.', 'account_erasing')
}

/** 413 */
export function payloadTooLarge(message = 'The request is too large.', issues?: string[]): AppError {
  return new AppError(413, 'payload_too_large', message, { issues })
}

/** 415 */
export function unsupportedMediaType(message: string, issues?: string[]): AppError {
  return new AppError(415, 'unsupported_media_type', message, { issues })
}

/**
 * 429; `retryAfter` in seconds.
 * @param limit name of the limit that was reached, as metrics and logs have it: what is limited, then of whom
 */
export function tooManyRequests(message: string, retryAfter: number, limit: string): AppError {
  return new AppError(429, 'too_many_requests', message, { retryAfter, limit })
}

/** 507: the disk or store is full, or nearly, and keeps what it has. */
export function insufficientStorage(
  message = 'There is no room to store this at the moment. What is stored already is safe. Please try again later.',
): AppError {
  return new AppError(507, STORAGE_FULL, message)
}

/**
 * 503; `retryAfter` in seconds.
 * @param limit of what the client's network, or all together, have too much at once: named as by `tooManyRequests`
 */
export function unavailable(
  message = 'The service is temporarily unavailable. Please try again in a moment.',
  retryAfter = 5,
  limit?: string,
): AppError {
  return new AppError(503, 'unavailable', message, { retryAfter, ...(limit && { limit }) })
}
