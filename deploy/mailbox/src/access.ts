import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/**
 * The pages of mailbox and partner sandbox have no sign-in, so other web pages must not use them through somebody's browser:
 * requests must address them by an IP address, `localhost` or a name without dots (a page cannot make those its own by DNS
 * rebinding), and what a browser sends must come from the page itself.
 */
export function guard(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    // A page that has its own policy replaces these.
    reply.headers({
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
    const reason = rejection(request)
    if (reason) return reply.code(403).type('text/plain').send(reason)
  })
}

function rejection({ method, headers }: FastifyRequest): string | undefined {
  const { host = '', origin } = headers
  if (!isTrustedHost(host)) return 'The name in "Host" is not trusted: use the address.\n'
  if (origin !== undefined && !isSameHost(origin, host)) return 'Requests of other pages are rejected.\n'
  const site = headers['sec-fetch-site']
  const isNavigation = method === 'GET' && headers['sec-fetch-mode'] === 'navigate'
  if (site === undefined || site === 'same-origin' || site === 'none' || isNavigation) return undefined
  return 'Requests of other pages are rejected.\n'
}

function isTrustedHost(host: string): boolean {
  if (!URL.canParse(`http://${host}`)) return false
  const name = new URL(`http://${host}`).hostname
  const address = name.replace(/^\[(.*)\]$/, '$1')
  return isIP(address) > 0 || !name.includes('.')
}

function isSameHost(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === new URL(`http://${host}`).host
}

const ADVICE = 'This page needs its key: open it by the URL that was printed at the start.\n'

/**
 * Requires the key, on a machine with other users: in the URL at which a browser opens the page, which leaves it in a
 * cookie, or from programs as a bearer token. Without a key, and for the probe, nothing is required.
 */
export function requireKey(app: FastifyInstance, name: string, key: string | undefined): void {
  if (!key) return
  // One for each key: cookies do not distinguish the ports of a machine.
  const cookie = `${name}-${digest(key).toString('hex').slice(0, 12)}`
  app.addHook('onRequest', async (request, reply) => {
    if (request.url === '/livez' || isKey(givenKey(request, cookie), key)) return
    const query = request.query as { key?: string }
    if (request.method !== 'GET' || !isKey(query.key, key)) return reply.code(401).type('text/plain').send(ADVICE)
    return reply.header('set-cookie', `${cookie}=${key}; Path=/; HttpOnly; SameSite=Lax`).redirect('/', 303)
  })
}

function givenKey({ headers }: FastifyRequest, cookie: string): string | undefined {
  const [, bearer] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? []
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  return bearer ?? pairs.find((pair) => pair.startsWith(`${cookie}=`))?.slice(cookie.length + 1)
}

function isKey(given: unknown, key: string): boolean {
  return typeof given === 'string' && timingSafeEqual(digest(given), digest(key))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
