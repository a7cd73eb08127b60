import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { emit, onEvent } from '@skyfolio/kit'
import { events, type PhotoChangedSchema, PhotoStatus } from '@skyfolio/proto'
import type { Transaction } from './database.ts'
import type { Photo } from './generated/client.ts'
import { buryFolder, saveFolder } from './projection/folders.ts'

const STATUS: Record<string, PhotoStatus> = {
  processing: PhotoStatus.PROCESSING,
  ready: PhotoStatus.READY,
  failed: PhotoStatus.FAILED,
}

function photoChanged(photo: Photo): MessageInitShape<typeof PhotoChangedSchema> {
  const absent = <T>(value: T | null): T | undefined => value ?? undefined
  return {
    revision: photo.revision,
    photo: {
      id: photo.id,
      userId: photo.userId,
      folderId: absent(photo.folderId),
      title: photo.title,
      description: absent(photo.description),
      filename: photo.filename,
      originalName: photo.originalName,
      filesize: photo.filesize,
      ownIsPublic: absent(photo.ownIsPublic),
      ownVisibilityRevision: photo.ownVisibilityRevision,
      latitude: photo.latitude?.toFixed(),
      longitude: photo.longitude?.toFixed(),
      altitude: absent(photo.altitude),
      city: absent(photo.city),
      county: absent(photo.county),
      state: absent(photo.state),
      dateTaken: absent(photo.dateTaken),
      createdAt: timestampFromDate(photo.createdAt),
      status: STATUS[photo.status],
      statusMessage: absent(photo.statusMessage),
      width: absent(photo.width),
      height: absent(photo.height),
      thumbnail: absent(photo.thumbnail),
      preview: absent(photo.preview),
      thumbhash: absent(photo.thumbhash),
      metadata: absent(photo.metadata as JsonObject | null),
    },
  }
}

/** Photos of the metadata screen are nobody else's business. */
function isTold({ purpose }: Photo): boolean {
  return purpose === 'gallery'
}

/** Records in the transaction that these photos changed. Their `revision` must have grown in it. */
export async function publishChanged(tx: Transaction, ...photos: Photo[]): Promise<void> {
  await emit(tx, events.photoChanged, ...photos.filter(isTold).map(photoChanged))
}

/** Records in the transaction that these photos are no more. */
export async function publishDeleted(tx: Transaction, ...photos: Photo[]): Promise<void> {
  const deletions = photos.filter(isTold).map(({ id, userId, folderId, revision }) => ({
    photoId: id,
    userId,
    folderId: folderId ?? undefined,
    revision: revision + 1,
  }))
  await emit(tx, events.photoDeleted, ...deletions)
}

/** What media does when folders change: it keeps its projection. Photos leave deleted folders in `changes.ts`. */
export const folderHandlers = [
  onEvent(events.folderChanged, async ({ folder, revision }, tx: Transaction) => {
    if (!folder) throw new Error('folders.folder.changed without a folder')
    const { id, userId, isPublic, visibilityRevision } = folder
    await saveFolder(tx, { id, userId, isPublic, revision, visibilityRevision, deleted: false })
  }),
  onEvent(events.folderDeleted, async ({ folderId, userId, revision }, tx: Transaction) => {
    await buryFolder(tx, folderId, userId, revision)
  }),
]
