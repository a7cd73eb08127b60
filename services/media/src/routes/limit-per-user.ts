import { createLimiter, requireUser } from '@skyfolio/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'

interface UserLimit {
  /** Concurrent requests of one user; others wait. */
  perKey: number
  /** Its name in metrics. */
  limit: string
  tooMany: string
}

/** A handler that limits concurrent requests per user. A request ends with its response, or when the client disconnects. */
export function limitPerUser({ perKey, limit, tooMany }: UserLimit) {
  const limiter = createLimiter({
    ...{ perKey, limit, maxWaitingPerKey: 50, maxWaiting: 500 },
    messages: { tooManyOfKey: tooMany },
  })
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const release = await limiter.acquire({ key: requireUser(request).userId })
    reply.raw.once('close', release)
    if (reply.raw.destroyed) release()
  }
}
