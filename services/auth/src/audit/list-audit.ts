import { decodeCursor, encodeCursor } from '../cursors.ts'
import type { Database } from '../database.ts'
import { type AuditEntry, Prisma } from '../generated/client.ts'
import { type AuditSearch, readSearch, SYSTEM_ACTION } from './audit-search.ts'

export interface AuditQuery {
  /** Null matches every entry. */
  q: string | null
  limit: number
  /** From the page before; null for the first page. */
  cursor: string | null
}

/** An entry of the audit log as people read it. */
export interface AuditLine {
  at: Date
  /** Null for commands and workers: a user may have the name that is shown for them. */
  actorId: number | null
  actor: string
  action: string
  subject: string
  detail: string
}

export interface AuditPage {
  lines: AuditLine[]
  /** Cursor of the next page; null on the last one. */
  next: string | null
}

type Named = Pick<AuditEntry, 'at' | 'actorId' | 'action' | 'ownerId' | 'subjectId' | 'detail'>

interface Entry extends Named, Pick<AuditEntry, 'seq'> {
  /** ISO 8601 with microseconds, as PostgreSQL has them. */
  position: string
}

interface Slice {
  /** A further condition: only entries after the position of the cursor. */
  after: Prisma.Sql
  take: number
}

const KINDS: Record<string, string> = { photo: 'Photo', folder: 'Folder', order: 'Order' }
const LAST_SEQ = 2n ** 63n - 1n
const COLUMNS = Prisma.sql`seq, at, actor_id AS "actorId", action, owner_id AS "ownerId", subject_id AS "subjectId", detail,
  to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS position`
const NEWEST_FIRST = Prisma.sql`ORDER BY at DESC, seq DESC`

/** Reads one page of the audit log, newest first. @throws 400 for an invalid cursor */
export async function listAudit(db: Database, { q, limit, cursor }: AuditQuery): Promise<AuditPage> {
  const slice = { after: afterCursor(cursor), take: limit + 1 }
  const search = q === null ? 'all' : await readSearch(db, q)
  const entries = search === null ? [] : await db.$queryRaw<Entry[]>(statement(search, slice))
  const shown = entries.slice(0, limit)
  const last = shown.at(-1)
  const usernames = await readUsernames(db, shown)
  return {
    lines: shown.map((entry) => auditLine(entry, usernames)),
    next: entries.length > limit && last ? encodeCursor({ time: last.position, number: last.seq }) : null,
  }
}

/**
 * For each action a page is read from the index that has the entries of this action and user, or subject, in the order of the
 * list; the newest of these are the page. So its cost depends on the length of the page, not on that of the log.
 */
function statement(search: AuditSearch | 'all', { after, take }: Slice): Prisma.Sql {
  if (search === 'all')
    return Prisma.sql`SELECT ${COLUMNS} FROM audit_log WHERE true ${after} ${NEWEST_FIRST} LIMIT ${take}::int`
  const { actions, subjectId, withoutActor } = search
  const further = Prisma.sql`
    ${subjectId === null ? Prisma.empty : Prisma.sql`AND subject_id = ${subjectId}::int`}
    ${withoutActor ? Prisma.sql`AND actor_id IS NULL` : Prisma.empty} ${after}`
  const branches = userConditions(search).map(
    (condition) => Prisma.sql`(SELECT * FROM audit_log WHERE audit_log.action = wanted.name AND ${condition} ${further}
      ${NEWEST_FIRST} LIMIT ${take}::int)`,
  )
  return Prisma.sql`
    SELECT ${COLUMNS} FROM unnest(${actions}::text[]) AS wanted (name)
    CROSS JOIN LATERAL (${Prisma.join(branches, ' UNION ALL ')}) AS entry ${NEWEST_FIRST} LIMIT ${take}::int`
}

/** Conditions of which at most one holds for an entry, each with an index. */
function userConditions({ users: [first, second] }: AuditSearch): Prisma.Sql[] {
  if (first === undefined) return [Prisma.sql`true`]
  if (second === undefined) {
    return [
      Prisma.sql`actor_id = ${first}::int`,
      Prisma.sql`owner_id = ${first}::int AND actor_id IS DISTINCT FROM ${first}::int`,
    ]
  }
  return [
    Prisma.sql`owner_id = ${first}::int AND actor_id = ${second}::int`,
    Prisma.sql`owner_id = ${second}::int AND actor_id = ${first}::int`,
  ]
}

async function readUsernames(db: Database, entries: Entry[]): Promise<Map<number, string>> {
  const ids = new Set(entries.flatMap(({ actorId, ownerId }) => [actorId ?? [], ownerId ?? []].flat()))
  const users = await db.user.findMany({ where: { id: { in: [...ids] } }, select: { id: true, username: true } })
  return new Map(users.map(({ id, username }) => [id, username]))
}

/** @throws 400 for an invalid cursor */
function afterCursor(cursor: string | null): Prisma.Sql {
  if (cursor === null) return Prisma.empty
  const { time, number } = decodeCursor(cursor, LAST_SEQ)
  return Prisma.sql`AND (at, seq) < (${time}::timestamptz, ${number}::bigint)`
}

/** Names users by their present names, and those who are gone by their ids. */
function auditLine(entry: Named, usernames: Map<number, string>): AuditLine {
  const { at, actorId, action, detail } = entry
  const userNamed = (id: number) => usernames.get(id) ?? `User ${id}`
  return { at, actorId, actor: actorOf(entry, userNamed), action, subject: subjectOf(entry, userNamed), detail }
}

function actorOf({ actorId, action }: Named, userNamed: (id: number) => string): string {
  if (actorId !== null) return userNamed(actorId)
  return action === SYSTEM_ACTION ? 'System (automatic)' : 'Operator (command)'
}

function subjectOf({ action, ownerId, subjectId }: Named, userNamed: (id: number) => string): string {
  if (ownerId === null) return 'Installation'
  const owner = userNamed(ownerId)
  const kind = KINDS[action.slice(0, action.indexOf('.'))]
  if (!kind) return owner === `User ${ownerId}` ? owner : `User ${owner}`
  return subjectId === null ? `${kind}s of ${owner}` : `${kind} ${subjectId} of ${owner}`
}
