import { notFound, sendRequest } from '@skyfolio/kit'
import { folderAccess } from '@skyfolio/proto'
import type { Database, Transaction } from '../database.ts'
import type { Folder } from '../generated/client.ts'

export type Nats = Parameters<typeof sendRequest>[0]

/** An older answer may tell of a link that was withdrawn since. On a busy machine one may be late: it is asked again. */
const ASK_TIMEOUT_MS = 500
const ASKS = 4
/** Under a second with all that comes after the answer: a withdrawn link stops serving bytes within one. */
const KEEP_MS = 800

/** Takes over what is newer than the projection; an older or equal revision changes nothing. */
export async function saveFolder(tx: Transaction | Database, folder: Folder): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO folders AS known (id, user_id, is_public, revision, visibility_revision, deleted)
    VALUES (${folder.id}, ${folder.userId}, ${folder.isPublic}, ${folder.revision}, ${folder.visibilityRevision}, false)
    ON CONFLICT (id) DO UPDATE SET user_id = EXCLUDED.user_id, is_public = EXCLUDED.is_public,
      revision = EXCLUDED.revision, visibility_revision = EXCLUDED.visibility_revision
    WHERE known.revision < EXCLUDED.revision AND NOT known.deleted`
}

/** Leaves a tombstone, which keeps the flag that held last: photos that leave the folder take it along. */
export async function buryFolder(tx: Transaction, id: number, userId: number, revision: number): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO folders AS known (id, user_id, is_public, revision, visibility_revision, deleted)
    VALUES (${id}, ${userId}, false, ${revision}, 0, true)
    ON CONFLICT (id) DO UPDATE SET deleted = true, revision = greatest(known.revision, EXCLUDED.revision)`
}

export interface Folders {
  /**
   * The folder as the projection has it; one that it does not know is asked for. Null when there is none (any more).
   * @throws AppError 503 when nobody answers for an unknown folder
   */
  known(id: number): Promise<Folder | null>
  /** Like `known`, but it must be the user's: another's is as if it did not exist. @throws AppError 404, 503 */
  own(id: number, userId: number): Promise<Folder>
  /** The folder as the folders service has it, not older than a second. @throws AppError 503 when nobody answers */
  fresh(id: number): Promise<Folder | null>
  /**
   * Brings the projection up to date with the folders service as it is now: before a photo's own setting is made, which
   * must count as later than the folder's last flip. @throws AppError 503 when nobody answers
   */
  refresh(ids: number[]): Promise<void>
}

/** What media knows about folders, and how it finds out. */
export function createFolders(db: Database, nats: Nats): Folders {
  const answers = new Map<number, Promise<Folder | null>>()

  async function accessOf(folderId: number) {
    for (let asked = 1; ; asked += 1) {
      try {
        return await sendRequest(nats, folderAccess, { folderId }, { timeoutMs: ASK_TIMEOUT_MS })
      } catch (error) {
        // When nobody is there to answer, NATS says so at once.
        const late = ((error as Error).cause as Error | undefined)?.name === 'TimeoutError'
        if (!late || asked === ASKS) throw error
      }
    }
  }

  async function askFor(id: number): Promise<Folder | null> {
    const access = await accessOf(id)
    if (!access.found) return null
    const { userId, isPublic, revision, visibilityRevision } = access
    return { id, userId, isPublic, revision, visibilityRevision, deleted: false }
  }

  function fresh(id: number): Promise<Folder | null> {
    const kept = answers.get(id)
    if (kept) return kept
    const answer = askFor(id)
    answers.set(id, answer)
    setTimeout(() => answers.delete(id), KEEP_MS).unref()
    // Only a folder that exists is kept: it may be created, or folders may answer again, at any moment.
    answer.then(
      (folder) => folder ?? answers.delete(id),
      () => answers.delete(id),
    )
    return answer
  }

  async function known(id: number): Promise<Folder | null> {
    const row = await db.folder.findUnique({ where: { id } })
    if (row) return row.deleted ? null : row
    const folder = await fresh(id)
    if (folder) await saveFolder(db, folder)
    return folder
  }

  async function own(id: number, userId: number): Promise<Folder> {
    const folder = await known(id)
    if (folder?.userId !== userId) throw notFound('Folder not found')
    return folder
  }

  async function refresh(ids: number[]): Promise<void> {
    const asked = await Promise.all([...new Set(ids)].map(askFor))
    for (const folder of asked) if (folder) await saveFolder(db, folder)
  }

  return { known, own, fresh, refresh }
}

/** The folders of some photos, by id. */
export async function foldersOf(
  tx: Transaction | Database,
  photos: { folderId: number | null }[],
): Promise<Map<number, Folder>> {
  const ids = [...new Set(photos.flatMap((photo) => photo.folderId ?? []))]
  if (ids.length === 0) return new Map()
  const folders = await tx.folder.findMany({ where: { id: { in: ids } } })
  return new Map(folders.map((folder) => [folder.id, folder]))
}
