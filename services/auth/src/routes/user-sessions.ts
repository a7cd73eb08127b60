import { type App, notFound, requireUser } from '@skyfolio/kit'
import { endSession, type SessionCookieDeps } from './session-cookies.ts'
import { END_OTHER_SESSIONS, END_SESSION, LIST_SESSIONS, sessionBody } from './user-session-schemas.ts'

const config = { access: 'user' } as const

/** The sessions of the signed-in user. */
export function userSessionRoutes(app: App, deps: SessionCookieDeps): void {
  const { sessions } = deps

  app.get('/api/user/sessions', { config, schema: LIST_SESSIONS }, async (request) => {
    const { userId, sessionHash } = requireUser(request)
    return (await sessions.list(userId)).map((session) => sessionBody(session, sessionHash))
  })

  app.delete('/api/user/sessions/:id', { config, schema: END_SESSION }, async (request, reply) => {
    const identity = requireUser(request)
    const session = (await sessions.list(identity.userId)).find(({ id }) => id === request.params.id)
    if (!session) throw notFound('This session has already ended.')
    if (session.hash === identity.sessionHash) await endSession(deps, identity, reply)
    else await sessions.end(identity.userId, session.hash)
    reply.code(204)
    return null
  })

  app.delete('/api/user/sessions', { config, schema: END_OTHER_SESSIONS }, async (request, reply) => {
    const { userId, sessionHash } = requireUser(request)
    await sessions.endAll(userId, sessionHash)
    reply.code(204)
    return null
  })
}
