import { type App, requireUser, unauthenticated } from '@skyfolio/kit'
import type { Sessions } from './sessions.ts'

/**
 * Guards every route for signed-in users: the session must still run. The gateway caches sessions for two seconds and signs
 * identities for a minute, in which a session that has just ended must not change the account.
 */
export function requireLiveSessions(app: App, sessions: Sessions): void {
  // After the access check of the server, which is a hook of the same kind.
  app.addHook('preParsing', async (request, _reply, payload) => {
    const { access } = request.routeOptions.config
    if (access !== 'user' && access !== 'admin') return payload
    if (!(await sessions.isRunning(requireUser(request).sessionHash))) throw unauthenticated()
    return payload
  })
}
