import { randomUUID } from 'node:crypto'
import type { AuditAction } from '@skyfolio/proto'
import type { Transaction } from '../database.ts'

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
