import { type ChildProcess, fork } from 'node:child_process'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { NotPrintableError, type PrintTarget } from './print-plan.ts'
import { DamagedImageError, type RenderOptions, type RenderResult, SlowImageError } from './render-image.ts'
import type { PrintResult } from './render-print.ts'
import { UnsupportedImageError } from './tiff-picture.ts'

const SCRIPT = new URL('./isolated-process.ts', import.meta.url)
const TIMEOUT_MS = 120_000

/** The message to the process; the bytes of the original follow on its standard input. */
export interface RenderRequest extends RenderOptions {
  /** Bytes. */
  size: number
  /** For a print image instead of renditions. */
  print?: PrintTarget
}

/** The message from the process: what it has rendered, or the name and message of the error. */
export type RenderResponse = { result: RenderResult | PrintResult } | { error: string; message: string }

/** The original that the process received is shorter than it should be. */
export const SHORT = 'short'

/** Rendering killed its process or took too long. A further attempt would end the same way. */
export class RenderAbortedError extends Error {
  override name = 'RenderAbortedError'
  readonly tookTooLong: boolean

  constructor(message: string, tookTooLong: boolean) {
    super(message)
    this.tookTooLong = tookTooLong
  }
}

/**
 * Renders in an isolated process: its end releases much memory, and a crash or an endless loop affects nothing else.
 * @throws DamagedImageError when the image cannot be decoded; UnsupportedImageError; RenderAbortedError when the process was killed or took too
 * long; NotPrintableError for a print image; the error of `original` when it breaks off
 */
export async function renderIsolated<Result extends RenderResult | PrintResult>(
  original: Readable,
  request: RenderRequest,
  timeoutMs = TIMEOUT_MS,
): Promise<Result> {
  const child = fork(SCRIPT, [], {
    serialization: 'advanced',
    execArgv: ['--max-old-space-size=256'],
    // A decoder needs none of the worker's secrets.
    env: {},
    stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
  })
  let isOverdue = false
  const timer = setTimeout(() => {
    isOverdue = true
    child.kill('SIGKILL')
  }, timeoutMs)
  let interruption: unknown
  try {
    const responding = receiveResponse(child, () => isOverdue)
    // A process that ends before it receives the request is reported by its exit.
    child.send(request, () => {})
    if (child.stdin) pipeline(original, child.stdin).catch((error) => (interruption = error))
    const response = await responding
    if ('result' in response) return response.result as Result
    const { error, message } = response
    if (error === SHORT) throw interruption ?? new Error(message)
    if (error === DamagedImageError.name) throw new DamagedImageError(message)
    if (error === UnsupportedImageError.name) throw new UnsupportedImageError(message)
    if (error === SlowImageError.name) throw new RenderAbortedError(message, true)
    throw error === NotPrintableError.name ? new NotPrintableError(message) : new Error(`${error}: ${message}`)
  } finally {
    clearTimeout(timer)
    original.destroy()
    child.kill('SIGKILL')
  }
}

/** Resolves with the response; rejects when the process ends without one. */
function receiveResponse(child: ChildProcess, isOverdue: () => boolean): Promise<RenderResponse> {
  return new Promise((resolve, reject) => {
    child.once('message', (response) => resolve(response as RenderResponse))
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      if (signal) reject(new RenderAbortedError(`rendering was killed by ${signal}`, isOverdue()))
      else reject(new Error(`rendering exited with code ${code}`))
    })
  })
}
