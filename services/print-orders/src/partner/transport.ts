import http from 'node:http'
import https from 'node:https'

/** A complete response, or why there is none. `sent` is false when no byte of the request can have reached the server. */
export type Exchange =
  | { kind: 'response'; status: number; text: string; retryAfterMs?: number }
  | { kind: 'timeout' | 'connection' | 'reset' | 'too_large'; sent: boolean }

interface PostOptions {
  /** For connecting, sending and the whole response. */
  timeoutMs: number
  maxBytes: number
  /** Keeps connections open; without it the request has a connection of its own. */
  agent?: http.Agent
}

/**
 * Sends one POST request with a JSON body: no redirects, no second attempt. Never rejects, and keeps nothing of the
 * request, so its body cannot reach a log through an error.
 */
export function post(url: URL, body: string, { timeoutMs, maxBytes, agent }: PostOptions): Promise<Exchange> {
  const { promise, resolve } = Promise.withResolvers<Exchange>()
  const isTls = url.protocol === 'https:'
  let isConnected = false
  const request = (isTls ? https : http).request(url, {
    method: 'POST',
    agent: agent ?? false,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    },
  })
  const markConnected = () => {
    isConnected = true
  }
  const finish = (exchange: Exchange) => {
    clearTimeout(timer)
    resolve(exchange)
    if (exchange.kind !== 'response') request.destroy()
  }
  const timer = setTimeout(() => finish({ kind: 'timeout', sent: isConnected }), timeoutMs)
  request.on('socket', (socket) => {
    if (request.reusedSocket) markConnected()
    // The request is written after that; with TLS, after the handshake.
    else socket.once(isTls ? 'secureConnect' : 'connect', markConnected)
  })
  request.on('error', () => finish({ kind: isConnected ? 'reset' : 'connection', sent: isConnected }))
  request.on('response', (response) => void read(response, maxBytes).then(finish))
  request.end(body)
  return promise
}

async function read(response: http.IncomingMessage, maxBytes: number): Promise<Exchange> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response) {
      bytes += chunk.length
      if (bytes > maxBytes) return { kind: 'too_large', sent: true }
      chunks.push(chunk)
    }
  } catch {
    return { kind: 'reset', sent: true }
  }
  if (!response.complete) return { kind: 'reset', sent: true }
  return {
    kind: 'response',
    status: response.statusCode ?? 0,
    text: Buffer.concat(chunks).toString('utf8'),
    ...retryAfter(response.headers['retry-after']),
  }
}

/** Retry-After in seconds or as a date. */
function retryAfter(header: string | undefined): { retryAfterMs?: number } {
  if (!header) return {}
  const seconds = Number(header)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? { retryAfterMs: Math.max(0, ms) } : {}
}
