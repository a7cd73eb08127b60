import type { FastifyReply } from 'fastify'

const FRAMES_OF_NOBODY = "frame-ancestors 'none'"

/** What pages may load from elsewhere. */
interface OtherOrigins {
  /** Of the object store, where browsers can reach it. */
  storeOrigin: string | null
  /** Of the tiles of MAP_LAYERS. */
  mapOrigins: readonly string[]
}

// No inline scripts or styles: the web application sets styles through the DOM only.
function pagePolicy({ storeOrigin, mapOrigins }: OtherOrigins): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self' data: blob:", ...mapOrigins].join(' '),
    "font-src 'self'",
    // Parts of uploads go straight to a store that browsers can reach.
    storeOrigin ? `connect-src 'self' ${storeOrigin}` : "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    FRAMES_OF_NOBODY,
  ].join('; ')
}

// Uploaded files are served under /api too: opened directly they may do nothing.
const API_POLICY = `default-src 'none'; ${FRAMES_OF_NOBODY}; sandbox`

const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
}

const pageHeaders = (origins: OtherOrigins) => ({
  ...COMMON_HEADERS,
  // Share links are secret: other sites get no referrer at all.
  'referrer-policy': 'same-origin',
  // The location is for the search of stores.
  'permissions-policy': 'camera=(), geolocation=(self), microphone=(), payment=(), usb=()',
  'cross-origin-opener-policy': 'same-origin',
  'content-security-policy': pagePolicy(origins),
})

// The sandbox already prevents referrers, windows and camera access; each header costs time on hot paths.
const API_HEADERS = {
  ...COMMON_HEADERS,
  'content-security-policy': API_POLICY,
  // Replaced by the cache-control of a response that has one.
  'cache-control': 'private, no-store',
}

const TRANSPORT_HEADERS = { 'strict-transport-security': 'max-age=31536000' }

/** Names of all headers that only the gateway sets. */
export const SECURITY_HEADER_NAMES = Object.keys({
  ...pageHeaders({ storeOrigin: null, mapOrigins: [] }),
  ...TRANSPORT_HEADERS,
})

interface SecurityHeaderOptions extends OtherOrigins {
  https: boolean
}

/** Returns what sets the security headers of a response: pages may run the application's own files, API responses nothing. */
export function createSecurityHeaders({ https, ...origins }: SecurityHeaderOptions) {
  const headersOfPages = pageHeaders(origins)
  return (reply: FastifyReply, isApi: boolean): void => {
    reply.headers(isApi ? API_HEADERS : headersOfPages)
    // Replaced where a file or a page has its own; a cache must not keep that a file is missing, which a new release brings.
    if (!isApi) reply.header('cache-control', 'no-cache')
    if (https) reply.headers(TRANSPORT_HEADERS)
  }
}

/** Lets pages of these origins alone have the page in a frame. The other headers of pages hold there too. */
export function allowFrames(reply: FastifyReply, origins: string[]): void {
  const policy = String(reply.getHeader('content-security-policy'))
  const frames = `frame-ancestors ${origins.join(' ')}`
  reply.header('content-security-policy', policy.replace(FRAMES_OF_NOBODY, frames))
}
