import type { IncomingHttpHeaders } from 'node:http'
import { IDENTITY_HEADER, SESSION_COOKIE, signIdentity, withoutCookie } from '@skyfolio/kit'
import type { FastifyRequest } from 'fastify'
import { securityHeaderNames } from '../pages/security-headers.ts'

/** Of one connection only, or claims about the client that only the gateway may make. */
const notForwarded = new Set([
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
const notForwardedPrefixes = ['x-forwarded-', 'x-skyfolio-', 'x-real-ip']

const notReturned = new Set(['connection', 'keep-alive', 'server', 'x-request-id', ...securityHeaderNames])

function isForwarded(name: string): boolean {
  if (name.startsWith('x-')) return !notForwardedPrefixes.some((prefix) => name.startsWith(prefix))
  return !notForwarded.has(name)
}

/** The headers for the service: what the client sent, without the session's token, and with the signed identity. */
export function requestHeaders(
  request: FastifyRequest,
  sent: IncomingHttpHeaders,
  identityKeys: string[],
): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {}
  for (const name in sent) if (isForwarded(name)) headers[name] = sent[name]
  const cookie = withoutCookie(sent.cookie, SESSION_COOKIE)
  if (cookie) headers.cookie = cookie
  else delete headers.cookie
  if (request.method === 'GET' || request.method === 'HEAD') {
    // Their bodies are not read, so none may be announced.
    delete headers['content-length']
    delete headers['content-type']
  }
  headers['x-request-id'] = request.id
  headers[IDENTITY_HEADER] = signIdentity(request.identity, identityKeys)
  return headers
}

/** The headers for the client: what the service answered, less what only the gateway decides. */
export function responseHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const returned: IncomingHttpHeaders = {}
  for (const name in headers) if (!notReturned.has(name)) returned[name] = headers[name]
  return returned
}
