import type { SqlTransaction } from '@skyfolio/kit'
import type pg from 'pg'
import { ORIGINALS_PREFIX } from '../files/object-keys.ts'
import type { Photo } from '../generated/client.ts'
import { UPLOAD_TERMS, type UploadTerms } from '../usage/quota.ts'
import type { SessionDeps } from './deps.ts'
import { unverifiedFile, uploadBusy } from './errors.ts'
import { COLUMNS, type Failure, LEASE_SECONDS, type SessionRow } from './rows.ts'

/** The right to complete or end a session. */
export interface Lease {
  session: SessionRow
  leaseId: string
  terms: UploadTerms
}

/** After its end a session says for so long what became of it. */
const HOURS_AFTER_END = 24

const OPEN_AGAIN = `
  UPDATE upload_sessions SET state = 'open', lease_id = NULL, lease_until = NULL WHERE id = $1 AND lease_id = $2::uuid`
const COMPLETED = `
  UPDATE upload_sessions SET state = 'completed', photo_id = $3::int, duplicate = $4::boolean,
    lease_id = NULL, lease_until = NULL, expires_at = now() + interval '${HOURS_AFTER_END} hours'
  WHERE id = $1 AND lease_id = $2::uuid`

/** Leases an open session of the user, or one whose lease has expired. Null: there is none in these states. */
export async function takeLease(
  { pool, defaultQuota }: Pick<SessionDeps, 'pool' | 'defaultQuota'>,
  userId: number,
  id: string,
): Promise<Lease | null> {
  const leaseId = crypto.randomUUID()
  const { rows } = await pool.query<SessionRow & UploadTerms>({
    name: 'upload-session-lease',
    text: `WITH leased AS (UPDATE upload_sessions SET state = 'completing', lease_id = $4,
          lease_until = now() + interval '${LEASE_SECONDS} seconds'
        WHERE id = $3 AND user_id = $1 AND expires_at > now()
          AND (state = 'open' OR state = 'completing' AND lease_until < now())
        RETURNING ${COLUMNS})
      SELECT * FROM leased, ${UPLOAD_TERMS}`,
    values: [userId, defaultQuota, id, leaseId],
  })
  if (!rows[0]) return null
  const { publicByDefault, limit, used, ...session } = rows[0]
  return { session, leaseId, terms: { publicByDefault, limit, used } }
}

/** The session is open again; nothing happens when somebody else has leased it. */
export async function releaseLease(pool: pg.Pool, { session, leaseId }: Lease): Promise<void> {
  await pool.query({ name: 'upload-session-release', text: OPEN_AGAIN, values: [session.id, leaseId] })
}

/**
 * Notes in the transaction of a photo that its session is completed. Without one, since there is no room for it, the session is open
 * again. @throws AppError 409 when somebody else has the lease now, or the worker has to decide first
 */
export async function saveOutcome(
  tx: SqlTransaction,
  { session, leaseId }: Lease,
  photo: Photo | undefined,
): Promise<void> {
  const isOurs = photo?.filename.startsWith(session.objectId)
  if (photo && !isOurs && !photo.sha256Verified) await rejectOtherFile(tx, session, photo)
  // A new photo has its first revision.
  const isDuplicate = photo && (photo.revision > 1 || !isOurs)
  const lease = [session.id, leaseId]
  const changed = photo
    ? await tx.$executeRawUnsafe(COMPLETED, ...lease, photo.id, isDuplicate)
    : await tx.$executeRawUnsafe(OPEN_AGAIN, ...lease)
  if (changed === 0) throw uploadBusy()
}

/**
 * A photo whose SHA-256 is a claim, too, is this file unless its size or its parts say otherwise; parts of another size say nothing.
 * If they do, one of the two claims is wrong: the worker decides, and the client tries again. @throws AppError 409
 */
async function rejectOtherFile(tx: SqlTransaction, { size, partBytes, partHashes }: SessionRow, photo: Photo) {
  const [other] = await tx.$queryRawUnsafe<unknown[]>(
    `SELECT 1 FROM upload_sessions WHERE photo_id = $1::int AND user_id = $2::int AND part_hashes <> $4
      AND (part_bytes = $3::int OR size <= least(part_bytes, $3::int))`,
    ...[photo.id, photo.userId, partBytes, partHashes],
  )
  if (other || size !== photo.filesize) throw unverifiedFile()
}

/** Notes why a session failed, and schedules the removal of its object. */
export async function failSession(pool: pg.Pool, { session, leaseId }: Lease, failure: Failure): Promise<void> {
  const { rowCount } = await pool.query(
    `WITH failed AS (
      UPDATE upload_sessions SET state = 'failed', failure = $3, lease_id = NULL, lease_until = NULL,
        expires_at = now() + interval '${HOURS_AFTER_END} hours'
      WHERE id = $1 AND lease_id = $2 RETURNING object_id, user_id)
    INSERT INTO object_removals (key, user_id) SELECT $4 || object_id, user_id FROM failed
    ON CONFLICT (key) DO UPDATE SET user_id = EXCLUDED.user_id`,
    [session.id, leaseId, JSON.stringify(failure), ORIGINALS_PREFIX],
  )
  if (rowCount === 0) throw uploadBusy()
}
