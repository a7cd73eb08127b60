import type { App } from '@skyfolio/kit'
import type { Pool } from 'pg'
import type { Static } from 'typebox'
import { type AuditPage, listAudit } from '../audit/list-audit.ts'
import type { Database } from '../database.ts'
import { readInstallation } from '../statistics/installation.ts'
import { auditBody, GET_STATS, LIST_AUDIT, statisticsBody } from './admin-log-schemas.ts'

export interface AdminLogRouteDeps {
  db: Database
  pool: Pool
}

const PATH = '/api/admin/audit'
const config = { access: 'admin' } as const

/** The figures of the installation and the audit log, for administrators. */
export function adminLogRoutes(app: App, { db, pool }: AdminLogRouteDeps): void {
  app.get('/api/admin/stats', { config, schema: GET_STATS }, async () => statisticsBody(await readInstallation(pool)))
  app.get(PATH, { config, schema: LIST_AUDIT }, async (request, reply) => {
    const { q = '', limit, cursor = null } = request.query
    const page = await listAudit(db, { q: q.trim() || null, limit, cursor })
    const next = linkOf(page, request.query)
    if (next) reply.header('link', next)
    reply.header('cache-control', 'private, no-store')
    return page.lines.map(auditBody)
  })
}

function linkOf({ next }: AuditPage, { q, limit }: Static<typeof LIST_AUDIT.querystring>): string | null {
  if (next === null) return null
  const query = new URLSearchParams({ ...(q && { q }), limit: String(limit), cursor: next })
  return `<${PATH}?${query}>; rel="next"`
}
