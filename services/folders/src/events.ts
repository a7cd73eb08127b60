import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { emit, onEvent } from '@skyfolio/kit'
import { events, type FolderChangedSchema, type GetAccessRequest, type GetAccessResponseSchema } from '@skyfolio/proto'
import type { Database, Transaction } from './database.ts'
import type { DeletedFolder, Folder } from './generated/client.ts'
import { buryPhoto, savePhoto } from './projection/photos.ts'

/** Name of the durable consumer; all replicas share it. */
export const DURABLE = 'folders'

function folderChanged(folder: Folder): MessageInitShape<typeof FolderChangedSchema> {
  const { id, userId, name, description, isPublic, visibilityRevision, revision } = folder
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
    },
    revision,
  }
}

/** Records in the transaction that these folders changed. Their `revision` must have grown in it. */
export async function publishChanged(tx: Transaction, ...folders: Folder[]): Promise<void> {
  await emit(tx, events.folderChanged, ...folders.map(folderChanged))
}

/** Records in the transaction that these folders are no more. */
export async function publishDeleted(tx: Transaction, ...folders: DeletedFolder[]): Promise<void> {
  await emit(
    tx,
    events.folderDeleted,
    ...folders.map(({ id, userId, revision }) => ({ folderId: id, userId, revision })),
  )
}

/** What keeps the projection of photos. */
export const photoHandlers = [
  onEvent(events.photoChanged, async ({ photo, revision }, tx: Transaction) => {
    if (!photo) throw new Error('media.photo.changed without a photo')
    await savePhoto(tx, photo, revision)
  }),
  onEvent(events.photoDeleted, async ({ photoId, userId, revision }, tx: Transaction) => {
    await buryPhoto(tx, photoId, userId, revision)
  }),
]

/** The answer to the one question between services, from the record itself. */
export async function answerAccess(
  db: Database,
  { folderId }: GetAccessRequest,
): Promise<MessageInitShape<typeof GetAccessResponseSchema>> {
  const folder = await db.folder.findUnique({ where: { id: folderId } })
  if (!folder) return { found: false }
  const { userId, isPublic, revision, visibilityRevision } = folder
  return { found: true, userId, isPublic, revision, visibilityRevision }
}
