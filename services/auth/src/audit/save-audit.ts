import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { AuditRecorded } from '@skyfolio/proto'
import type { Transaction } from '../database.ts'

/** Adds an entry of another service to the audit log, unless it is there already. */
export async function saveAudit(tx: Transaction, entry: AuditRecorded): Promise<void> {
  const { id, at, actorId = null, action, ownerId = null, subjectId = null, detail } = entry
  if (!at) throw new Error('audit entry without a time')
  await tx.auditEntry.createMany({
    data: { id, at: timestampDate(at), actorId, action, ownerId, subjectId, detail },
    skipDuplicates: true,
  })
}
