import { timestampDate } from '@bufbuild/protobuf/wkt'
import { type Photo, PhotoStatus } from '@skyfolio/proto'
import type { Database, Transaction } from '../database.ts'
import { shareUserLock } from './users.ts'

const STATUS: Partial<Record<PhotoStatus, string>> = {
  [PhotoStatus.PROCESSING]: 'processing',
  [PhotoStatus.READY]: 'ready',
  [PhotoStatus.FAILED]: 'failed',
}

/** Stores a photo's state unless a newer revision is stored, or its owner is deleted. */
export async function savePhoto(tx: Transaction, photo: Photo, revision: number): Promise<void> {
  await shareUserLock(tx, photo.userId)
  await save(tx, {
    id: photo.id,
    revision,
    deleted: false,
    user_id: photo.userId,
    folder_id: photo.folderId,
    own_is_public: photo.ownIsPublic,
    own_visibility_revision: photo.ownVisibilityRevision,
    title: photo.title,
    description: photo.description,
    filename: photo.filename,
    filesize: photo.filesize,
    latitude: photo.latitude,
    longitude: photo.longitude,
    altitude: photo.altitude,
    city: photo.city,
    county: photo.county,
    state: photo.state,
    date_taken: photo.dateTaken,
    created_at: photo.createdAt && timestampDate(photo.createdAt),
    status: STATUS[photo.status],
    status_message: photo.statusMessage,
    width: photo.width,
    height: photo.height,
    thumbnail: photo.thumbnail,
    preview: photo.preview,
    small: photo.small,
    medium: photo.medium,
    thumbhash: photo.thumbhash,
    projection: photo.projection,
    own_position: photo.ownPosition,
    raw_of: photo.isRaw ? photo.pairedWith : undefined,
    metadata: photo.metadata,
  })
}

/** Replaces a photo by a tombstone without its data. Returns false if this or a newer revision is stored already. */
export function tombstonePhoto(tx: Transaction, id: number, userId: number, revision: number): Promise<boolean> {
  return save(tx, { id, revision, user_id: userId, ...ERASED })
}

/** Replaces the user's photos with ids after `after` and up to `last` by tombstones. */
export async function tombstonePhotosOf(db: Database, userId: number, after: number, last: number): Promise<void> {
  await db.$executeRawUnsafe(ERASE, JSON.stringify(ERASED), userId, after, last)
}

/** What a tombstone has in place of the photo's data. */
const ERASED = {
  deleted: true,
  own_visibility_revision: 0,
  title: '',
  filename: '',
  filesize: 0,
  created_at: new Date(0),
  status: 'ready',
}

const COLUMNS = [
  ...['id', 'revision', 'deleted', 'user_id', 'folder_id', 'own_is_public', 'own_visibility_revision', 'title'],
  ...['description', 'filename', 'filesize', 'latitude', 'longitude', 'altitude', 'city', 'county', 'state'],
  ...['date_taken', 'created_at', 'status', 'status_message', 'width', 'height', 'thumbnail', 'preview'],
  ...['small', 'medium', 'thumbhash', 'projection', 'metadata', 'raw_of', 'own_position'],
] as const

const columnsOf = (row: string) => COLUMNS.map((name) => `${row}.${name}`)

// A revision identifies a state: a row that differs at the same revision is damaged, or was stored before one of its
// columns was added, and is corrected. A photo with an event is no longer in doubt (see kit's events/commands.ts).
const SAVE = `
WITH confirmed AS (DELETE FROM doubted_photos WHERE id = ($1::jsonb ->> 'id')::integer)
INSERT INTO photos AS stored (${COLUMNS})
SELECT ${COLUMNS} FROM jsonb_populate_record(NULL::photos, $1::jsonb) AS given
WHERE given.deleted OR NOT EXISTS (SELECT FROM users WHERE users.id = given.user_id AND users.deleted)
ON CONFLICT (id) DO UPDATE SET ${COLUMNS.map((name) => `${name} = excluded.${name}`)}
WHERE stored.revision < excluded.revision
  OR (stored.revision = excluded.revision AND NOT stored.deleted
      AND (${columnsOf('stored')}) IS DISTINCT FROM (${columnsOf('excluded')}))`

const DATA_COLUMNS = COLUMNS.filter((name) => !['id', 'revision', 'user_id'].includes(name))

const ERASE = `
UPDATE photos SET (${DATA_COLUMNS}) = (SELECT ${DATA_COLUMNS} FROM jsonb_populate_record(NULL::photos, $1::jsonb))
WHERE id > $3 AND id <= $4 AND user_id = $2 AND NOT deleted`

async function save(tx: Transaction, photo: Partial<Record<(typeof COLUMNS)[number], unknown>>): Promise<boolean> {
  return (await tx.$executeRawUnsafe(SAVE, JSON.stringify(photo))) > 0
}
