import { type App, errorResponses, Nullable } from '@skyfolio/kit'
import { Type } from 'typebox'
import { listAudit } from '../audit/list-audit.ts'
import type { AuthDeps } from '../deps.ts'
import { readInstallation } from '../statistics/installation.ts'

const INTEGER = Type.Integer()
const MEGABYTES = Type.Number({ description: 'Megabytes of 1,048,576 bytes, not rounded' })
const MEGABYTE = 1_048_576

const StatisticsBody = Type.Object({
  totalUsers: INTEGER,
  totalPhotos: INTEGER,
  storageUsedMB: MEGABYTES,
  activeUsersToday: Type.Integer({ description: 'Users who logged in or sent a request in the last 30 days' }),
  history: Type.Array(
    Type.Object({
      day: Type.String({ format: 'date', description: 'UTC' }),
      users: INTEGER,
      photos: INTEGER,
      storageMB: MEGABYTES,
      active: Type.Integer({ description: 'Users of the 30 days up to this one' }),
    }),
    { description: 'The last 30 days, oldest first and today last; days before the first known one are left out' },
  ),
})

const AuditEntryBody = Type.Object({
  at: Type.String({ format: 'date-time' }),
  actorId: Nullable(Type.Integer({ description: 'Null when it was no user' })),
  actor: Type.String({
    description: "A username, 'User 12' when the user is gone, 'Operator (command)' or 'System (automatic)'",
  }),
  action: Type.String({ description: "Such as 'photo.viewed'" }),
  subject: Type.String({ description: "Such as 'Photo 5 of pilot', 'User pilot', 'Installation'" }),
  detail: Type.String({ description: 'A few words; empty for none' }),
})

const GET_STATS = {
  summary: 'Returns the figures of the installation and their last 30 days',
  response: { 200: StatisticsBody, ...errorResponses },
}
const LIST_AUDIT = {
  summary: 'What administrators did to data of others, newest first',
  description: 'In pages with a `Link` to the next one',
  querystring: Type.Object({
    q: Type.Optional(
      Type.String({ maxLength: 200, description: 'Username of the actor or the owner, action, words of the subject' }),
    ),
    limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
  }),
  response: { 200: Type.Array(AuditEntryBody), ...errorResponses },
}

const PATH = '/api/admin/audit'
const config = { access: 'admin' } as const

/** The figures of the installation and the audit log, for administrators. */
export function adminLogRoutes(app: App, { db }: AuthDeps): void {
  app.get('/api/admin/stats', { config, schema: GET_STATS }, async () => {
    const { figures, history } = await readInstallation(db)
    return {
      totalUsers: figures.users,
      totalPhotos: figures.photos,
      storageUsedMB: figures.bytes / MEGABYTE,
      activeUsersToday: figures.active,
      history: history.map(({ bytes, ...day }) => ({ ...day, storageMB: bytes / MEGABYTE })),
    }
  })

  app.get(PATH, { config, schema: LIST_AUDIT }, async (request, reply) => {
    const { q = '', limit, cursor = null } = request.query
    const { lines, next } = await listAudit(db, { q: q.trim() || null, limit, cursor })
    if (next !== null) {
      const link = new URLSearchParams({ ...(q && { q }), limit: String(limit), cursor: next })
      reply.header('link', `<${PATH}?${link}>; rel="next"`)
    }
    reply.header('cache-control', 'private, no-store')
    return lines.map(({ at, ...line }) => ({ at: at.toISOString(), ...line }))
  })
}
