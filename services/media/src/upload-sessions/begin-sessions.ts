import { createFairQueue, unavailable } from '@skyfolio/kit'
import { accountDeleted } from '../erasure/tombstone.ts'
import { newId, originalKey } from '../files/object-keys.ts'
import type { DeclaredFile, SessionForm } from './declared-files.ts'
import type { SessionDeps } from './deps.ts'
import { type BegunFile, deleteOfErased, insertSessions, resumeSessions } from './find-sessions.ts'
import { newObjectId, type SessionRow } from './rows.ts'

/** Calls to the store at the same time, of all requests that create sessions: its connections are for parts, too. */
const storeCalls = createFairQueue({ total: 8, perKey: 4, maxWaiting: 500 })

/** Runs a call to the store among those of other requests. @throws AppError 503 when too many wait */
export function runAtStore<T>(userId: number, call: () => Promise<T>): Promise<T> {
  return storeCalls.run({ key: userId }, call)
}

/**
 * Begins the uploads of files at the store and creates their sessions. `others` are those that another request created at the
 * same time. @throws AppError 404 when the user was deleted, 503, 507
 */
export async function beginSessions(
  deps: SessionDeps,
  userId: number,
  form: SessionForm,
  files: DeclaredFile[],
  { isDirect }: { isDirect: boolean },
): Promise<{ created: SessionRow[]; others: SessionRow[] }> {
  if (files.length === 0) return { created: [], others: [] }
  const begun = await beginUploads(deps, userId, files, isDirect)
  // When this fails, nobody knows what has begun: reconcile aborts it, or the store when it expires. Aborting it here could meet
  // sessions that the database has created all the same.
  const created = await insertSessions(deps, userId, form, begun)
  const ids = created.map(({ id }) => id)
  if (await deleteOfErased(deps.pool, userId, ids)) {
    await abortUploads(deps, begun)
    throw accountDeleted()
  }
  if (created.length === begun.length) return { created, others: [] }

  const isCreated = new Set(ids)
  const late = begun.filter(({ id }) => !isCreated.has(id))
  await abortUploads(deps, late)
  const others = await resumeSessions(
    deps,
    userId,
    form,
    late.map(({ file }) => file),
  )
  // They have ended already.
  if (others.length < late.length) throw unavailable(undefined, 1)
  return { created, others }
}

/** All of them, or none. */
async function beginUploads(
  deps: SessionDeps,
  userId: number,
  files: DeclaredFile[],
  isDirect: boolean,
): Promise<BegunFile[]> {
  const begin = (file: DeclaredFile) => runAtStore(userId, () => beginUpload(deps, file, isDirect))
  const outcomes = await Promise.allSettled(files.map(begin))
  const begun = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (!failed) return begun
  await abortUploads(deps, begun)
  throw failed.reason
}

async function beginUpload({ store }: SessionDeps, file: DeclaredFile, isDirect: boolean): Promise<BegunFile> {
  const objectId = newObjectId()
  const isOwnSinglePart = !isDirect && file.parts.length === 1
  const uploadId = await store.parts.begin(originalKey(objectId), file.size, { isOwnSinglePart })
  return { file, id: newId(), objectId, uploadId }
}

async function abortUploads({ store, logger }: SessionDeps, begun: BegunFile[]): Promise<void> {
  for (const { objectId, uploadId } of begun) {
    await store.parts.abort({ key: originalKey(objectId), uploadId }).catch((error) => {
      logger.warn({ err: error, objectId }, 'abort of an upload failed, left to the sweep')
    })
  }
}
