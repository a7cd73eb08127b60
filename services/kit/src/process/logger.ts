import { trace } from '@opentelemetry/api'
import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger }

const HIDDEN = '[hidden]'
const SENSITIVE =
  /password|secret|token|cookie|authorization|x-skyfolio-identity|^sid$|e-?mail|latitude|longitude|^l(at|ng|on)$|coordinates|^gps|fingerprint/i
const EMAIL = /[\w.+-]+@[\w-]+\.[\w.-]+/g
const CREDENTIALS_IN_URL = /(:\/\/)[^/\s@]+@/g
const MAX_DEPTH = 6

function scrubText(text: string): string {
  return text.includes('@') ? text.replace(CREDENTIALS_IN_URL, `$1${HIDDEN}@`).replace(EMAIL, HIDDEN) : text
}

/**
 * Only the standard fields of an error: drivers attach rows, queries and connection strings to their errors, which
 * would put e-mail addresses and coordinates into the logs.
 */
function describeError(error: Error, depth = 0): Record<string, unknown> {
  const { code } = error as { code?: unknown }
  return {
    type: error.name,
    message: scrubText(error.message),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    stack: error.stack && scrubText(error.stack),
    ...(error.cause instanceof Error && depth < MAX_DEPTH ? { cause: describeError(error.cause, depth + 1) } : {}),
  }
}

function scrub(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return scrubText(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Error) return describeError(value)
  if (value instanceof Date) return value
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (depth >= MAX_DEPTH) return '[deep]'
  if (Array.isArray(value)) return value.map((entry) => scrub(entry, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, SENSITIVE.test(key) ? HIDDEN : scrub(entry, depth + 1)]),
  )
}

function scrubFields(fields: object): Record<string, unknown> {
  return scrub(fields) as Record<string, unknown>
}

function traceOfNow(): Record<string, string> {
  const span = trace.getActiveSpan()?.spanContext()
  return span ? { traceId: span.traceId } : {}
}

/**
 * A logger of JSON lines on standard output. Passwords, cookies, tokens, e-mail addresses and coordinates are
 * hidden by field name at any depth, e-mail addresses also within texts. Log errors as `{ err: error }`.
 */
export function createLogger(name: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    name,
    level,
    mixin: traceOfNow,
    formatters: { log: scrubFields },
    hooks: {
      logMethod(this: Logger, [first, ...rest]: unknown[], method: (...args: unknown[]) => void) {
        // An error as the only argument would bypass the formatters.
        const fields = first instanceof Error ? { err: first } : first
        const texts = first instanceof Error && rest.length === 0 ? [first.message] : rest
        const all = [fields, ...texts].map((part) => (typeof part === 'string' ? scrubText(part) : part))
        method.apply(this, all)
      },
    },
    // The formatter has already converted errors; pino's serializer would copy every property.
    serializers: { err: (described: unknown) => described },
  }
  const logger = destination ? pino(options, destination) : pino(options)
  const { child } = logger
  // Formatters do not see the fields of child loggers. Children inherit this.
  logger.child = function (this: Logger, bindings: object, ...rest: unknown[]) {
    return Reflect.apply(child, this, [scrubFields(bindings), ...rest])
  } as typeof child
  return logger
}
