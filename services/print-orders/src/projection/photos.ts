import type { SqlTransaction } from '@skyfolio/kit'
import type { Photo } from '@skyfolio/proto'

interface PhotoRow {
  id: number
  revision: number
  deleted: boolean
  userId: number
  title: string
}

interface SavedPhoto {
  /** False: this or a newer revision was stored already. */
  isNew: boolean
  /** Orders have the photo without its title. */
  isAwaited: boolean
}

/** Stores owner and title of a photo unless a newer revision is stored. */
export function savePhoto(
  sql: SqlTransaction,
  { id, userId, title }: Pick<Photo, 'id' | 'userId' | 'title'>,
  revision: number,
): Promise<SavedPhoto> {
  return save(sql, { id, revision, deleted: false, userId, title })
}

/** Replaces a photo by a tombstone. Returns false if this or a newer revision is stored already. */
export async function tombstonePhoto(
  sql: SqlTransaction,
  id: number,
  userId: number,
  revision: number,
): Promise<boolean> {
  return (await save(sql, { id, revision, deleted: true, userId, title: '' })).isNew
}

// A revision identifies a state: a row that differs at the same revision is damaged and is corrected. A photo with an
// event is no longer in doubt (see kit's photo-projection.ts). Nothing of an erased user returns: only a tombstone without a title.
const SAVE = `
  WITH confirmed AS (DELETE FROM doubted_photos WHERE id = $1::int),
  state AS (
    SELECT erased OR $3::boolean AS deleted, CASE WHEN erased THEN '' ELSE $5::text END AS title
    FROM (SELECT EXISTS (SELECT FROM deleted_users WHERE user_id = $4::int) AS erased) AS owner
  ),
  saved AS (
    INSERT INTO photos AS stored (id, revision, deleted, user_id, title)
    SELECT $1::int, $2::int, deleted, $4::int, title FROM state
    ON CONFLICT (id) DO UPDATE SET
      revision = excluded.revision, deleted = excluded.deleted, user_id = excluded.user_id, title = excluded.title
    WHERE stored.revision < excluded.revision
      OR (stored.revision = excluded.revision AND NOT stored.deleted
          AND (stored.deleted, stored.user_id, stored.title)
            IS DISTINCT FROM (excluded.deleted, excluded.user_id, excluded.title))
    RETURNING id
  )
  SELECT EXISTS (SELECT FROM saved) AS "isNew",
    EXISTS (SELECT FROM order_items WHERE photo_id = $1::int AND photo_title IS NULL) AS "isAwaited"`

async function save(sql: SqlTransaction, { id, revision, deleted, userId, title }: PhotoRow): Promise<SavedPhoto> {
  const [saved] = await sql.$queryRawUnsafe<SavedPhoto[]>(SAVE, id, revision, deleted, userId, title)
  if (!saved) throw new Error('no response about a photo')
  return saved
}
