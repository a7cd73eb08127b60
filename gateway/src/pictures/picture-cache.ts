import type { ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'

/** A rendition in memory. The bytes under a stored name never change. */
export interface Picture {
  bytes: Buffer
  /** Slow clients that still receive it. */
  readers: number
  isCached: boolean
}

export interface PictureCache {
  /** Larger pictures are not kept. */
  maxPictureBytes: number
  get(storedName: string): Picture | undefined
  /** Keeps the bytes as far as the bound allows. */
  add(storedName: string, bytes: Buffer): Picture
  /** Called after a response has begun: counts its bytes while a slow client receives them. */
  hold(picture: Picture, response: ServerResponse): void
  /** False while slow clients hold as many evicted bytes as the cache may have. */
  hasRoom(): boolean
  cachedBytes(): number
  evictedBytes(): number
  close(): void
}

/** Larger renditions are streamed: they are rare, and a few would displace all others. */
const MAX_PICTURE_BYTES = 2 * 1024 * 1024
/** The largest picture of a small cache is a part of it, so that it displaces few others. */
const LARGEST_PART = 1 / 4
/** About what name, buffer and list entry take beside the bytes. */
const OVERHEAD_BYTES = 512
/** Bytes of deleted photos stay no longer than this, and an idle process gives its memory back. */
const UNUSED_MS = 10 * 60_000
const SWEEP_MS = 60_000
/** How exactly the time of the last use is known. */
const CLOCK_MS = 1_000

/** Keeps at most `maxBytes` of the pictures that were used last, and as many evicted bytes for slow clients. */
export function createPictureCache(maxBytes: number): PictureCache {
  let evictedBytes = 0
  const cache = new LRUCache<string, Picture>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes.length + OVERHEAD_BYTES,
    ttl: UNUSED_MS,
    ttlResolution: CLOCK_MS,
    updateAgeOnGet: true,
    dispose(picture) {
      picture.isCached = false
      if (picture.readers > 0) evictedBytes += picture.bytes.length
    },
  })
  const sweep = setInterval(() => cache.purgeStale(), SWEEP_MS)
  sweep.unref()

  function release(picture: Picture): void {
    picture.readers -= 1
    if (picture.readers === 0 && !picture.isCached) evictedBytes -= picture.bytes.length
  }

  return {
    maxPictureBytes: Math.min(MAX_PICTURE_BYTES, Math.floor(maxBytes * LARGEST_PART) - OVERHEAD_BYTES),
    get: (storedName) => cache.get(storedName),
    add(storedName, bytes) {
      const picture = { bytes, readers: 0, isCached: true }
      cache.set(storedName, picture)
      return picture
    },
    hold(picture, response) {
      // Most responses are in the socket's buffer at once.
      if (response.writableFinished || response.destroyed) return
      picture.readers += 1
      if (picture.readers === 1 && !picture.isCached) evictedBytes += picture.bytes.length
      response.once('close', () => release(picture))
    },
    hasRoom: () => evictedBytes < maxBytes,
    cachedBytes: () => cache.calculatedSize,
    evictedBytes: () => evictedBytes,
    close() {
      clearInterval(sweep)
      cache.clear()
    },
  }
}
