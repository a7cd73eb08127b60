import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'

const ADVICE = 'This page needs its key: open it by the URL that was printed at the start.\n'

/**
 * Requires the key, on a machine with other users: in the URL at which a browser opens the page, which leaves it in a
 * cookie, or from programs as a bearer token. Without a key, and for the probe, nothing is required.
 */
export function requireKey(app: FastifyInstance, key: string | undefined): void {
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
