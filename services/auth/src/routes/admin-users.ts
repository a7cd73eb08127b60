import { type App, errorResponses, Nullable, requireUser } from '@skyfolio/kit'
import { Type } from 'typebox'
import { readUserChanges, UserForm } from '../accounts/forms.ts'
import { changeAsAdministrator, sendPasswordReset } from '../administration/change-users.ts'
import { type AdminUser, listUsers, readAdminUser } from '../administration/list-users.ts'
import { MAX_COUNT } from '../administration/search-users.ts'
import type { AuthDeps } from '../deps.ts'
import { recentPassword } from '../sessions/session-guards.ts'

const NullableText = Nullable(Type.String())
const DateTime = Type.String({ format: 'date-time' })

const AdminUserBody = Type.Object({
  id: Type.Integer(),
  username: Type.String(),
  email: NullableText,
  emailConfirmed: Type.Boolean(),
  firstName: NullableText,
  lastName: NullableText,
  isAdmin: Type.Boolean(),
  disabled: Type.Boolean({ description: 'Cannot log in, and shares nothing' }),
  createdAt: DateTime,
  lastActiveAt: Nullable(DateTime),
  photoCount: Type.Integer({ description: 'Photos of the gallery' }),
  storageUsed: Type.Integer({ description: 'Bytes of all originals, those of the metadata screen included' }),
  quota: Nullable(Type.Integer({ description: "Bytes; null: the installation's default" })),
  deletesAt: Nullable(
    Type.String({ format: 'date-time', description: 'When the account is deleted; null unless that was requested' }),
  ),
  deletionByAdmin: Type.Boolean({ description: 'An administrator requested the deletion' }),
})

const UserParams = Type.Object({ id: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }) })

const UsersQuery = Type.Object({
  q: Type.Optional(
    Type.String({ maxLength: 200, description: 'Substring of username, address or name, case-insensitive' }),
  ),
  role: Type.Optional(
    Type.Union([Type.Literal('all'), Type.Literal('admin'), Type.Literal('user')], { default: 'all' }),
  ),
  sort: Type.Optional(Type.Union([Type.Literal('newest'), Type.Literal('oldest')], { default: 'newest' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 100, description: 'From the Link header of the previous page' })),
})

const LIST_USERS = {
  summary: 'Lists users',
  description: `Users in pages with a \`Link\` to the next one. \`X-Total-Count\` is exact without \`q\`; otherwise exact up to
${MAX_COUNT}, and ${MAX_COUNT + 1} stands for more.`,
  querystring: UsersQuery,
  response: { 200: Type.Array(AdminUserBody), ...errorResponses },
}
const GET_ADMIN_USER = {
  summary: 'Returns a user',
  params: UserParams,
  response: { 200: AdminUserBody, ...errorResponses },
}
const PATCH_USER = {
  summary: 'Changes the given fields of a user; null or an empty text removes a name or the address',
  params: UserParams,
  body: UserForm,
  response: { 200: AdminUserBody, ...errorResponses },
}
const SEND_RESET = {
  summary: "Sends a link for a new password to the user's confirmed address",
  params: UserParams,
  response: { 202: Type.Object({}), ...errorResponses },
}

const PATH = '/api/admin/users'
const config = { access: 'admin' } as const
const ROLES = { all: null, admin: true, user: false }

/** What administrators see of users, and change. */
export function adminUserRoutes(app: App, deps: AuthDeps): void {
  const { db, sessions } = deps
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
    const { id } = request.params
    await changeAsAdministrator(deps, requireUser(request).userId, id, readUserChanges(request.body))
    return adminUserBody(await readAdminUser(db, id))
  })

  app.post(`${PATH}/:id/password-reset`, { ...change, schema: SEND_RESET }, async (request, reply) => {
    await sendPasswordReset(deps, requireUser(request).userId, request.params.id)
    reply.code(202)
    return {}
  })
}

function adminUserBody(user: AdminUser): Type.Static<typeof AdminUserBody> {
  return {
    ...user,
    createdAt: user.createdAt.toISOString(),
    lastActiveAt: user.lastActiveAt?.toISOString() ?? null,
    storageUsed: Number(user.storageUsed),
    quota: user.quota === null ? null : Number(user.quota),
    deletesAt: user.deletesAt?.toISOString() ?? null,
  }
}
