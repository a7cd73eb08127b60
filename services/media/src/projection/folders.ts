import { notFound, sendRequest } from '@skyfolio/kit'
import { folderAccess } from '@skyfolio/proto'
import type { Database, Transaction } from '../database.ts'
import type { Folder } from '../generated/client.ts'

export type Nats = Parameters<typeof sendRequest>[0]

/** A late response may describe a link that was withdrawn since. On a busy machine a response can be late: retry. */
const REQUEST_TIMEOUT_MS = 500
const MAX_ATTEMPTS = 4
/** Below a second, including the rest of the request: a withdrawn link must stop serving bytes within a second. */
const CACHE_MS = 800

/** Saves a folder if its revision is newer than that of the projection. */
export async function saveFolder(tx: Transaction | Database, folder: Folder): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO folders AS known (id, user_id, is_public, revision, visibility_revision, deleted)
    VALUES (${folder.id}, ${folder.userId}, ${folder.isPublic}, ${folder.revision}, ${folder.visibilityRevision}, false)
    ON CONFLICT (id) DO UPDATE SET user_id = EXCLUDED.user_id, is_public = EXCLUDED.is_public,
      revision = EXCLUDED.revision, visibility_revision = EXCLUDED.visibility_revision
    WHERE known.revision < EXCLUDED.revision AND NOT known.deleted`
}

/** Saves a tombstone. It keeps the folder's last visibility, which photos that leave the folder inherit. */
export async function saveFolderTombstone(
  tx: Transaction,
  id: number,
  userId: number,
  revision: number,
): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO folders AS known (id, user_id, is_public, revision, visibility_revision, deleted)
    VALUES (${id}, ${userId}, false, ${revision}, 0, true)
    ON CONFLICT (id) DO UPDATE SET deleted = true, revision = greatest(known.revision, EXCLUDED.revision)`
}

export interface Folders {
  /**
   * Reads the folder from the projection; one that it does not have is requested from the folders service. Returns null
   * when the folder does not exist or was deleted.
   * @throws AppError 503 when the folders service does not respond for an unknown folder
   */
  find(id: number): Promise<Folder | null>
  /** Like `find`, but a missing folder or another user's is an error. @throws AppError 404, 503 */
  findOwn(id: number, userId: number): Promise<Folder>
  /** Requests the folder from the folders service; responses are cached for less than a second. @throws AppError 503 */
  fetchCurrent(id: number): Promise<Folder | null>
  /**
   * Updates the projection from the folders service. Needed before a photo's own setting is made, which must be newer
   * than the folder's last flip. @throws AppError 503
   */
  refresh(ids: number[]): Promise<void>
}

/** Access to folders, by the projection and by requests to the folders service. */
export function createFolders(db: Database, nats: Nats): Folders {
  const cache = new Map<number, Promise<Folder | null>>()

  async function requestAccess(folderId: number) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await sendRequest(nats, folderAccess, { folderId }, { timeoutMs: REQUEST_TIMEOUT_MS })
      } catch (error) {
        // Without a responder NATS fails at once, which is not retried.
        const isLate = ((error as Error).cause as Error | undefined)?.name === 'TimeoutError'
        if (!isLate || attempt === MAX_ATTEMPTS) throw error
      }
    }
  }

  async function requestFolder(id: number): Promise<Folder | null> {
    const access = await requestAccess(id)
    if (!access.found) return null
    const { userId, isPublic, revision, visibilityRevision } = access
    return { id, userId, isPublic, revision, visibilityRevision, deleted: false }
  }

  function fetchCurrent(id: number): Promise<Folder | null> {
    const cached = cache.get(id)
    if (cached) return cached
    const response = requestFolder(id)
    cache.set(id, response)
    setTimeout(() => cache.delete(id), CACHE_MS).unref()
    // Only existing folders are cached: a missing one can be created, and an outage can end, at any moment.
    response.then(
      (folder) => folder ?? cache.delete(id),
      () => cache.delete(id),
    )
    return response
  }

  async function find(id: number): Promise<Folder | null> {
    const row = await db.folder.findUnique({ where: { id } })
    if (row) return row.deleted ? null : row
    const folder = await fetchCurrent(id)
    if (folder) await saveFolder(db, folder)
    return folder
  }

  async function findOwn(id: number, userId: number): Promise<Folder> {
    const folder = await find(id)
    if (folder?.userId !== userId) throw notFound('Folder not found')
    return folder
  }

  async function refresh(ids: number[]): Promise<void> {
    const current = await Promise.all([...new Set(ids)].map(requestFolder))
    for (const folder of current) if (folder) await saveFolder(db, folder)
  }

  return { find, findOwn, fetchCurrent, refresh }
}

/** Reads the folders of photos from the projection, by id. */
export async function loadFoldersOf(
  tx: Transaction | Database,
  photos: { folderId: number | null }[],
): Promise<Map<number, Folder>> {
  const ids = [...new Set(photos.flatMap((photo) => photo.folderId ?? []))]
  if (ids.length === 0) return new Map()
  const folders = await tx.folder.findMany({ where: { id: { in: ids } } })
  return new Map(folders.map((folder) => [folder.id, folder]))
}
