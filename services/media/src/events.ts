import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { emit, onEvent } from '@skyfolio/kit'
import { events, type PhotoChangedSchema, PhotoStatus } from '@skyfolio/proto'
import type { Transaction } from './database.ts'
import type { Photo } from './generated/client.ts'
import { erasePrintImages } from './print-images/rows.ts'
import { saveFolder, saveFolderTombstone } from './projection/folders.ts'

const STATUS: Record<string, PhotoStatus> = {
  processing: PhotoStatus.PROCESSING,
  ready: PhotoStatus.READY,
  failed: PhotoStatus.FAILED,
}

/** Adds events for changed photos to the outbox. The transaction must have raised their `revision`. */
export async function publishChanged(tx: Transaction, ...photos: Photo[]): Promise<void> {
  await emit(tx, events.photoChanged, ...photos.filter(isPublished).map(toPhotoChanged))
}

/** Adds events for deleted photos to the outbox. */
export async function publishDeleted(tx: Transaction, ...photos: Photo[]): Promise<void> {
  const deletions = photos.filter(isPublished).map(({ id, userId, folderId, revision }) => ({
    photoId: id,
    userId,
    folderId: folderId ?? undefined,
    revision: revision + 1,
  }))
  await emit(tx, events.photoDeleted, ...deletions)
}

/** Maintains the projection of folders. `detachFromDeletedFolders` takes photos out of deleted ones. */
export const folderHandlers = [
  onEvent(events.folderChanged, async ({ folder, revision }, tx: Transaction) => {
    if (!folder) throw new Error('folders.folder.changed without a folder')
    const { id, userId, isPublic, visibilityRevision } = folder
    await saveFolder(tx, { id, userId, isPublic, revision, visibilityRevision, deleted: false })
  }),
  onEvent(events.folderDeleted, async ({ folderId, userId, revision }, tx: Transaction) => {
    await saveFolderTombstone(tx, folderId, userId, revision)
  }),
]

/** Erases the print images of deleted users. */
export const userHandlers = [onEvent(events.userDeleted, ({ userId }, tx: Transaction) => erasePrintImages(tx, userId))]

function toPhotoChanged(photo: Photo): MessageInitShape<typeof PhotoChangedSchema> {
  const optional = <T>(value: T | null): T | undefined => value ?? undefined
  return {
    revision: photo.revision,
    photo: {
      id: photo.id,
      userId: photo.userId,
      folderId: optional(photo.folderId),
      title: photo.title,
      description: optional(photo.description),
      filename: photo.filename,
      originalName: photo.originalName,
      filesize: photo.filesize,
      ownIsPublic: optional(photo.ownIsPublic),
      ownVisibilityRevision: photo.ownVisibilityRevision,
      latitude: photo.latitude?.toFixed(),
      longitude: photo.longitude?.toFixed(),
      altitude: optional(photo.altitude),
      city: optional(photo.city),
      county: optional(photo.county),
      state: optional(photo.state),
      dateTaken: optional(photo.dateTaken),
      createdAt: timestampFromDate(photo.createdAt),
      status: STATUS[photo.status],
      statusMessage: optional(photo.statusMessage),
      width: optional(photo.width),
      height: optional(photo.height),
      thumbnail: optional(photo.thumbnail),
      preview: optional(photo.preview),
      thumbhash: optional(photo.thumbhash),
      metadata: optional(photo.metadata as JsonObject | null),
    },
  }
}

/** Photos of the metadata screen have no events: no other service uses them. */
function isPublished({ purpose }: Photo): boolean {
  return purpose === 'gallery'
}
