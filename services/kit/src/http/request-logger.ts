import type { FastifyBaseLogger } from 'fastify'

const METHODS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent', 'child'] as const
type Methods = Record<(typeof METHODS)[number], unknown>
type Made = Record<(typeof METHODS)[number], (...given: unknown[]) => unknown>

/** The logger of one request, created with its first line: on hot paths most requests write none. */
class RequestLogger {
  make: () => Made
  made: Made | undefined

  constructor(make: () => Made) {
    this.make = make
  }
}

for (const method of METHODS) {
  ;(RequestLogger.prototype as Partial<Methods>)[method] = function (this: RequestLogger, ...given: unknown[]) {
    this.made ??= this.make()
    return this.made[method](...given)
  }
}

/** Fastify's child loggers, each created on first use. */
export function requestLogger(parent: FastifyBaseLogger, ...given: Parameters<FastifyBaseLogger['child']>) {
  return new RequestLogger(() => parent.child(...given) as unknown as Made) as unknown as FastifyBaseLogger
}
