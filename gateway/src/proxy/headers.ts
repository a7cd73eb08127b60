import type { IncomingHttpHeaders } from 'node:http'
import { DEVICE_COOKIE, IDENTITY_HEADER, SESSION_COOKIE, signIdentity, withoutCookie } from '@skyfolio/kit'
import type { FastifyRequest } from 'fastify'
import { SECURITY_HEADER_NAMES } from '../security-headers.ts'
import type { ServiceName } from './route-table.ts'

/** Hop-by-hop headers, and statements about the client that only the gateway may make. */
const NOT_FORWARDED = new Set([
  'expect',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  'http2-settings',
  'forwarded',
  'via',
])
const NOT_FORWARDED_PREFIXES = ['x-forwarded-', 'x-skyfolio-', 'x-real-ip']

const NOT_RETURNED = new Set(['connection', 'keep-alive', 'server', 'x-request-id', ...SECURITY_HEADER_NAMES])

function isForwarded(name: string): boolean {
  if (name.startsWith('x-')) return !NOT_FORWARDED_PREFIXES.some((prefix) => name.startsWith(prefix))
  return !NOT_FORWARDED.has(name)
}

/** Headers for the service: the client's, without the session token, with the signed identity. */
export function requestHeaders(
  request: FastifyRequest,
  sent: IncomingHttpHeaders,
  service: ServiceName,
  identityKeys: string[],
): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {}
  for (const name in sent) if (isForwarded(name)) headers[name] = sent[name]
  const cookie = cookiesFor(service, sent.cookie)
  if (cookie) headers.cookie = cookie
  else delete headers.cookie
  if (request.method === 'GET' || request.method === 'HEAD') {
    // Their bodies are not read, so no length may be declared.
    delete headers['content-length']
    delete headers['content-type']
  }
  headers['x-request-id'] = request.id
  headers[IDENTITY_HEADER] = signIdentity(request.identity, identityKeys)
  return headers
}

/** The cookies that a service may see: no session, and the accounts of a device only in auth. */
export function cookiesFor(service: ServiceName, cookies: string | undefined): string | undefined {
  const withoutSession = withoutCookie(cookies, SESSION_COOKIE)
  return service === 'auth' ? withoutSession : withoutCookie(withoutSession, DEVICE_COOKIE)
}

/** Headers for the client: the service's, without those that only the gateway sets. */
export function responseHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const returned: IncomingHttpHeaders = {}
  for (const name in headers) if (!NOT_RETURNED.has(name)) returned[name] = headers[name]
  return returned
}
