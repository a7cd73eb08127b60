import { useEffect, useState } from 'react'

/** Before each further attempt, in milliseconds. */
const RETRY_DELAYS = [2_000, 6_000, 20_000]

/**
 * The delay before a picture that failed `failures` times is requested again; null: it is given up. Random, so that the
 * pictures of all visitors do not return at the same time.
 */
export function imageRetryDelay(failures: number, random = Math.random()): number | null {
  const delay = RETRY_DELAYS[failures - 1]
  return delay === undefined ? null : delay * (1 + random / 2)
}

interface Failure {
  src: string
  count: number
  /** Nothing is requested now. */
  waiting: boolean
}

interface ImageLoadOptions {
  onLoad?: () => void
  /** Called once, not for further attempts. */
  onError?: () => void
}

/**
 * The state of a picture: browsers do not say why one failed. It may be a busy server, so it is requested again some
 * times, and when the browser is online again.
 */
export function useImageLoad(src: string | null, { onLoad, onError }: ImageLoadOptions) {
  const [loaded, setLoaded] = useState<string | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const failed = failure !== null && failure.src === src
  const count = failed ? failure.count : 0
  const waiting = failed && failure.waiting

  useEffect(() => {
    if (!waiting || src === null) return
    const tryAgain = () => setFailure({ src, count, waiting: false })
    const delay = imageRetryDelay(count)
    const timer = delay === null ? undefined : setTimeout(tryAgain, delay)
    addEventListener('online', tryAgain)
    return () => {
      clearTimeout(timer)
      removeEventListener('online', tryAgain)
    }
  }, [waiting, src, count])

  return {
    loaded: loaded === src,
    /** The last attempt failed, and no further one has succeeded yet. */
    failed,
    /** A further attempt follows later, or none. */
    waiting,
    /** A picture that the browser has already is shown in the same frame. */
    ref: (image: HTMLImageElement | null) => {
      if (image?.complete && image.naturalWidth > 0) setLoaded(src)
    },
    onLoad: () => {
      setLoaded(src)
      setFailure(null)
      onLoad?.()
    },
    onError: () => {
      if (src !== null) setFailure({ src, count: count + 1, waiting: true })
      if (count === 0) onError?.()
    },
  }
}
