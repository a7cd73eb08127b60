import { hash } from 'node:crypto'
import { notFound, sendRequest } from '@skyfolio/kit'
import { folderAccess } from '@skyfolio/proto'
import { LRUCache } from 'lru-cache'
import type { Database, Transaction } from '../database.ts'
import type { Folder, User } from '../generated/client.ts'

export type Nats = Parameters<typeof sendRequest>[0]

/** A late response may describe a link that was withdrawn since. On a busy machine a response can be late: retry. */
const REQUEST_TIMEOUT_MS = 500
const MAX_ATTEMPTS = 4
/**
 * A withdrawn link must stop serving bytes within a second: that includes the rest of the request, the gateway's cache
 * and, when the owner is suspended, the event that tells folders.
 */
const CACHE_MS = 300
const MAX_CACHED = 5_000

/** Saves a folder if its revision is newer than that of the projection; one of a deleted user as a tombstone. */
export async function saveFolder(tx: Transaction | Database, folder: Folder): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO folders AS known (id, user_id, is_public, revision, visibility_revision, deleted)
    SELECT ${folder.id}, ${folder.userId}, ${folder.isPublic} AND NOT owner.erased, ${folder.revision},
      ${folder.visibilityRevision}, owner.erased
    FROM (SELECT EXISTS (SELECT FROM deleted_users WHERE user_id = ${folder.userId}) AS erased) AS owner
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

/** Saves a user if the revision is newer than that of the projection. A deleted user stays deleted. */
export async function saveUser(tx: Transaction, user: Omit<User, 'deleted'>): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO users AS known (id, public_by_default, quota, revision)
    VALUES (${user.id}, ${user.publicByDefault}, ${user.quota}, ${user.revision})
    ON CONFLICT (id) DO UPDATE SET public_by_default = EXCLUDED.public_by_default, quota = EXCLUDED.quota,
      revision = EXCLUDED.revision
    WHERE known.revision < EXCLUDED.revision AND NOT known.deleted`
}

/** A folder as the folders service has it at this moment. */
export interface CurrentFolder extends Folder {
  /** Visitors see nothing of the folder, whatever it says itself. It is no property of the folder: never store it. */
  ownerSuspended: boolean
  name: string
  links: CurrentLink[]
  /** The latest that one of its links has drawn. */
  lastLinkRevision: number
  /** When the request was sent, in the time of `performance.now()`: the folder may have changed since. */
  requestedAt: number
}

/** A link that opens the folder at this moment. */
export interface CurrentLink {
  id: number
  revision: number
  /** SHA-256 of its share code. */
  codeHash: Buffer
  /** Of the password that is to be entered first; null: none. */
  passwordRevision: number | null
  showPlaces: boolean
  showCamera: boolean
  /** The largest files that visitors may download. */
  downloads: 'none' | 'web' | 'original'
}

export type Folders = ReturnType<typeof createFolders>

/** Access to folders, by the projection and by requests to the folders service. */
export function createFolders(db: Database, nats: Nats) {
  const cache = new LRUCache<number, Promise<CurrentFolder | null>>({ max: MAX_CACHED, ttl: CACHE_MS })

  async function requestAccess(question: { folderId: number; photoIds?: number[] } | { shareCode: string }) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const requestedAt = performance.now()
        const options = { timeoutMs: REQUEST_TIMEOUT_MS }
        return { requestedAt, access: await sendRequest(nats, folderAccess, question, options) }
      } catch (error) {
        // Without a responder NATS fails at once, which is not retried.
        const isLate = ((error as Error).cause as Error | undefined)?.name === 'TimeoutError'
        if (!isLate || attempt === MAX_ATTEMPTS) throw error
      }
    }
  }

  async function requestFolder(question: { folderId: number } | { shareCode: string }): Promise<CurrentFolder | null> {
    const { access, requestedAt } = await requestAccess(question)
    if (!access.found) return null
    const {
      folderId: id,
      userId,
      name,
      isPublic,
      revision,
      visibilityRevision,
      ownerSuspended,
      lastLinkRevision,
    } = access
    const links = access.links.map(({ codeHash, passwordRevision = null, downloads, ...link }) => ({
      ...link,
      codeHash: Buffer.from(codeHash),
      passwordRevision,
      downloads: downloads as CurrentLink['downloads'],
    }))
    return {
      id,
      userId,
      name,
      isPublic,
      revision,
      visibilityRevision,
      deleted: false,
      ownerSuspended,
      links,
      lastLinkRevision,
      requestedAt,
    }
  }

  /**
   * Requests the folder from the folders service. Requests and their responses are shared for 300 ms.
   * @throws AppError 503
   */
  function fetchCurrent(id: number): Promise<CurrentFolder | null> {
    const cached = cache.get(id)
    if (cached) return cached
    const response = requestFolder({ folderId: id })
    cache.set(id, response)
    // Only existing folders are cached: a missing one can be created, and an outage can end, at any moment.
    const forget = () => cache.delete(id)
    response.then((folder) => folder ?? forget(), forget)
    return response
  }

  /** The same, from after a link has drawn this revision: a page may be newer than the kept response. @throws AppError 503 */
  async function fetchSince(id: number, linkRevision: number): Promise<CurrentFolder | null> {
    const response = fetchCurrent(id)
    const folder = await response
    if (!folder || folder.lastLinkRevision >= linkRevision) return folder
    if (cache.get(id) === response) cache.delete(id)
    return fetchCurrent(id)
  }

  /** Requests the folder that has an open link with this code, and the link. @throws AppError 503 */
  async function fetchByCode(shareCode: string): Promise<{ folder: CurrentFolder; link: CurrentLink } | null> {
    const folder = await requestFolder({ shareCode })
    const link = folder?.links.find(({ codeHash }) => codeHash.equals(hash('sha256', shareCode, 'buffer')))
    return folder && link ? { folder, link } : null
  }

  /**
   * Reads the folder from the projection; one that it does not have is requested from the folders service. Returns null
   * when the folder does not exist or was deleted.
   * @throws AppError 503 when the folders service does not respond for an unknown folder
   */
  async function find(id: number): Promise<Folder | null> {
    const row = await db.folder.findUnique({ where: { id } })
    if (row) return row.deleted ? null : row
    const folder = await fetchCurrent(id)
    if (folder) await saveFolder(db, folder)
    return folder
  }

  /** Like `find`, but a missing folder or another user's is an error. @throws AppError 404, 503 */
  async function findOwn(id: number, userId: number): Promise<Folder> {
    const folder = await find(id)
    if (folder?.userId !== userId) throw notFound('Folder not found')
    return folder
  }

  /**
   * Updates the projection from the folders service. Needed before a photo's own setting is made, which must be newer
   * than the folder's last flip. @throws AppError 503
   */
  async function refresh(ids: number[]): Promise<void> {
    const current = await Promise.all([...new Set(ids)].map((folderId) => requestFolder({ folderId })))
    for (const folder of current) if (folder) await saveFolder(db, folder)
  }

  /** Which of these photos have votes in the folder, by the folders service. @throws AppError 503 */
  async function findVoted(folderId: number, photoIds: number[]): Promise<number[]> {
    return (await requestAccess({ folderId, photoIds })).access.votedPhotoIds
  }

  return { find, findOwn, fetchCurrent, fetchSince, fetchByCode, refresh, findVoted }
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
