import { AppError, readCookie, SESSION_COOKIE } from '@skyfolio/kit'
import type { FastifyRequest } from 'fastify'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Rejects write requests from pages of other sites. Browsers send Origin with all of them; a client that sends none
 * (a script) is accepted unless it sends a session cookie, which a page could have made the browser attach.
 * @throws 403
 */
export function checkOrigin(request: FastifyRequest, ownOrigins: Set<string>): void {
  if (SAFE_METHODS.has(request.method)) return
  const { origin } = request.headers
  const allowed =
    origin === undefined ? readCookie(request.headers.cookie, SESSION_COOKIE) === null : ownOrigins.has(origin)
  if (!allowed) throw new AppError(403, 'foreign_origin', 'This request does not come from a page of Skyfolio.')
}
