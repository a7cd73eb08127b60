import http, { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Duplex } from 'node:stream'
import { enforceMinimumRate, freeBuffersOf, requestCutOff, traceHeaders, unavailable } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  CONNECT_TIMEOUT_MS,
  REQUESTS_PER_CONNECTION,
  type Release,
  releaseAfter,
  STALL_TIMEOUT_MS,
} from '../client-limits.ts'
import { requestHeaders, responseHeaders } from './headers.ts'
import { MIN_UPLOAD_RATE } from './request-body.ts'

export interface PartForwarderDeps {
  mediaUrl: string
  identityKeys: string[]
  /** How far a client may fall behind the minimum rate. */
  stallMs: number
}

/** All that media needs of the client: a part is its length and its bytes. */
const FORWARDED = ['content-length', 'content-type', 'x-amz-checksum-sha256']

class MediaTimeout extends Error {
  // `isUnavailable` recognizes this name.
  override name = 'TimeoutError'
}

/**
 * Pipes parts of uploads to media; Node checks the length. In contrast to undici, `node:http` leaves the client's connection open when
 * media responds before the body ends.
 */
export function createPartForwarder({ mediaUrl, identityKeys, stallMs }: PartForwarderDeps) {
  const { Agent, request: open } = mediaUrl.startsWith('https:') ? https : http
  const agent = new Agent({ keepAlive: true })
  replaceConnections(agent)

  function headersOf(request: FastifyRequest): IncomingHttpHeaders {
    const given = FORWARDED.map((name) => [name, request.raw.headers[name]] as const)
    const forwarded = Object.fromEntries(given.filter(([, value]) => value !== undefined))
    return { ...requestHeaders(request, forwarded, 'media', identityKeys), ...traceHeaders() }
  }

  return {
    /** Sends the body as it arrives, once, and the response back. Gives the slot back when that has ended. */
    send(request: FastifyRequest, reply: FastifyReply, release: Release): FastifyReply {
      const { raw } = request
      const { method } = raw
      const options = { method, agent, headers: headersOf(request), timeout: STALL_TIMEOUT_MS.part }
      const outgoing = open(new URL(request.url, mediaUrl), options)
      boundSilence(outgoing)
      endWithClient(raw, outgoing, stallMs)
      endWithProcess(request.server.ending, outgoing)
      let hasResponse = false
      /** The rest of a body that is not sent is read and discarded; `respondBeforeBodyEnds` bounds how much. */
      const stopSending = () => {
        raw.unpipe(outgoing)
        raw.resume()
      }
      outgoing.once('response', (response) => {
        hasResponse = true
        if (!raw.complete) stopSending()
        // Nothing else can be sent on a connection whose request is not complete.
        if (!raw.complete) response.once('close', () => outgoing.destroy())
        releaseAfter(response, reply, release)
        reply.code(response.statusCode ?? 502).headers(responseHeaders(response.headers))
        reply.send(response)
      })
      outgoing.on('error', (error) => {
        release()
        if (hasResponse) return
        if (!raw.complete) stopSending()
        reply.send(raw.destroyed && !raw.complete ? requestCutOff() : error)
      })
      // Also sends the headers at once: else media neither counts the request nor bounds its silence until bytes arrive.
      outgoing.flushHeaders()
      raw.pipe(outgoing)
      freeBuffersOf(raw)
      return reply
    },
    close: () => agent.destroy(),
  }
}

/** Closes each connection after its last request (`REQUESTS_PER_CONNECTION`). */
function replaceConnections(agent: http.Agent): void {
  const requests = new WeakMap<Duplex, number>()
  const keep = agent.keepSocketAlive.bind(agent)
  agent.keepSocketAlive = (socket) => {
    const count = (requests.get(socket) ?? 0) + 1
    requests.set(socket, count)
    // False ends the connection.
    return count < REQUESTS_PER_CONNECTION && keep(socket)
  }
}

/** Ends a request that gets no connection, or whose connection has been silent in both directions. */
function boundSilence(outgoing: ClientRequest): void {
  const end = (what: string) => outgoing.destroy(new MediaTimeout(`media: ${what}`))
  outgoing.once('timeout', () => end('no data'))
  outgoing.once('socket', (socket) => {
    if (!socket.connecting) return
    const timer = setTimeout(() => end('no connection'), CONNECT_TIMEOUT_MS)
    for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer))
  })
}

/** Ends the request when this process stops: the client gets a response with which it sends the part again, to another one. */
function endWithProcess(ending: AbortSignal, outgoing: ClientRequest): void {
  const end = () => outgoing.destroy(unavailable(undefined, 1))
  ending.addEventListener('abort', end)
  outgoing.once('close', () => ending.removeEventListener('abort', end))
}

/** Ends the request when its client disconnects, or is too slow. */
function endWithClient(raw: IncomingMessage, outgoing: ClientRequest, stallMs: number): void {
  const stopRateCheck = enforceMinimumRate(raw, { stallMs, minRate: MIN_UPLOAD_RATE })
  raw.once('close', () => {
    stopRateCheck()
    if (!raw.complete) outgoing.destroy(new Error('The client disconnected'))
  })
}
