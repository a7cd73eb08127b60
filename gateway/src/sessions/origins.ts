import { AppError, readCookie, SESSION_COOKIE } from '@skyfolio/kit'
import type { FastifyRequest } from 'fastify'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses requests that change something and come from another site's page. Browsers send Origin with all of
 * them; a client without it (a script) may go on, unless it carries a session cookie that a page could have lent it.
 * @throws 403
 */
export function checkOrigin(request: FastifyRequest, ownOrigins: Set<string>): void {
  if (safeMethods.has(request.method)) return
  const { origin } = request.headers
  const allowed =
    origin === undefined ? readCookie(request.headers.cookie, SESSION_COOKIE) === null : ownOrigins.has(origin)
  if (!allowed) throw new AppError(403, 'foreign_origin', 'This request does not come from a page of Skyfolio.')
}
