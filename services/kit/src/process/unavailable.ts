import { errorChain, isDatabaseUnavailable } from '../postgres/database.ts'

const CODES = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_SOCKET'])

/** Of ioredis and of the NATS client. */
const NAMES = new Set([
  'MaxRetriesPerRequestError',
  'NoRespondersError',
  'TimeoutError',
  'ConnectionError',
  'ClosedConnectionError',
  'DrainingConnectionError',
])

/**
 * ioredis throws plain errors for these, of which two tell of a wrong password; the last one is the S3 client's for an
 * answer of 429 or 5xx.
 */
const MESSAGE =
  /Connection is closed|enableOfflineQueue|Command timed out|^(LOADING|MASTERDOWN|NOAUTH|WRONGPASS) |Retryable HTTP status/

/** Whether the error, or what caused it, says that the database, Redis, NATS or another service is out of reach. */
export function isUnavailable(error: unknown): boolean {
  if (isDatabaseUnavailable(error)) return true
  // A DOMException is a time limit of our own (AbortSignal.timeout), whatever was waited for.
  return errorChain(error).some(
    (link) =>
      CODES.has(String(link.code)) ||
      (NAMES.has(String(link.name)) && !(link instanceof DOMException)) ||
      MESSAGE.test(String(link.message)),
  )
}
