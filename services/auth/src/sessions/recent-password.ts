import { passwordEnteredAt, requireRecentPassword, requireUser, unauthenticated } from '@skyfolio/kit'
import type { FastifyRequest } from 'fastify'
import type { Sessions } from './sessions.ts'

/**
 * Guards what an administrator does to users: the password was entered in this session within the last 15 minutes. The session
 * is read anew: what the gateway knows of it may be two seconds old.
 */
export function recentPassword(sessions: Pick<Sessions, 'find'>): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const session = await sessions.find(requireUser(request).sessionHash)
    if (!session) throw unauthenticated()
    requireRecentPassword({ confirmedAt: passwordEnteredAt(session) })
  }
}
