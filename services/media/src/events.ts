import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { emit, onEvent, type SqlTransaction } from '@skyfolio/kit'
import { events, type PhotoChangedSchema, PhotoStatus } from '@skyfolio/proto'
import { type Database, inPages, type Transaction } from './database.ts'
import { beginErasure } from './erasure/tombstone.ts'
import type { Photo, UserUsage } from './generated/client.ts'
import { projectionOf } from './metadata/panorama.ts'
import { saveFolder, saveFolderTombstone, saveUser } from './projection/folders.ts'

const REPUBLISHED_AT_ONCE = 500

const STATUS: Record<string, PhotoStatus> = {
  processing: PhotoStatus.PROCESSING,
  ready: PhotoStatus.READY,
  failed: PhotoStatus.FAILED,
}

/** Adds events for changed photos to the outbox. The transaction must have raised their `revision`. */
export async function publishChanged(tx: SqlTransaction, ...photos: Photo[]): Promise<void> {
  await emit(tx, events.photoChanged, ...photos.filter(isPublished).map(toPhotoChanged))
}

/** Adds events for deleted photos to the outbox. */
export async function publishDeleted(tx: Transaction, ...photos: Omit<Photo, 'metadata' | 'tags'>[]): Promise<void> {
  const deletions = photos.filter(isPublished).map(({ id, userId, folderId, revision }) => ({
    photoId: id,
    userId,
    folderId: folderId ?? undefined,
    revision: revision + 1,
  }))
  await emit(tx, events.photoDeleted, ...deletions)
}

/** Adds events with the whole usage of users to the outbox. */
export async function publishUsageChanged(
  tx: SqlTransaction,
  ...usages: Pick<UserUsage, 'userId' | 'photos' | 'locations' | 'bytes' | 'revision'>[]
): Promise<void> {
  const toMessage = ({ userId, photos, locations, bytes, revision }: (typeof usages)[number]) => {
    return { userId, photos, locations, bytes, revision }
  }
  await emit(tx, events.usageChanged, ...usages.map(toMessage))
}

/** Publishes every photo again, so that projections can be rebuilt. Returns the number of photos. */
export function republishPhotos(db: Database): Promise<number> {
  return republish((last?: Photo) =>
    db.$transaction(async (tx) => {
      const where = { id: { gt: last?.id ?? 0 } }
      const photos = await tx.photo.findMany({ where, orderBy: { id: 'asc' }, take: REPUBLISHED_AT_ONCE })
      await publishChanged(tx, ...photos)
      return photos
    }),
  )
}

/** Publishes every user's usage again, so that projections can be rebuilt. Returns the number of users. */
export function republishUsage(db: Database): Promise<number> {
  return republish(async (last?: UserUsage) => {
    const where = { userId: { gt: last?.userId ?? 0 } }
    const usages = await db.userUsage.findMany({ where, orderBy: { userId: 'asc' }, take: REPUBLISHED_AT_ONCE })
    await publishUsageChanged(db, ...usages)
    return usages
  })
}

async function republish<Row>(publishNext: (last?: Row) => Promise<Row[]>): Promise<number> {
  let count = 0
  for await (const { length } of inPages(REPUBLISHED_AT_ONCE, publishNext)) count += length
  return count
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

/** Maintains the projection of users, and begins the erasure of deleted ones, which the worker carries out. */
export const userHandlers = [
  onEvent(events.userChanged, async ({ user, revision }, tx: Transaction) => {
    if (!user) throw new Error('auth.user.changed without a user')
    await saveUser(tx, { id: user.id, publicByDefault: user.publicByDefault, quota: user.quota ?? null, revision })
  }),
  onEvent(events.userDeleted, async ({ userId }, tx: Transaction) => {
    await beginErasure(tx, userId)
  }),
  onEvent(events.ordersErasureChanged, async ({ userId, complete }, tx: Transaction) => {
    // No order needs the print images any more.
    if (complete) await tx.$executeRaw`INSERT INTO erased_orders (user_id) VALUES (${userId}) ON CONFLICT DO NOTHING`
  }),
]

type WithoutNulls<T> = { [K in keyof T]: Exclude<T[K], null> | undefined }

/** The message takes the columns that it has fields for; those that are null are left out. */
function toPhotoChanged(photo: Photo): MessageInitShape<typeof PhotoChangedSchema> {
  const { revision, latitude, longitude, createdAt, status, metadata } = photo
  return {
    revision,
    photo: {
      ...(photo as WithoutNulls<Photo>),
      latitude: latitude?.toFixed(),
      longitude: longitude?.toFixed(),
      createdAt: timestampFromDate(createdAt),
      status: STATUS[status],
      projection: projectionOf(photo) ?? undefined,
      isRaw: photo.purpose === 'raw',
      metadata: (metadata as JsonObject | null) ?? undefined,
    },
  }
}

/** Photos of the metadata screen have no events: no other service uses them. */
function isPublished({ purpose }: Pick<Photo, 'purpose'>): boolean {
  return purpose !== 'metadata'
}
