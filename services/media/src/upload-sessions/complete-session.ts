import { AppError, UnknownUpload } from '@skyfolio/kit'
import { toPhotoResponses } from '../photos/photo-response.ts'
import { inspectStored } from '../uploads/inspect-stored.ts'
import { displayName } from '../uploads/rejections.ts'
import {
  completeForm,
  folderDeleted,
  nothingStored,
  type ReceivedFiles,
  saveUpload,
  statusOf,
  toSinglePhoto,
} from '../uploads/save-upload.ts'
import type { ReceivedFile } from '../uploads/store-original.ts'
import { bytesLeft, fileExceedsQuota, type Quota, readUploadTerms } from '../usage/quota.ts'
import { allParts, restart } from './describe-session.ts'
import { partsMissing, unknownSession, uploadBusy, uploadClosed } from './errors.ts'
import type { SessionDeps } from './lease.ts'
import { failSession, type Lease, releaseLease, saveOutcome, takeOwnLease } from './lease.ts'
import { MAX_SELECTED_AGO_MS, partsOf, readSession, type SessionRow, uploadOf } from './rows.ts'

/** The response of `POST /api/upload-photo`. */
interface Completed {
  status: 200 | 201
  photo: ReturnType<typeof toSinglePhoto>
}

/**
 * Makes the photo of a session whose parts are all stored. Once it has ended, a repetition gets the same response.
 * @throws AppError 400, 404, 409, 413, 415, 503, 507
 */
export async function completeSession(deps: SessionDeps, userId: number, id: string): Promise<Completed> {
  const lease = await takeOwnLease(deps.db, userId, id)
  if (!lease) return answerEnded(deps, await readSession(deps.db, userId, id))
  try {
    await assemble(deps, lease)
    return await save(deps, lease)
  } catch (error) {
    // What has ended has no lease any more. Without the database the lease expires.
    await releaseLease(deps.db, lease).catch((failure) => {
      deps.logger.warn({ err: failure, id }, 'release of an upload session failed, left to its lease')
    })
    throw error
  }
}

async function answerEnded(deps: SessionDeps, session: SessionRow | null): Promise<Completed> {
  if (!session) throw unknownSession()
  const { state, failure, photoId, userId, folderId, duplicate, leaseUntil } = session
  if (failure) throw new AppError(failure.status, failure.code, failure.message, { issues: failure.issues })
  if (state !== 'completed') throw uploadBusy(leaseUntil)
  const photo = await deps.db.photo.findFirst({ where: { id: photoId ?? 0, userId } })
  if (!photo) throw uploadClosed(state)
  const photos = await toPhotoResponses(deps.db, [photo])
  const folder = folderId === null ? null : await deps.db.folder.findUnique({ where: { id: folderId } })
  const issues = folder?.deleted ? [folderDeleted(!duplicate)] : []
  const result = { photos: photos.map((one) => (duplicate ? { ...one, duplicate } : one)), issues }
  return { status: statusOf(result), photo: toSinglePhoto(result) }
}

/** Makes the object of the parts. @throws AppError 409 */
async function assemble({ db, store }: SessionDeps, { session, leaseId }: Lease): Promise<void> {
  try {
    const { missing } = await store.parts.complete(uploadOf(session), partsOf(session))
    if (missing.length > 0) throw partsMissing(missing)
  } catch (error) {
    if (!(error instanceof UnknownUpload)) throw error
    await restart({ db, store }, session, leaseId)
    throw partsMissing(allParts(session))
  }
}

/** Checks the object and creates its photo. @throws AppError 400, 409, 413, 415 */
async function save(deps: SessionDeps, lease: Lease): Promise<Completed> {
  const { session } = lease
  const { userId, objectId, name, size, sha256, purpose } = session
  const { publicByDefault, ...quota } = await readUploadTerms(deps.pool, userId, deps.defaultQuota)
  const uploadWith = (file: ReceivedFile): ReceivedFiles => ({
    ...{ form: completeForm(session, publicByDefault), files: [file], quota, isSingle: true },
    // Not when it is completed: the photos of a selection, which are sent at the same time, keep its order.
    uploadedAt: new Date(Math.max(session.createdAt.getTime(), Date.now() - MAX_SELECTED_AGO_MS)),
    inTransaction: (tx, photosByHash) => saveOutcome(tx, lease, photosByHash.get(sha256)),
  })
  const noRoom = await findNoRoom(deps, session, quota)
  if (noRoom) throw nothingStored(uploadWith(noRoom), quota)

  // What this process has just passed on is not read again.
  const ends = deps.recentEnds.get(session.id)
  const file = await inspectStored(deps, { id: objectId, name, size, sha256, purpose }, ends)
  const upload = uploadWith(file)
  if ('rejection' in file) throw await reject(deps, lease, upload, quota)
  const result = await saveUpload(deps, userId, upload)
  return { status: statusOf(result), photo: toSinglePhoto(result) }
}

/** Before the file is read, which may be repeated: the commit decides. A file that the user has needs no room. */
async function findNoRoom({ db }: SessionDeps, session: SessionRow, quota: Quota): Promise<ReceivedFile | null> {
  const { userId, name, size, sha256, purpose } = session
  if (size <= bytesLeft(quota)) return null
  const same = { userId, sha256, purpose: { not: 'metadata' } }
  if (purpose === 'gallery' && (await db.photo.findFirst({ where: same }))) return null
  const inspected = { name, format: null, size, dimensions: null, scans: 1 }
  return { inspected, rejection: fileExceedsQuota(displayName(name), quota) }
}

/** The session fails, and its object goes. Returns the error for the client. */
async function reject(deps: SessionDeps, lease: Lease, upload: ReceivedFiles, quota: Quota): Promise<AppError> {
  const error = nothingStored(upload, quota)
  const { status, code, message, issues = [] } = error
  await failSession(deps.db, lease, { status, code, message, issues })
  return error
}
