import { timestampDate } from '@bufbuild/protobuf/wkt'
import { type Photo, PhotoStatus } from '@skyfolio/proto'
import type { Transaction } from '../database.ts'
import { removeVotes } from '../voting/change-ballots.ts'

const STATUS: Partial<Record<PhotoStatus, string>> = {
  [PhotoStatus.PROCESSING]: 'processing',
  [PhotoStatus.READY]: 'ready',
  [PhotoStatus.FAILED]: 'failed',
}

/** Takes over a photo's state; an older or equal revision changes nothing. */
export async function savePhoto(tx: Transaction, photo: Photo, revision: number): Promise<void> {
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
    thumbhash: photo.thumbhash,
    metadata: photo.metadata,
  })
}

/** Leaves a tombstone without any of the photo's data, and takes the photo out of the ballots. */
export async function buryPhoto(tx: Transaction, id: number, userId: number, revision: number): Promise<void> {
  const buried = await save(tx, {
    id,
    revision,
    deleted: true,
    user_id: userId,
    own_visibility_revision: 0,
    title: '',
    filename: '',
    filesize: 0,
    created_at: new Date(0),
    status: 'ready',
  })
  if (buried) await removeVotes((sql, values) => tx.$executeRawUnsafe(sql, ...values), id)
}

const COLUMNS = [
  ...['id', 'revision', 'deleted', 'user_id', 'folder_id', 'own_is_public', 'own_visibility_revision', 'title'],
  ...['description', 'filename', 'filesize', 'latitude', 'longitude', 'altitude', 'city', 'county', 'state'],
  ...[
    'date_taken',
    'created_at',
    'status',
    'status_message',
    'width',
    'height',
    'thumbnail',
    'preview',
    'thumbhash',
    'metadata',
  ],
] as const

const columnsOf = (row: string) => COLUMNS.map((name) => `${row}.${name}`)

// One revision is one state: a row that says something else is damaged, or older than a column of it. Then republishing
// puts it right. What media tells of is not doubted any more (see rebuilding.ts).
const SAVE = `
WITH told AS (DELETE FROM doubted_photos WHERE id = ($1::jsonb ->> 'id')::integer)
INSERT INTO photos AS known (${COLUMNS})
SELECT ${COLUMNS} FROM jsonb_populate_record(NULL::photos, $1::jsonb)
ON CONFLICT (id) DO UPDATE SET ${COLUMNS.map((name) => `${name} = excluded.${name}`)}
WHERE known.revision < excluded.revision
  OR (known.revision = excluded.revision AND NOT known.deleted
      AND (${columnsOf('known')}) IS DISTINCT FROM (${columnsOf('excluded')}))`

async function save(tx: Transaction, photo: Partial<Record<(typeof COLUMNS)[number], unknown>>): Promise<boolean> {
  return (await tx.$executeRawUnsafe(SAVE, JSON.stringify(photo))) > 0
}
