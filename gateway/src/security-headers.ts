import type { FastifyReply } from 'fastify'

// No inline scripts or styles: the web application sets styles through the DOM only.
const PAGE_POLICY = [
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

// Uploaded files are served under /api too: opened directly they may do nothing.
const API_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"

const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
}

const PAGE_HEADERS = {
  ...COMMON_HEADERS,
  // Share links are secret: other sites get no referrer at all.
  'referrer-policy': 'same-origin',
  // The location is for the search of stores.
  'permissions-policy': 'camera=(), geolocation=(self), microphone=(), payment=(), usb=()',
  'cross-origin-opener-policy': 'same-origin',
  'content-security-policy': PAGE_POLICY,
}

// The sandbox already prevents referrers, windows and camera access; each header costs time on hot paths.
const API_HEADERS = {
  ...COMMON_HEADERS,
  'content-security-policy': API_POLICY,
  // Replaced by the cache-control of a response that has one.
  'cache-control': 'private, no-store',
}

const TRANSPORT_HEADERS = { 'strict-transport-security': 'max-age=31536000' }

/** Names of all headers that only the gateway sets. */
export const SECURITY_HEADER_NAMES = Object.keys({ ...PAGE_HEADERS, ...TRANSPORT_HEADERS })

/** Sets the security headers of a response: pages may run the application's own files, API responses nothing. */
export function setSecurityHeaders(reply: FastifyReply, isApi: boolean, https: boolean): void {
  reply.headers(isApi ? API_HEADERS : PAGE_HEADERS)
  if (https) reply.headers(TRANSPORT_HEADERS)
}
