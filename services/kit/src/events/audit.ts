import { randomUUID } from 'node:crypto'
import { timestampNow } from '@bufbuild/protobuf/wkt'
import type { AuditAction, AuditRecordedSchema, EventTopic } from '@skyfolio/proto'
import type { SqlDatabase, SqlTransaction } from '../postgres/database.ts'
import { emit } from './outbox.ts'

/** What an administrator did to data of others, or to the installation. */
export interface AuditEntry {
  actorId: number
  action: AuditAction
  /** Whose data it is; absent: the installation's. */
  ownerId?: number
  /** The id of the photo, folder or order. */
  subjectId?: number
  /** A few words without personal data. */
  detail?: string
}

/** Commits an entry of the audit log with what it is about, as an event to auth, which keeps the log. */
export async function recordAudit(
  tx: SqlTransaction,
  topic: EventTopic<typeof AuditRecordedSchema>,
  ...entries: AuditEntry[]
): Promise<void> {
  const at = timestampNow()
  await emit(tx, topic, ...entries.map((entry) => ({ ...entry, id: randomUUID(), at })))
}

/** One entry stands for all views of one thing by one administrator in this time. */
const WINDOW_MS = 10 * 60_000
const MAX_REMEMBERED = 10_000

export interface ViewAuditDeps {
  /** The service's own topic. */
  topic: EventTopic<typeof AuditRecordedSchema>
  db: SqlDatabase
  /** Called after each commit of an entry. */
  afterCommit: () => void
  now?: () => number
}

export interface ViewAudit {
  /**
   * Resolves when it is committed that an administrator looks at data of somebody else. Call it before the data is sent:
   * when it rejects, nothing may be shown.
   */
  record(entry: AuditEntry): Promise<void>
}

/** Records what administrators look at, at most once for each administrator and thing in ten minutes of this process. */
export function createViewAudit({ topic, db, afterCommit, now = Date.now }: ViewAuditDeps): ViewAudit {
  // In the order of their times, the oldest first.
  const recorded = new Map<string, { at: number; committed: Promise<void> }>()

  async function commit(entry: AuditEntry): Promise<void> {
    await db.$transaction((tx) => recordAudit(tx, topic, entry))
    afterCommit()
  }

  function remember(key: string, committed: Promise<void>): void {
    recorded.delete(key)
    recorded.set(key, { at: now(), committed })
    const [oldest] = recorded.keys()
    if (recorded.size > MAX_REMEMBERED && oldest !== undefined) recorded.delete(oldest)
  }

  return {
    record(entry) {
      const key = `${entry.actorId} ${entry.action} ${entry.subjectId}`
      const last = recorded.get(key)
      if (last && now() - last.at < WINDOW_MS) return last.committed
      const committed = commit(entry)
      remember(key, committed)
      committed.catch(() => recorded.get(key)?.committed === committed && recorded.delete(key))
      return committed
    },
  }
}
