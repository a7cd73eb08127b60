import {
  type AppError,
  createFairQueue,
  type FairQueue,
  type FairQueueOptions,
  LISTS_OF_USER,
  metrics,
  requestCutOff,
  requireUser,
  unavailable,
} from '@skyfolio/kit'
import { createRateLimit } from '@skyfolio/kit/rate-limit'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** An upload that waits or runs. */
export interface UploadStream {
  userId: number
  /** Bytes received so far. */
  bytes(): number
  /** No data arrives because the server does not read, or because the upload is complete: the client is not slow. */
  isWaitingForServer(): boolean
  /** Aborted when the upload is to wait no more. */
  signal?: AbortSignal
  /** Ends the upload in favour of others, with this error. It must then be released soon. */
  cutOff(reason: AppError): void
}

/** Bytes per second from which a stream is never cut off: a usual photo is then received within two minutes. */
const FAIR_RATE = 256 * 1024
/** Files that are received at the same time, in all and of one user; others wait: more at once would each be slower. */
export const UPLOAD_STREAMS = { total: 16, perUser: 4 }
const CUT_OFF = 'Other uploads are waiting and this one is too slow. Please try again in a moment.'
const TOO_MANY_UPLOADS = 'Too many uploads are running. Please try again in a moment.'
const UPLOAD_RETRY_AFTER_SECONDS = 5
/** Its name in metrics and logs: what it rejects is no outage. */
const UPLOAD_STREAM_LIMIT = 'upload-streams'

export type UploadLimiter = ReturnType<typeof createUploadLimiter>

const streams = metrics.gauge('skyfolio_upload_streams', 'Uploads being received or waiting', ['state'])

/**
 * Limits concurrent uploads. One that waits longer than `displaceAfterMs` displaces the slowest stream of a user who has at least two
 * more, unless that is fast enough. So a few users cannot block all others, and slow streams of users with equal shares do not
 * displace each other endlessly.
 */
export function createUploadLimiter(
  total: number,
  perUser: number,
  { maxWaitMs = 30_000, displaceAfterMs = 5_000 } = {},
) {
  const queue = createFairQueue({
    total,
    perKey: perUser,
    waitMs: maxWaitMs,
    displaceAfterMs,
    limitOfAll: UPLOAD_STREAM_LIMIT,
    messages: { tooMany: TOO_MANY_UPLOADS },
    retryAfter: UPLOAD_RETRY_AFTER_SECONDS,
  })
  metrics.onScrape('upload streams', () => [
    [streams, queue.running(), { state: 'running' }],
    [streams, queue.waiting(), { state: 'waiting' }],
  ])

  return {
    /** Waits until the upload may start; resolves with the function that releases it. @throws AppError 503 after too long a wait */
    async acquire(stream: UploadStream): Promise<() => void> {
      let start: { at: number; bytes: number } | undefined
      /** Its rate; null when it is to continue. */
      function rank(): number | null {
        const ms = start ? performance.now() - start.at : 0
        if (!start || ms < displaceAfterMs || stream.isWaitingForServer()) return null
        const rate = ((stream.bytes() - start.bytes) * 1000) / ms
        return rate < FAIR_RATE ? rate : null
      }
      const cutOff = () => stream.cutOff(unavailable(CUT_OFF, UPLOAD_RETRY_AFTER_SECONDS, UPLOAD_STREAM_LIMIT))
      const release = await queue.acquire({ key: stream.userId, signal: stream.signal, displaceable: { rank, cutOff } })
      start = { at: performance.now(), bytes: stream.bytes() }
      return release
    },
  }
}

export interface ShareOptions {
  /** Uploads of one user that are open in this process; 32 by default. */
  openPerUser?: number
  /** Over all replicas; 1,800 by default. */
  photosPerMinute?: number
}

/** Several windows that send a few files and parts each; further requests are rejected before their body is read. */
const OPEN_PER_USER = 32
/** Thirty a second, faster than two workers process them: who imports more waits for a moment, and nobody fills the queue. */
const PHOTOS_PER_MINUTE = 1_800
const TOO_FAST = 'You are uploading very many photos. The next ones are accepted in less than a minute.'
const TOO_MANY_OPEN = 'You have too many uploads open at the same time. Please try again in a moment.'

export type UploadShares = ReturnType<typeof createUploadShares>

