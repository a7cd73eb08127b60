import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Fields, isFields } from './calls/request-fields.ts'
import { errorResponse, htmlResponse, jsonResponse, type PartnerResponse } from './responses.ts'
import { BusinessError, type KnownCode, knownError } from './state/errors.ts'
import type { Fault, Route, TakenFaults } from './state/faults.ts'
import type { SandboxState } from './state/state.ts'

/** One request to the partner, with the faults that hit it. */
export interface Exchange {
  state: SandboxState
  route: Route
  request: FastifyRequest
  faults: TakenFaults
  /** Undefined when it is no JSON object. */
  body: Fields | undefined
}

/** Longer than the time limit of any client. */
const HANG_MS = 120_000

/** What a client gets: a response, or a way to treat the connection. */
type Effect = PartnerResponse | 'reset' | 'hang' | { broken: PartnerResponse }

/** Responds to a request of this route with what `execute` returns, unless a fault prevents it; records it in the log. */
export async function serve(
  state: SandboxState,
  route: Route,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  execute: (exchange: Exchange) => Promise<PartnerResponse>,
): Promise<FastifyReply> {
  const exchange = { state, route, request, faults: state.faults.take(route), body: parseBody(request.body) }
  state.log.add(
    route,
    exchange.faults.all.map(({ fault }) => fault),
    exchange.body,
  )
  deliver(reply, await respond(exchange, execute))
  return reply
}

function parseBody(body: unknown): Fields | undefined {
  try {
    const parsed: unknown = JSON.parse(String(body))
    return isFields(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

async function respond(exchange: Exchange, execute: (exchange: Exchange) => Promise<PartnerResponse>): Promise<Effect> {
  const { faults } = exchange
  const before = faults.responseFault('before')
  const real = before ? jsonResponse({ status: 'success' }) : await execute(exchange)
  // Time passes after the execution: a client that stops waiting cannot know that it happened.
  await waitLikeThePartner(exchange)
  const fault = before ?? faults.responseFault('after')
  return fault ? effectOf(fault, exchange, real) : real
}

/** Milliseconds that half of the requests take at most. */
const MEDIANS: Partial<Record<Route, number>> = { stores: 700, submit: 1_500 }
const MEDIAN = 250
const P99 = 8_000
const LONGEST = 30_000

/** Waits as long as the real partner would take, and for the fault `slow`. */
async function waitLikeThePartner({ state, route, faults }: Exchange): Promise<void> {
  const isRealistic = state.settings.latency === 'realistic'
  const usual = isRealistic ? logNormal(MEDIANS[route] ?? MEDIAN) : 0
  const ms = Math.min(LONGEST, usual) + (faults.get('slow')?.ms ?? 0)
  if (ms > 0) await delay(ms, undefined, { ref: false })
}

/** Half of the values are below the median, one in a hundred is above `P99`. */
function logNormal(median: number): number {
  const sigma = Math.log(P99 / median) / 2.326
  const normal = Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random())
  return median * Math.exp(sigma * normal)
}

/** `real` is what the client would have got without the fault. */
function effectOf(fault: Fault, { route, state }: Exchange, real: PartnerResponse): Effect {
  const { profile } = state
  switch (fault.fault) {
    case 'reset':
      return 'reset'
    case 'hang':
    case 'commit-then-drop':
      return 'hang'
    case 'broken-body':
      return { broken: real }
    case 'http-429':
      return htmlResponse(429, fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) })
    case 'http-500':
    case 'http-502':
    case 'http-503':
      return htmlResponse(Number(fault.fault.slice(5)))
    case 'html':
      return htmlResponse(200)
    case 'empty-body':
      return { ...real, body: '' }
    case 'truncated-json':
      return { ...real, body: half(real.body) }
    case 'error':
      return errorResponse(new BusinessError(fault.code ?? '9999', fault.text ?? 'SIM: fault'), route, profile)
    default:
      return errorResponse(knownError(fault.fault as KnownCode, fault.text), route, profile)
  }
}

function half(text: string): string {
  return text.slice(0, Math.floor(text.length / 2))
}

function deliver(reply: FastifyReply, effect: Effect): void {
  if (typeof effect === 'object' && 'body' in effect) {
    sendResponse(reply, effect)
    return
  }
  reply.hijack()
  if (effect === 'reset') reply.raw.socket?.resetAndDestroy()
  else if (effect === 'hang') setTimeout(() => reply.raw.destroy(), HANG_MS).unref()
  else breakBody(reply.raw, effect.broken)
}

/** Announces the whole response, sends half of it and closes the connection. */
function breakBody(response: ServerResponse, { status, type, body }: PartnerResponse): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
  response.write(half(body), () => response.destroy())
}

export function sendResponse(reply: FastifyReply, { status, type, body, headers = {} }: PartnerResponse): FastifyReply {
  return reply.code(status).headers(headers).type(type).send(body)
}
