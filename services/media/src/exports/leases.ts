import { randomUUID } from 'node:crypto'
import type { Database, Transaction } from '../database.ts'
import { isErased } from '../erasure/tombstone.ts'
import { exportFileKey } from '../files/object-keys.ts'
import type { Export, Prisma } from '../generated/client.ts'
import type { ExportProgress } from './export-rows.ts'

/** The right of one worker to prepare an export. */
export interface ExportLease {
  row: Export
  leaseId: string
  progress: ExportProgress
}

/** Another worker prepares the export, or it or its user was deleted. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError'
}

/**
 * Acquires a lease on the export that waits longest for a turn, for `seconds`, and counts an attempt. A user has one export,
 * so users take turns. Returns null when none waits.
 */
export async function acquireNextExportLease(db: Database, seconds: number): Promise<ExportLease | null> {
  const leaseId = randomUUID()
  const acquired = await db.$executeRaw`
    UPDATE exports SET attempts = attempts + 1, lease_id = ${leaseId}::uuid,
      lease_until = now() + make_interval(secs => ${seconds})
    WHERE id = (
      SELECT id FROM exports WHERE status = 'preparing' AND (lease_until IS NULL OR lease_until < now())
        AND NOT EXISTS (SELECT 1 FROM deleted_users WHERE deleted_users.user_id = exports.user_id)
      ORDER BY coalesce(lease_until, created_at), id LIMIT 1 FOR UPDATE SKIP LOCKED)`
  if (acquired === 0) return null
  const row = await db.export.findFirst({ where: { leaseId } })
  return row && { row, leaseId, progress: row.progress as ExportProgress }
}

/** Extends the lease by `seconds` from now. */
export async function renewExportLease(db: Database, { row, leaseId }: ExportLease, seconds: number): Promise<void> {
  await db.$executeRaw`
    UPDATE exports SET lease_until = now() + make_interval(secs => ${seconds})
    WHERE id = ${row.id} AND lease_id = ${leaseId}::uuid`
}

/** Releases the lease, with a retry in `seconds`. `uncounted` when the attempt did not fail by itself. */
export async function releaseExportLease(
  db: Database,
  { row, leaseId }: ExportLease,
  seconds: number,
  uncounted: boolean,
): Promise<void> {
  await db.$executeRaw`
    UPDATE exports SET lease_id = NULL, lease_until = now() + make_interval(secs => ${seconds}),
      attempts = attempts - ${uncounted ? 1 : 0}
    WHERE id = ${row.id} AND lease_id = ${leaseId}::uuid`
}

/** Saves the progress in a transaction that commits only while the lease is held. @throws LeaseLostError */
export async function saveProgress(tx: Transaction | Database, lease: ExportLease): Promise<void> {
  if (await isErased(tx, lease.row.userId)) throw new LeaseLostError('the user is being erased')
  await update(tx, lease, { progress: lease.progress as Prisma.InputJsonObject })
}

/** Ends the preparation. @throws LeaseLostError */
export async function endPreparation(
  tx: Transaction | Database,
  lease: ExportLease,
  result: Prisma.ExportUncheckedUpdateManyInput,
): Promise<void> {
  await update(tx, lease, { ...result, leaseId: null, leaseUntil: null })
}

async function update(
  tx: Transaction | Database,
  { row, leaseId }: ExportLease,
  data: Prisma.ExportUncheckedUpdateManyInput,
): Promise<void> {
  const { count } = await tx.export.updateMany({ where: { id: row.id, leaseId, status: 'preparing' }, data })
  if (count === 0) throw new LeaseLostError('the lease of the export was lost')
}

/** The key of a file that this attempt stores. */
export function fileKeyOf({ row, leaseId }: ExportLease, number: number): string {
  return exportFileKey(row.id, leaseId.slice(0, 8), number)
}
