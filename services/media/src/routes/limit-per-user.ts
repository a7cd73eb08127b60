import { badRequest, createLimiter, requireUser } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Hooks for the routes of signed-in users that are limited together. */
export interface UserLimit {
  preHandler(request: FastifyRequest, reply: FastifyReply): Promise<void>
  onSend(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

/**
 * Limits concurrent requests per user. A request ends with its response, but not before its handler: that works on when the client
 * has disconnected, or the gateway has given up.
 */
export function limitPerUser(options: Parameters<typeof createLimiter>[0]): UserLimit {
  const limiter = createLimiter(options)
  const ends = new WeakMap<FastifyRequest, () => void>()
  return {
    async preHandler(request, reply) {
      ends.set(request, await limiter.acquire({ key: requireUser(request).userId }))
      // Its response would be for nobody.
      if (reply.raw.destroyed) throw badRequest('The request was cut off.')
    },
    // The handler has a response, which may be a stream, or has failed.
    async onSend(request, reply) {
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
    limit: 'lists-of-user',
    messages: { tooManyOfKey: 'You are reading too many lists at once. Please wait a moment.' },
  })
}
