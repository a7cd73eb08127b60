import type { IncomingMessage } from 'node:http'
import { isWaitingForServer } from '../http/minimum-rate.ts'
import { PartSuperseded } from './part-errors.ts'
import type { PartAdmission, PartedUpload, PartSpec } from './types.ts'

/** Nothing has arrived for so long: the connection may be broken without an end, and its client back with another one. */
const HANGING_MS = 3_000

interface PartRequest {
  body: IncomingMessage
  admission: PartAdmission
  closed: Promise<void>
  /** Resolves when the one that it ended is closed. */
  turn: Promise<void>
  /** When bytes arrived, or it was read again; null before it is read at all, since it waits for its turn. */
  progressAt: number | null
}

/**
 * The requests that send parts. One that hangs gives way to the next one of its part. While it makes progress the next one is
 * rejected, if they are to be `exclusive`.
 */
export function partRequests({ exclusive }: { exclusive: boolean }) {
  /** The one of each part that was admitted last. */
  const latest = new Map<string, PartRequest>()

  /** @throws PartSuperseded */
  return async function admit({ uploadId }: PartedUpload, { number }: PartSpec, body: IncomingMessage) {
    const name = `${uploadId}-${number}`
    const before = latest.get(name)
    const isInTheWay = before !== undefined && !hangs(before)
    if (isInTheWay && exclusive) throw new PartSuperseded('This part is being sent already.')
    const turn = before && !isInTheWay ? end(before) : Promise.resolve()
    const request = createRequest(body, turn, () => {
      if (latest.get(name) === request) latest.delete(name)
    })
    latest.set(name, request)
    await turn
    return request.admission
  }
}

function createRequest(body: IncomingMessage, turn: Promise<void>, onClose: () => void): PartRequest {
  const controller = new AbortController()
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const progressed = () => {
    // Not before: who listens to data makes it flow.
    if (request.progressAt === null) body.on('data', progressed)
    request.progressAt = performance.now()
  }
  body.on('resume', progressed)
  const close = () => {
    body.off('resume', progressed).off('data', progressed)
    onClose()
    resolve()
  }
  const admission = { signal: controller.signal, end: (reason: Error) => controller.abort(reason), close }
  const request: PartRequest = { body, admission, closed, turn, progressAt: null }
  return request
}

function hangs({ body, progressAt }: PartRequest): boolean {
  if (body.destroyed && !body.complete) return true
  if (progressAt === null || isWaitingForServer(body)) return false
  return performance.now() - progressAt > HANGING_MS
}

/** Resolves when it writes nothing any more. One that nobody has begun to read never will, but its predecessor may. */
async function end({ admission, progressAt, closed, turn }: PartRequest): Promise<void> {
  admission.end(new PartSuperseded('This part was sent again.'))
  await (progressAt === null ? turn : closed)
}
