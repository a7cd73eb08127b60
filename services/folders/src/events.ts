import { hash } from 'node:crypto'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { emit, onEvent, type PhotoDeletion } from '@skyfolio/kit'
import { events, type FolderChangedSchema, type GetAccessRequest, type GetAccessResponseSchema } from '@skyfolio/proto'
import type { Database, Transaction } from './database.ts'
import type { DeletedFolder, Folder } from './generated/client.ts'
import { savePhoto, tombstonePhoto } from './projection/photos.ts'
import { deleteUser, saveUser } from './projection/users.ts'
import type { OpenedLink } from './sharing/opened-link.ts'
import { removePhotoFromBallots } from './voting/change-ballots.ts'
import { findVoted } from './voting/standings.ts'

/** The durable consumer that all replicas share. */
export const DURABLE = 'folders'
/** That of users, so that a suspension never waits for the events of photos. */
export const USERS_DURABLE = 'folders-users'
/** Events of one transaction of `republishFolders`. */
const PAGE_SIZE = 500

/** Writes the events of these changed folders to the outbox. The transaction must have raised their `revision`. */
export async function publishChanged(tx: Transaction, ...folders: Folder[]): Promise<void> {
  await emit(tx, events.folderChanged, ...folders.map(folderChanged))
}

/** Writes the events of these deleted folders to the outbox. */
export async function publishDeleted(tx: Transaction, ...folders: DeletedFolder[]): Promise<void> {
  await emit(
    tx,
    events.folderDeleted,
    ...folders.map(({ id, userId, revision }) => ({ folderId: id, userId, revision })),
  )
}

/**
 * Writes the events of every folder, deleted ones too, to the outbox again, so that other services can rebuild their
 * projections. Returns their number. A relay publishes them.
 */
export async function republishFolders(db: Database): Promise<number> {
  const page = { orderBy: { id: 'asc' }, take: PAGE_SIZE } as const
  let count = 0
  for (let after = 0; ; ) {
    const folders = await db.folder.findMany({ where: { id: { gt: after } }, ...page })
    const last = folders.at(-1)
    if (!last) break
    await db.$transaction((tx) => publishChanged(tx, ...folders))
    count += folders.length
    after = last.id
  }
  for (let after = 0; ; ) {
    const tombstones = await db.deletedFolder.findMany({ where: { id: { gt: after } }, ...page })
    const last = tombstones.at(-1)
    if (!last) return count
    await db.$transaction((tx) => publishDeleted(tx, ...tombstones))
    count += tombstones.length
    after = last.id
  }
}

/** The handlers that maintain the projection of photos. `onChange` is called when it has changed for a user. */
export const photoHandlers = (onChange: (userId: number) => void) => [
  onEvent(events.photoChanged, async ({ photo, revision }, tx: Transaction, afterCommit) => {
    if (!photo) throw new Error('media.photo.changed without a photo')
    await savePhoto(tx, photo, revision)
    afterCommit(() => onChange(photo.userId))
  }),
  onEvent(events.photoDeleted, async (event, tx: Transaction, afterCommit) => {
    await deletePhoto(tx, event)
    afterCommit(() => onChange(event.userId))
  }),
]

/** The handlers that maintain the projection of users, and with it what visitors see of their folders. */
export const userHandlers = [
  onEvent(events.userChanged, async ({ user, revision }, tx: Transaction) => {
    if (!user) throw new Error('auth.user.changed without a user')
    const { id, suspended, displayName = null } = user
    await saveUser(tx, { id, suspended, displayName, revision })
  }),
  onEvent(events.userDeleted, ({ userId }, tx: Transaction) => deleteUser(tx, userId)),
]

/** Replaces a photo by a tombstone and removes it from the ballots. */
export async function deletePhoto(tx: Transaction, { photoId, userId, revision }: PhotoDeletion): Promise<void> {
  const isNew = await tombstonePhoto(tx, photoId, userId, revision)
  if (isNew) await removePhotoFromBallots(tx, photoId)
}

/** The response to media's question who may see a folder, from the folder's row. */
export async function readAccess(
  db: Database,
  { folderId, shareCode, photoIds }: GetAccessRequest,
): Promise<MessageInitShape<typeof GetAccessResponseSchema>> {
  const [folder] = await db.$queryRaw<AccessRow[]>`
    SELECT id AS "folderId", user_id AS "userId", name, is_public AS "isPublic", revision,
      visibility_revision AS "visibilityRevision", owner_suspended AS "ownerSuspended", last_link_revision AS "lastLinkRevision",
      ARRAY(
        SELECT json_build_object('id', id, 'code', code, 'revision', revision, 'passwordRevision', password_revision,
          'showPlaces', show_places, 'showCamera', show_camera, 'downloads', downloads)
        FROM open_links WHERE folder_id = folders.id
      ) AS links
    FROM folders
    WHERE id = coalesce(nullif(${folderId}::integer, 0), (SELECT folder_id FROM open_links WHERE code = ${shareCode}))`
  if (!folder) return { found: false }
  const links = folder.links.map(({ code, passwordRevision, ...link }) => {
    return { ...link, codeHash: hash('sha256', code, 'buffer'), passwordRevision: passwordRevision ?? undefined }
  })
  const votedPhotoIds = photoIds.length > 0 ? await findVoted(db, folder.folderId, photoIds) : []
  return { found: true, ...folder, links, votedPhotoIds }
}

type AccessRow = Pick<
  Folder,
  'userId' | 'name' | 'isPublic' | 'revision' | 'visibilityRevision' | 'ownerSuspended' | 'lastLinkRevision'
> & {
  folderId: number
  links: (Omit<OpenedLink, 'folderId'> & { code: string })[]
}

function folderChanged(folder: Folder): MessageInitShape<typeof FolderChangedSchema> {
  const { id, userId, name, description, isPublic, visibilityRevision, coverPhotoId, revision } = folder
  return {
    folder: {
      id,
      userId,
      name,
      description: description ?? undefined,
      isPublic,
      createdAt: timestampFromDate(folder.createdAt),
      updatedAt: timestampFromDate(folder.updatedAt),
      visibilityRevision,
      coverPhotoId: coverPhotoId ?? undefined,
    },
    revision,
  }
}
