import type { AuditRecordedSchema, EventTopic } from '@skyfolio/proto'
import type { SqlTransaction } from '../postgres/database.ts'
import { type AuditEntry, recordAudit } from './audit.ts'

/** One entry stands for all views of one thing by one administrator in this time. */
const WINDOW_MS = 10 * 60_000
const MAX_REMEMBERED = 10_000

export interface ViewAuditDeps {
  /** The service's own topic. */
  topic: EventTopic<typeof AuditRecordedSchema>
  /** Runs `work` in one transaction of the service's Prisma client. */
  transaction: <T>(work: (tx: SqlTransaction) => Promise<T>) => Promise<T>
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
export function createViewAudit({ topic, transaction, afterCommit, now = Date.now }: ViewAuditDeps): ViewAudit {
  // In the order of their times, the oldest first.
  const recorded = new Map<string, { at: number; committed: Promise<void> }>()

  async function commit(entry: AuditEntry): Promise<void> {
    await transaction((tx) => recordAudit(tx, topic, entry))
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
