import { randomUUID } from 'node:crypto'
import { timestampNow } from '@bufbuild/protobuf/wkt'
import type { AuditAction, AuditRecordedSchema, EventTopic } from '@skyfolio/proto'
import type { SqlTransaction } from '../postgres/database.ts'
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
