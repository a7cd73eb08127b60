import { type App, passwordEnteredAt, requireRecentPassword, requireUser, unauthenticated } from '@skyfolio/kit'
import type { FastifyRequest } from 'fastify'
import type { Sessions } from './sessions.ts'

// The gateway caches sessions for two seconds and signs identities for a minute. Where that is too late, the session is read.

/** Guards every route for signed-in users: a session that has just ended must not change the account. */
export function requireLiveSessions(app: App, sessions: Sessions): void {
  // After the access check of the server, which is a hook of the same kind.
  app.addHook('preParsing', async (request, _reply, payload) => {
    const { access } = request.routeOptions.config
    if (access !== 'user' && access !== 'admin') return payload
    if (!(await sessions.isRunning(requireUser(request).sessionHash))) throw unauthenticated()
    return payload
  })
}

/** Guards what an administrator does to users: the password was entered in this session within the last 15 minutes. */
export function recentPassword(sessions: Sessions): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const session = await sessions.find(requireUser(request).sessionHash)
    if (!session) throw unauthenticated()
    requireRecentPassword({ confirmedAt: passwordEnteredAt(session) })
  }
}
