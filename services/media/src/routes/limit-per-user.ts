import { createLimiter, requireUser } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A hook that limits concurrent requests per user. A request ends with its response, or when the client disconnects. */
export function limitPerUser(options: Parameters<typeof createLimiter>[0]) {
  const limiter = createLimiter(options)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const release = await limiter.acquire({ key: requireUser(request).userId })
    reply.raw.once('close', release)
    if (reply.raw.destroyed) release()
  }
}
