import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Answer, errorAnswer, htmlAnswer } from './answers.ts'
import { BusinessError, type KnownCode, knownError } from './state/business-error.ts'
import type { Fault, Route } from './state/faults.ts'
import type { Profile } from './state/profile.ts'

/** Longer than the time limit of any client. */
const HANG_MS = 120_000

/** The answer that a fault sends in place of the real one, or a way to treat the connection. */
export type FaultEffect = Answer | 'reset' | 'hang' | 'break'

export function effectOf(fault: Fault, route: Route, profile: Profile, real: Answer): FaultEffect {
  switch (fault.fault) {
    case 'reset':
      return 'reset'
    case 'hang':
    case 'commit-then-drop':
      return 'hang'
    case 'broken-body':
      return 'break'
    case 'http-429':
      return htmlAnswer(429, fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) })
    case 'http-500':
    case 'http-502':
    case 'http-503':
      return htmlAnswer(Number(fault.fault.slice(5)))
    case 'html':
      return htmlAnswer(200)
    case 'empty-body':
      return { ...real, body: '' }
    case 'truncated-json':
      return { ...real, body: real.body.slice(0, Math.floor(real.body.length / 2)) }
    case 'error':
      return errorAnswer(new BusinessError(fault.code ?? '9999', fault.text ?? 'SIM: fault'), route, profile)
    default:
      return errorAnswer(knownError(fault.fault as KnownCode, fault.text), route, profile)
  }
}

export function resetConnection(socket: Socket): void {
  socket.resetAndDestroy()
}

/** Sends nothing until the client has had enough. */
export function hang(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), HANG_MS).unref()
    response.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** Announces the whole answer, sends half of it and closes the connection. */
export function breakBody(response: ServerResponse, { status, type, body }: Answer): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
  response.write(body.slice(0, Math.floor(body.length / 2)), () => response.destroy())
}
