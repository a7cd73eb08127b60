import { randomUUID } from 'node:crypto'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { AuditAction, AuditRecorded } from '@skyfolio/proto'
import type { Database, Transaction } from '../database.ts'

/** What an administrator, or an operator by a command, did to an account. */
export interface AccountAudit {
  /** Null: an operator's command. */
  actorId: number | null
  action: AuditAction
  /** The account. */
  ownerId: number
  /** Names of fields, counts or statuses: never a name or an address of somebody. */
  detail?: string
}

/** Commits entries of the audit log with what they are about, in this order. */
export async function writeAudit(tx: Transaction, ...entries: AccountAudit[]): Promise<void> {
  if (entries.length === 0) return
  const at = new Date()
  await tx.auditEntry.createMany({ data: entries.map((entry) => ({ ...entry, id: randomUUID(), at })) })
}

/** Adds an entry of another service to the audit log, unless it is there already. */
export async function saveAudit(tx: Transaction, entry: AuditRecorded): Promise<void> {
  const { id, at, actorId = null, action, ownerId = null, subjectId = null, detail } = entry
  if (!at) throw new Error('audit entry without a time')
  await tx.auditEntry.createMany({
    data: { id, at: timestampDate(at), actorId, action, ownerId, subjectId, detail },
    skipDuplicates: true,
  })
}

const BATCH = 5_000

/** Removes the entries that are older than so many days. Returns their number. */
export async function sweepAudit(db: Database, keptDays: number): Promise<number> {
  let swept = 0
  for (let batch = BATCH; batch === BATCH; swept += batch) {
    batch = await db.$executeRaw`
      DELETE FROM audit_log WHERE id IN (
        SELECT id FROM audit_log WHERE at < now() - make_interval(days => ${keptDays}) ORDER BY at, seq LIMIT ${BATCH})`
  }
  return swept
}