/** What one user may take of the uploads: open requests, and files per minute. */
export function createUploadShares(
  redis: Parameters<typeof createRateLimit>[0],
  { openPerUser = OPEN_PER_USER, photosPerMinute = PHOTOS_PER_MINUTE }: ShareOptions = {},
) {
  const uploads = createFairQueue({
    perKey: openPerUser,
    maxWaiting: 0,
    limit: 'uploads-of-user',
    messages: { tooManyOfKey: TOO_MANY_OPEN },
  })
  const photos = createRateLimit(redis, {
    service: 'media',
    name: 'photos-of-user',
    windows: [{ count: photosPerMinute, seconds: 60 }],
    message: TOO_FAST,
  })
  /** Counts a part of a file as an open upload, and as no file. @throws AppError 429 */
  const openPart = (userId: number) => uploads.acquire({ key: userId })

  return {
    openPart,
    /**
     * Counts an upload and its first file; resolves with the function that ends the upload. Before its body is read, since a
     * rejected one must cost little. @throws AppError 429
     */
    async open(userId: number): Promise<() => void> {
      const end = await openPart(userId)
      try {
        await photos.count(userId)
      } catch (error) {
        end()
        throw error
      }
      return end
    },
    /**
     * Counts the files of new upload sessions. As with an upload that has begun, all are accepted when the first one is.
     * Resolves with the function that gives some of them back. @throws AppError 429
     */
    async countFiles(userId: number, count: number) {
      await photos.count(userId)
      if (count > 1) await photos.allows(userId, count - 1)
      return async (some: number) => {
        if (some > 0) await photos.refund(userId, some)
      }
    },
    /** Counts a further file of an open upload. It is received in any case: its bytes are on their way. */
    countFurther: async (userId: number) => void (await photos.allows(userId)),
    /** Counts a photo that is processed again, like an uploaded one. @throws AppError 429 */
    countProcessing: (userId: number) => photos.count(userId),
  }
}

/** Download managers request several ranges at the same time. */
const ARCHIVES_PER_USER = 4
/** Each one has some connections to the store. */
const ARCHIVES = 32

/** Bounds how many archives this process sends at the same time. */
export function createArchiveQueue(): FairQueue {
  return createFairQueue({
    total: ARCHIVES,
    perKey: ARCHIVES_PER_USER,
    maxWaiting: 0,
    limit: 'archives-of-user',
    messages: { tooManyOfKey: 'You are downloading several archives already. Please wait for one of them.' },
    retryAfter: 30,
  })
}

export type RenderLimiter = ReturnType<typeof createRenderLimiter>

/**
 * Bounds the memory and processors that rendering takes in a worker. Each function waits until it may run `work`. Photos and print images have a share each, so that neither waits for all of the others: `concurrency` photos, and as many print
 * images as the worker has jobs for. Users take turns, and of one user one image that is rendered alone waits for all others.
 */
export function createRenderLimiter(concurrency: number, prints = 0) {
  const total = concurrency + prints
  const all = createFairQueue({ total })
  const photos = createFairQueue({ total: concurrency })
  const printImages = createFairQueue({ total: Math.max(1, prints) })
  const aloneOfUser = createFairQueue({ perKey: 1 })
  return {
    // Who waits for its share holds nothing of the whole, so that the limits cannot block each other.
    /** A photo that needs little memory. */
    photo: <T>(key: number, work: () => Promise<T>) => photos.run({ key }, () => all.run({}, work)),
    /** A print image that needs little memory. */
    print: <T>(work: () => Promise<T>) => printImages.run({}, () => all.run({}, work)),
    /** An image that needs much memory: nothing else is rendered meanwhile. */
    alone: <T>(key: number, work: () => Promise<T>) => aloneOfUser.run({ key }, () => all.run({ weight: total }, work)),
  }
}

export type UserLimit = ReturnType<typeof limitPerUser>

/**
 * Hooks that limit concurrent requests per user to the routes that have them; few others wait. A request ends with its response, but not before its handler: that works on when the client
 * has disconnected, or the gateway has given up.
 */
export function limitPerUser(options: FairQueueOptions) {
  const queue = createFairQueue({ maxWaitingPerKey: 20, maxWaiting: 500, ...options })
  const ends = new WeakMap<FastifyRequest, () => void>()
  return {
    async preHandler(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      ends.set(request, await queue.acquire({ key: requireUser(request).userId }))
      // Its response would be for nobody.
      if (reply.raw.destroyed) throw requestCutOff()
    },
    // The handler has a response, which may be a stream, or has failed.
    async onSend(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const end = ends.get(request)
      if (!end) return
      if (reply.raw.destroyed) end()
      else reply.raw.once('close', end)
    },
  }
}

/** Each takes up to two connections of the pool: a user's reads leave some of them to everybody else, pictures included. */
const READS_PER_USER = 3

/** Limits all requests that read a user's gallery, whose cost grows with it: lists, the map, flights and tracks together. */
export function limitGalleryReads(): UserLimit {
  return limitPerUser({
    perKey: READS_PER_USER,
    // A map has many tiles.
    maxWaitingPerKey: 200,
    maxWaiting: 1000,
    ...LISTS_OF_USER,
  })
}
