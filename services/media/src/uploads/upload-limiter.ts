import { type AppError, metrics, unavailable } from '@skyfolio/kit'

/** An upload that waits or runs. */
export interface UploadStream {
  userId: number
  /** Bytes received so far. */
  bytes(): number
  /** No data arrives because the server does not read, or because the upload is complete: the client is not slow. */
  isWaitingForServer(): boolean
  /** Ends the upload in favour of others, with this error. It must then be released soon. */
  cutOff(reason: AppError): void
}

export interface UploadLimiter {
  /** Waits until the upload may start; resolves with the function that releases it. @throws AppError 503 after too long a wait */
  acquire(stream: UploadStream): Promise<() => void>
}

interface RunningUpload {
  stream: UploadStream
  since: number
  bytesBefore: number
  cut: boolean
}

interface WaitingUpload {
  stream: UploadStream
  since: number
  start(release: () => void): void
}

/** Bytes per second from which a stream is never cut off: a usual photo is then received within two minutes. */
const FAIR_RATE = 256 * 1024
/** Files that are received at the same time, in all and of one user; others wait: more at once would each be slower. */
export const UPLOAD_STREAMS = { total: 16, perUser: 4 }
const CUT_OFF = 'Other uploads are waiting and this one is too slow. Please try again in a moment.'
const RETRY_AFTER_SECONDS = 5
/** Its name in metrics and logs: what it rejects is no outage. */
const LIMIT = 'upload-streams'
const TOO_MANY = 'Too many uploads are running. Please try again in a moment.'

const streams = metrics.gauge('skyfolio_upload_streams', 'Uploads being received or waiting', ['state'])

/**
 * Limits concurrent uploads: `total` in all and `perUser`. The next upload is one of the user with the fewest, in order of
 * arrival. An upload that waits longer than `displaceAfterMs` displaces one of a user who has at least two more: the
 * slowest stream is cut off, unless it is fast enough. So a few users cannot block all others, and slow streams of users
 * with equal shares do not displace each other endlessly.
 */
export function createUploadLimiter(
  total: number,
  perUser: number,
  { maxWaitMs = 30_000, displaceAfterMs = 5_000 } = {},
): UploadLimiter {
  const running = new Set<RunningUpload>()
  let waiting: WaitingUpload[] = []
  let displacement: NodeJS.Timeout | undefined

  metrics.onScrape('upload streams', () => [
    [streams, running.size, { state: 'running' }],
    [streams, waiting.length, { state: 'waiting' }],
  ])

  function countOf(userId: number): number {
    return [...running].filter(({ stream }) => stream.userId === userId).length
  }

  function start(stream: UploadStream): () => void {
    const upload = { stream, since: performance.now(), bytesBefore: stream.bytes(), cut: false }
    running.add(upload)
    return () => {
      if (running.delete(upload)) startNext()
    }
  }

  /** Waiting uploads below their user's limit, next first. The sort is stable. */
  function nextWaiting(): WaitingUpload[] {
    const allowed = waiting.filter(({ stream }) => countOf(stream.userId) < perUser)
    return allowed.sort((a, b) => countOf(a.stream.userId) - countOf(b.stream.userId))
  }

  function startNext(): void {
    const [next] = nextWaiting()
    if (!next || running.size >= total) return
    stopWaiting(next)
    next.start(start(next.stream))
  }

  function rateOf({ stream, since, bytesBefore }: RunningUpload): number {
    return ((stream.bytes() - bytesBefore) * 1000) / (performance.now() - since)
  }

  function isSlow(upload: RunningUpload): boolean {
    if (performance.now() - upload.since < displaceAfterMs) return false
    return !upload.stream.isWaitingForServer() && rateOf(upload) < FAIR_RATE
  }

  /** Cuts off one stream at a time, until it is released. */
  function displaceOne(): void {
    const overdue = nextWaiting().find(({ since }) => performance.now() - since >= displaceAfterMs)
    if (!overdue || [...running].some(({ cut }) => cut)) return
    const share = countOf(overdue.stream.userId) + 1
    const [slowest] = [...running]
      .filter((upload) => countOf(upload.stream.userId) > share && isSlow(upload))
      .sort((a, b) => countOf(b.stream.userId) - countOf(a.stream.userId) || rateOf(a) - rateOf(b))
    if (!slowest) return
    slowest.cut = true
    slowest.stream.cutOff(unavailable(CUT_OFF, RETRY_AFTER_SECONDS, LIMIT))
  }

  function stopWaiting(entry: WaitingUpload): void {
    waiting = waiting.filter((other) => other !== entry)
    if (waiting.length > 0) return
    clearInterval(displacement)
    displacement = undefined
  }

  return {
    async acquire(stream) {
      if (running.size < total && countOf(stream.userId) < perUser) return start(stream)
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const entry: WaitingUpload = { stream, since: performance.now(), start: resolve }
      waiting.push(entry)
      displacement ??= setInterval(displaceOne, displaceAfterMs / 5)
      const timer = setTimeout(() => {
        stopWaiting(entry)
        reject(unavailable(TOO_MANY, RETRY_AFTER_SECONDS, LIMIT))
      }, maxWaitMs)
      return promise.finally(() => clearTimeout(timer))
    },
  }
}
