import { type ChildProcess, fork } from 'node:child_process'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { DamagedImageError, type RenderOptions, type RenderResult } from './render-image.ts'

const SCRIPT = new URL('./isolated-process.ts', import.meta.url)
const LIMIT_MS = 120_000

/** What the process is told first, by message; the bytes of the original come through its standard input. */
export interface RenderRequest extends RenderOptions {
  /** Bytes. */
  size: number
}

/** What the process says last. `short`: the original did not come whole. */
export type RenderResponse = { drawing: RenderResult } | { damaged: string } | { failed: string } | { short: true }

/** Drawing ended its process or took too long: trying it again would end the same way. */
export class RenderAbortedError extends Error {
  override name = 'RenderAbortedError'
}

/** Resolves with the answer; rejects when the process ends without one. */
function receiveResponse(child: ChildProcess): Promise<RenderResponse> {
  return new Promise((resolve, reject) => {
    child.once('message', (answer) => resolve(answer as RenderResponse))
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      if (signal) reject(new RenderAbortedError(`drawing was ended by ${signal}`))
      else reject(new Error(`drawing ended with code ${code}`))
    })
  })
}

/**
 * Draws in a process of its own: much memory is given back with its end, and what kills it or never comes to an end
 * takes nothing else along.
 * @throws DamagedImageError when the picture cannot be decoded; RenderAbortedError when the process was killed or took too long;
 * what ended `original` before its time
 */
export async function renderIsolated(
  original: Readable,
  order: RenderRequest,
  limitMs = LIMIT_MS,
): Promise<RenderResult> {
  const child = fork(SCRIPT, [], {
    serialization: 'advanced',
    execArgv: ['--max-old-space-size=256'],
    // Nothing that the worker knows is of use to a decoder.
    env: {},
    stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
  let interruption: unknown
  try {
    const answered = receiveResponse(child)
    // A process that is gone before it has heard its order says so by its exit.
    child.send(order, () => {})
    if (child.stdin) pipeline(original, child.stdin).catch((error) => (interruption = error))
    const answer = await answered
    if ('drawing' in answer) return answer.drawing
    if ('damaged' in answer) throw new DamagedImageError(answer.damaged)
    if ('failed' in answer) throw new Error(answer.failed)
    throw interruption ?? new Error('the original did not come whole')
  } finally {
    clearTimeout(timer)
    original.destroy()
    child.kill('SIGKILL')
  }
}
