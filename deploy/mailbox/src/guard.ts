import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/**
 * The page has no sign-in, so other web pages must not use it through somebody's browser: requests must address it by an IP
 * address, `localhost`, a name without dots or a configured name (a page cannot make those its own by DNS rebinding), and what
 * a browser sends must come from the page itself.
 */
export function guard(app: FastifyInstance, pageHosts: string[]): void {
  app.addHook('onRequest', async (request, reply) => {
    const reason = rejection(request, pageHosts)
    if (reason) return reply.code(403).type('text/plain').send(reason)
  })
}

function rejection(request: FastifyRequest, pageHosts: string[]): string | undefined {
  const { host = '', origin } = request.headers
  if (!isTrustedHost(host, pageHosts)) return `The name in "Host" is not trusted; PAGE_HOSTS can add it.\n`
  if (origin !== undefined && !isSameHost(origin, host)) return 'Requests of other pages are rejected.\n'
  const site = request.headers['sec-fetch-site']
  const isNavigation = request.method === 'GET' && request.headers['sec-fetch-mode'] === 'navigate'
  if (site === undefined || site === 'same-origin' || site === 'none' || isNavigation) return undefined
  return 'Requests of other pages are rejected.\n'
}

function isTrustedHost(host: string, pageHosts: string[]): boolean {
  if (!URL.canParse(`http://${host}`)) return false
  const name = new URL(`http://${host}`).hostname
  const address = name.replace(/^\[(.*)\]$/, '$1')
  return isIP(address) > 0 || name === 'localhost' || !name.includes('.') || pageHosts.includes(name)
}

function isSameHost(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === new URL(`http://${host}`).host
}
