import { timestampDate } from '@bufbuild/protobuf/wkt'
import { type Photo, PhotoStatus } from '@skyfolio/proto'
import type { Transaction } from './database.ts'
import { TALLY_CHANGES } from './vote-statement.ts'

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
  if (buried) await removeVotes(tx, id)
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

const SAVE = `
INSERT INTO photos AS known (${COLUMNS})
SELECT ${COLUMNS} FROM jsonb_populate_record(NULL::photos, $1::jsonb)
ON CONFLICT (id) DO UPDATE SET ${COLUMNS.map((name) => `${name} = excluded.${name}`)}
WHERE known.revision < excluded.revision
  -- Rows that are older than this column: republishing tells of them once more.
  OR (known.revision = excluded.revision AND known.metadata IS NULL AND excluded.metadata IS NOT NULL AND NOT known.deleted)`

async function save(tx: Transaction, photo: Partial<Record<(typeof COLUMNS)[number], unknown>>): Promise<boolean> {
  return (await tx.$executeRawUnsafe(SAVE, JSON.stringify(photo))) > 0
}

// A vote that was cast at the same moment may still name the photo; the tombstone keeps it from ever counting.
const REMOVE_VOTES = `
WITH held AS MATERIALIZED (
  SELECT folder_id, voter FROM ballots
  WHERE folder_id IN (
      SELECT folder_id FROM tallies WHERE photo_id = $1
      UNION SELECT folder_id FROM tally_changes WHERE photo_id = $1
    ) AND $1 IN (first, second, third)
  ORDER BY folder_id, voter FOR UPDATE
), ballot AS (
  UPDATE ballots SET
    first = NULLIF(first, $1), second = NULLIF(second, $1), third = NULLIF(third, $1),
    was_first = first, was_second = second, was_third = third, was_excluded = excluded,
    last_photo_id = $1, last_place = 0
  FROM held WHERE ballots.folder_id = held.folder_id AND ballots.voter = held.voter
  RETURNING ballots.*
)
${TALLY_CHANGES}`

async function removeVotes(tx: Transaction, photoId: number): Promise<void> {
  await tx.$executeRawUnsafe(REMOVE_VOTES, photoId)
}
