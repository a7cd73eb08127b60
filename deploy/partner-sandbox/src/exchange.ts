import type { FastifyReply, FastifyRequest } from 'fastify'
import { breakBody, effectOf, type FaultEffect, hang, resetConnection } from './answer-faults.ts'
import { type Answer, jsonAnswer } from './answers.ts'
import { type Fields, isFields } from './calls/fields.ts'
import { waitLikeThePartner } from './latency.ts'
import type { Route, TakenFaults } from './state/faults.ts'
import type { Profile } from './state/profile.ts'
import type { SandboxState } from './state/state.ts'

/** One request to the partner, with the faults that hit it. */
export interface Exchange {
  state: SandboxState
  route: Route
  request: FastifyRequest
  faults: TakenFaults
  /** Of the affiliate that the request names, or the main one. Not yet authenticated. */
  profile: Profile
  affId: string
  /** Undefined when it is no JSON object. */
  body: Fields | undefined
  warnings: Set<string>
}

/** Answers a request of this route with what `execute` returns, unless a fault prevents it; records it in the log. */
export async function serve(
  state: SandboxState,
  route: Route,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  execute: (exchange: Exchange) => Promise<Answer>,
): Promise<FastifyReply> {
  const started = performance.now()
  const at = new Date()
  const exchange = readExchange(state, route, request)
  const { effect, real } = await answer(exchange, execute)
  const outcome = await deliver(reply, effect, real)
  const { affId, faults, warnings, body } = exchange
  state.log.add({
    at: at.toISOString(),
    virtualAt: new Date(at.getTime() + state.clock.offsetMs).toISOString(),
    ...{ route, method: request.method, path: request.url.split('?')[0] ?? '', affId, outcome },
    durationMs: Math.round(performance.now() - started),
    faults: faults.all.map(({ fault }) => fault),
    warnings: [...warnings],
    request: body,
    response: typeof effect === 'string' ? undefined : effect.body,
  })
  return reply
}

function readExchange(state: SandboxState, route: Route, request: FastifyRequest): Exchange {
  state.log.count(route)
  const body = route === 'upload' ? undefined : parseBody(request.body)
  const affId = typeof body?.affId === 'string' ? body.affId.slice(0, 100) : ''
  const profile = state.profiles.get(affId) ?? state.profiles.main
  return { state, route, request, faults: state.faults.take(route), profile, affId, body, warnings: new Set() }
}

function parseBody(body: unknown): Fields | undefined {
  try {
    const parsed: unknown = JSON.parse(String(body))
    return isFields(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

/** `real` is what the client would have got without the fault. */
interface Answered {
  effect: FaultEffect
  real: Answer
}

async function answer(exchange: Exchange, execute: (exchange: Exchange) => Promise<Answer>): Promise<Answered> {
  const { state, route, faults, profile } = exchange
  const slowMs = faults.get('slow')?.ms ?? 0
  const before = faults.answerFault('before')
  if (before) {
    const real = jsonAnswer({ status: 'success' })
    await waitLikeThePartner(state, route, slowMs)
    return { effect: effectOf(before, route, profile, real), real }
  }
  const real = await execute(exchange)
  // Time passes after the execution: a client that stops waiting cannot know that it happened.
  await waitLikeThePartner(state, route, slowMs)
  const after = faults.answerFault('after')
  return { effect: after ? effectOf(after, route, profile, real) : real, real }
}

/** @returns what the client saw, for the log */
async function deliver(reply: FastifyReply, effect: FaultEffect, real: Answer): Promise<string> {
  if (typeof effect === 'object') {
    const isGone = reply.raw.destroyed
    sendAnswer(reply, effect)
    if (isGone) return 'the client had gone'
    return effect.code ? `${effect.status}, code ${effect.code}` : String(effect.status)
  }
  reply.hijack()
  if (effect === 'reset') {
    if (reply.raw.socket) resetConnection(reply.raw.socket)
    return 'connection reset'
  }
  if (effect === 'break') {
    breakBody(reply.raw, real)
    return 'connection closed amid the body'
  }
  await hang(reply.raw)
  return 'no answer'
}

export function sendAnswer(reply: FastifyReply, { status, type, body, headers = {} }: Answer): FastifyReply {
  return reply.code(status).headers(headers).type(type).send(body)
}
