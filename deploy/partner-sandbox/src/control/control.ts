import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from 'fastify'
import type { SandboxState } from '../state/state.ts'
import { addApi } from './api.ts'
import { addPage } from './page.ts'

/** Control API and page, on a port of their own. */
export function buildControl(state: SandboxState): FastifyInstance {
  const app = Fastify({ bodyLimit: 256 * 1024, ajv: { customOptions: { coerceTypes: false } } })
  app.addHook('onRequest', async (request, reply) => {
    const reason = rejection(request)
    if (reason) return reply.code(403).type('text/plain').send(reason)
  })
  requireKey(app, state.settings.controlKey)
  app.addHook('onSend', async (_request, reply) => {
    reply.headers({
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
  })
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const status = error.statusCode ?? 500
    if (status >= 500) console.error(error)
    return reply.code(status).send({ message: status >= 500 ? 'The sandbox failed.' : error.message })
  })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ message: 'There is nothing here.' }))
  addApi(app, state)
  addPage(app, state)
  return app
}

/**
 * Other web pages must not use this port through somebody's browser: requests must address it by an IP address, `localhost`
 * or a name without dots (a page cannot make those its own by DNS rebinding), and what a browser sends must come from the
 * page itself.
 */
function rejection({ headers, method }: FastifyRequest): string | undefined {
  const { host = '', origin } = headers
  if (!isTrustedHost(host)) return 'The name in "Host" is not trusted.\n'
  if (origin !== undefined && !isSameHost(origin, host)) return 'Requests of other pages are rejected.\n'
  const site = headers['sec-fetch-site']
  const isNavigation = method === 'GET' && headers['sec-fetch-mode'] === 'navigate'
  if (site === undefined || site === 'same-origin' || site === 'none' || isNavigation) return undefined
  return 'Requests of other pages are rejected.\n'
}

function isTrustedHost(host: string): boolean {
  if (!URL.canParse(`http://${host}`)) return false
  const name = new URL(`http://${host}`).hostname
  return isIP(name.replace(/^\[(.*)\]$/, '$1')) > 0 || !name.includes('.')
}

function isSameHost(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === new URL(`http://${host}`).host
}

const ADVICE = 'This page needs its key: open it by the URL that was printed at the start.\n'

/**
 * Requires the key, on a machine with other users: in the URL at which a browser opens the page, which leaves it in a
 * cookie, or from programs as a bearer token. Without a key, and for the probe, nothing is required.
 */
function requireKey(app: FastifyInstance, key: string | undefined): void {
  if (!key) return
  // One for each key: cookies do not distinguish the ports of a machine.
  const cookie = `sandbox-${digest(key).toString('hex').slice(0, 12)}`
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
