import { errorChain, isDatabaseUnavailable } from '../postgres/database.ts'
import { isStorageFull } from './storage-full.ts'

/** Those of Node's HTTP client, and of our own 503: another service responded, and lacks what it needs itself. */
const CODES = new Set([
  ...['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_SOCKET'],
  'unavailable',
])

/** Error names of ioredis and of the NATS client. */
const NAMES = new Set([
  'MaxRetriesPerRequestError',
  'NoResponders',
  'TimeoutError',
  'ConnectionError',
  'ClosedConnectionError',
  'DrainingConnectionError',
])

/**
 * Messages of plain errors: those of ioredis, of which two mean a wrong password; the last one is the S3 client's for
 * a response of 429 or 5xx.
 */
const MESSAGE =
  /Connection is closed|enableOfflineQueue|Command timed out|^(LOADING|MASTERDOWN|NOREPLICAS|READONLY|NOAUTH|WRONGPASS) |Retryable HTTP status/

/**
 * Whether the error, or one of its causes, means that the database, Redis, NATS or another service is unavailable, or has
 * no room: then a retry may help later.
 */
export function isUnavailable(error: unknown): boolean {
  if (isDatabaseUnavailable(error) || isStorageFull(error)) return true
  // A DOMException is a time limit of our own (AbortSignal.timeout), not an outage.
  return errorChain(error).some(
    (link) =>
      CODES.has(String(link.code)) ||
      (NAMES.has(String(link.name)) && !(link instanceof DOMException)) ||
      MESSAGE.test(String(link.message)),
  )
}
