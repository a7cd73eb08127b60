import type { AuditEntry } from '../generated/client.ts'

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

type Named = Pick<AuditEntry, 'at' | 'actorId' | 'action' | 'ownerId' | 'subjectId' | 'detail'>

/** What nobody did: the worker erases accounts whose time has come. */
export const SYSTEM_ACTION = 'user.erased'

const KINDS: Record<string, string> = { photo: 'Photo', folder: 'Folder', order: 'Order' }

/** Names users by their present names, and those who are gone by their ids. */
export function auditLine(entry: Named, usernames: Map<number, string>): AuditLine {
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
