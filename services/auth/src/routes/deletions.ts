import { type App, expiredSessionCookie, invalidFields, requireUser } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import type { Deletions } from '../deletion/deletions.ts'
import { listDeletions } from '../deletion/list-deletions.ts'
import { recentPassword } from '../sessions/recent-password.ts'
import {
  DELETE_ACCOUNT,
  DELETE_OWN_ACCOUNT,
  deletionBody,
  LIST_DELETIONS,
  RESTORE_ACCOUNT,
  RESTORE_OWN_ACCOUNT,
} from './deletion-schemas.ts'
import { type SessionCookieDeps, setSessionCookie } from './session-cookies.ts'

export interface DeletionRouteDeps extends Pick<SessionCookieDeps, 'secureCookies' | 'sessions'> {
  db: Database
  deletions: Deletions
}

const user = { access: 'user' } as const
const admin = { access: 'admin' } as const

/** Deletion of accounts, by their users and by administrators. */
export function deletionRoutes(app: App, deps: DeletionRouteDeps): void {
  const { db, deletions, sessions, secureCookies } = deps
  const change = { config: admin, preHandler: recentPassword(sessions) }

  app.delete('/api/user', { config: user, schema: DELETE_OWN_ACCOUNT }, async (request, reply) => {
    const { password = '' } = request.body
    if (password === '') throw invalidFields({ password: 'Password is required' })
    const deletesAt = await deletions.requestOwn(requireUser(request), password)
    reply.header('set-cookie', expiredSessionCookie({ secure: secureCookies })).code(202)
    return { deletesAt: deletesAt.toISOString() }
  })

  app.post('/api/user/restore', { config: user, schema: RESTORE_OWN_ACCOUNT }, async (request, reply) => {
    const session = await deletions.restoreOwn(requireUser(request))
    if (session) setSessionCookie(deps, session, reply)
    reply.code(204)
    return null
  })

  app.delete('/api/admin/users/:id', { ...change, schema: DELETE_ACCOUNT }, async (request, reply) => {
    const deletesAt = await deletions.request(requireUser(request).userId, request.params.id)
    reply.code(202)
    return { deletesAt: deletesAt.toISOString() }
  })

  app.post('/api/admin/users/:id/restore', { ...change, schema: RESTORE_ACCOUNT }, async (request, reply) => {
    await deletions.restore(requireUser(request).userId, request.params.id)
    reply.code(204)
    return null
  })

  app.get('/api/admin/deletions', { config: admin, schema: LIST_DELETIONS }, async () =>
    (await listDeletions(db)).map(deletionBody),
  )
}
