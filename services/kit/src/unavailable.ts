const CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_SOCKET',
  // PostgreSQL: too many connections, shutting down, crashed, starting up.
  '53300',
  '57P01',
  '57P02',
  '57P03',
  // Prisma: not reachable, timed out, closed by the server, no free connection.
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
])

const NAMES = new Set([
  'MaxRetriesPerRequestError',
  'NoRespondersError',
  'TimeoutError',
  'ConnectionError',
  'ClosedConnectionError',
  'DrainingConnectionError',
])

const MESSAGES =
  /Connection is closed|Connection terminated|timeout exceeded when trying to connect|enableOfflineQueue|DatabaseNotReachable|Can't reach database server/

/** True when the error, or what caused it, says that a database, Redis, NATS or another service cannot be reached. */
export function isUnavailable(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 5) return false
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && (CODES.has(code) || code.startsWith('08'))) return true
  if (NAMES.has(error.name) || MESSAGES.test(error.message)) return true
  if (error instanceof AggregateError && error.errors.some((one) => isUnavailable(one, depth + 1))) return true
  return isUnavailable(error.cause, depth + 1)
}
