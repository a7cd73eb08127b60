import { createLimiter, requireUser } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Runs before the handler of a route of signed-in users. */
export type UserHook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** A hook that limits concurrent requests per user. A request ends with its response, or when the client disconnects. */
export function limitPerUser(options: Parameters<typeof createLimiter>[0]): UserHook {
  const limiter = createLimiter(options)
  return async (request, reply) => {
    const release = await limiter.acquire({ key: requireUser(request).userId })
    reply.raw.once('close', release)
    if (reply.raw.destroyed) release()
  }
}

/** Each takes up to two connections of the pool: a user's reads leave some of them to everybody else, pictures included. */
const READS_PER_USER = 3

/** A hook for all requests that read a user's gallery, whose cost grows with it: lists, the map, flights and tracks together. */
export function limitGalleryReads(): UserHook {
  return limitPerUser({
    perKey: READS_PER_USER,
    // A map has many tiles.
    maxWaitingPerKey: 200,
    maxWaiting: 1000,
    limit: 'lists-of-user',
    messages: { tooManyOfKey: 'You are reading too many lists at once. Please wait a moment.' },
  })
}
