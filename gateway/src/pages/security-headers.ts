import type { FastifyReply } from 'fastify'

// Nothing inline, neither scripts nor styles: the web application sets styles through the DOM only.
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

// What users uploaded is served under /api too: opened by itself it may do nothing.
const apiPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"

const common = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
}

const ofPages = {
  ...common,
  // A share link is a secret of its readers: other sites get no address at all.
  'referrer-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'cross-origin-opener-policy': 'same-origin',
  'content-security-policy': pagePolicy,
}

// The sandbox leaves nothing that could send a referrer, open a window or ask for a camera; each header costs on hot paths.
const ofApi = {
  ...common,
  'content-security-policy': apiPolicy,
  // What an answer says of caching replaces this.
  'cache-control': 'private, no-store',
}

const transport = { 'strict-transport-security': 'max-age=31536000' }

/** The names of all headers that the gateway alone decides. */
export const securityHeaderNames = Object.keys({ ...ofPages, ...transport })

/** Sets the security headers of an answer: pages may run the application's own files, API answers nothing. */
export function setSecurityHeaders(reply: FastifyReply, isApi: boolean, https: boolean): void {
  reply.headers(isApi ? ofApi : ofPages)
  if (https) reply.headers(transport)
}
