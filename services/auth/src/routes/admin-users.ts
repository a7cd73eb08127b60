import { type App, requireUser } from '@skyfolio/kit'
import { readAdminUser } from '../administration/admin-users.ts'
import type { Administration } from '../administration/administration.ts'
import { readChanges } from '../administration/change-form.ts'
import { listUsers } from '../administration/list-users.ts'
import type { Database } from '../database.ts'
import { recentPassword } from '../sessions/recent-password.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { adminUserBody, GET_ADMIN_USER, LIST_USERS, PATCH_USER, SEND_RESET } from './admin-user-schemas.ts'

export interface AdminUserRouteDeps {
  db: Database
  sessions: Sessions
  administration: Administration
}

const PATH = '/api/admin/users'
const config = { access: 'admin' } as const
const ROLES = { all: null, admin: true, user: false }

/** What administrators see of users, and change. */
export function adminUserRoutes(app: App, { db, sessions, administration }: AdminUserRouteDeps): void {
  const change = { config, preHandler: recentPassword(sessions) }

  app.get(PATH, { config, schema: LIST_USERS }, async (request, reply) => {
    const { q = '', role = 'all', sort = 'newest', limit = 50, cursor = null } = request.query
    const query = { q: q.trim() || null, isAdmin: ROLES[role], sort }
    const { users, next, total } = await listUsers(db, query, { limit, cursor })
    reply.header('x-total-count', total).header('cache-control', 'private, no-store')
    if (next !== null) {
      const link = new URLSearchParams({ limit: String(limit), sort, role, ...(q && { q }), cursor: next })
      reply.header('link', `<${PATH}?${link}>; rel="next"`)
    }
    return users.map(adminUserBody)
  })

  app.get(`${PATH}/:id`, { config, schema: GET_ADMIN_USER }, async (request) =>
    adminUserBody(await readAdminUser(db, request.params.id)),
  )

  app.patch(`${PATH}/:id`, { ...change, schema: PATCH_USER }, async (request) => {
    const { userId } = requireUser(request)
    return adminUserBody(await administration.change(userId, request.params.id, readChanges(request.body)))
  })

  app.post(`${PATH}/:id/password-reset`, { ...change, schema: SEND_RESET }, async (request, reply) => {
    await administration.sendPasswordReset(requireUser(request).userId, request.params.id)
    reply.code(202)
    return {}
  })
}
