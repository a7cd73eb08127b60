import { AppError, createFairQueue, unavailable } from '@skyfolio/kit'
import type { Static } from 'typebox'
import { accountDeleted } from '../erasure/tombstone.ts'
import { newId, originalKey } from '../files/object-keys.ts'
import { findKnownFiles } from '../uploads/known-files.ts'
import {
  type DeclaredFile,
  findRoomRejection,
  findSizeRejection,
  hasToWait,
  largestFile,
  type Room,
  readFiles,
  readForm,
  readRoom,
  type SessionForm,
  withSession,
} from './declared-files.ts'
import { allParts, describeSession, describeWithUrls, type Progress, readProgress } from './describe-session.ts'
import type { SessionDeps } from './lease.ts'
import { endSession } from './lease.ts'
import {
  type BegunFile,
  deleteOfErased,
  findCompleted,
  insertSessions,
  newObjectId,
  resumeSessions,
  type SessionRow,
} from './rows.ts'
import type { CreateBody, CreateResponse, CreateResult } from './schemas.ts'

type Body = Static<typeof CreateBody>
type Response = Static<typeof CreateResponse>
type Result = Static<typeof CreateResult>

/** Why a file gets no session. */
type Rejection = Omit<Extract<Result, { state: 'rejected' }>, 'state'>

/** What exists of the files of a request, by SHA-256. */
interface Existing {
  known: Record<string, number>
  completed: Map<string, SessionRow>
  open: Map<string, SessionRow>
  /** Files whose SHA-256 belongs to another file that is being completed. */
  busy: Set<string>
}

/** What becomes of the files of a request, by SHA-256; those in `wanted` get new sessions. */
interface Decisions {
  results: Map<string, Result>
  wanted: DeclaredFile[]
  resumed: SessionRow[]
  /** With the new sessions. */
  room: Room
}

/**
 * Creates sessions of files, or finds those that exist; a file that gets none does not affect the others.
 * @throws AppError 400, 404, 429, 503, 507
 */
export async function createSessions(
  deps: SessionDeps,
  userId: number,
  body: Body,
): Promise<{ isNew: boolean; response: Response }> {
  const form = readForm(body)
  const files = readFiles(body, largestFile(form, deps.limits))
  const giveBack = await deps.uploadShares.countFiles(userId, files.length)
  if (form.folderId !== null) await deps.folders.findOwn(form.folderId, userId)

  const distinct = files.filter(({ sha256 }, index) => index === files.findIndex((other) => other.sha256 === sha256))
  const existing = await findExisting(deps, userId, form, distinct)
  const room = await readRoom(deps.pool, userId, deps.defaultQuota)
  const { results, wanted, resumed, room: left } = decide(deps, form, distinct, existing, room)
  const isNew = new Set(wanted.map(({ sha256 }) => sha256))
  const isRejected = (sha256: string) => results.get(sha256)?.state === 'rejected'
  await giveBack(files.filter(({ sha256 }) => !isNew.has(sha256) && !isRejected(sha256)).length)

  const isDirect = deps.store.direct !== null && body.direct !== false
  const created = await beginSessions(deps, userId, form, wanted)
  const progress = await Promise.all([
    ...created.map((session) => ({ session, missing: allParts(session) })),
    ...resumed.map((session) => storeCalls.run({ key: userId }, () => continueSession(deps, session))),
  ])
  for (const { session, missing } of progress) {
    const described = isDirect
      ? await describeWithUrls(deps.store, session, missing)
      : describeSession(session, missing)
    results.set(session.sha256, { state: 'open', session: described })
  }
  return {
    isNew: created.length > 0,
    response: { results: files.map((file) => resultOf(results, file)), quota: quotaOf(left) },
  }
}

/** Sessions that other parts were declared of are ended: nobody could complete them. */
async function findExisting(
  deps: SessionDeps,
  userId: number,
  form: SessionForm,
  files: DeclaredFile[],
): Promise<Existing> {
  const hashes = files.map(({ sha256 }) => sha256)
  // The metadata screen takes a file as often as it is sent.
  const isGallery = form.purpose === 'gallery'
  const [known, completed, sessions] = await Promise.all([
    isGallery ? findKnownFiles(deps.db, deps.store, userId, hashes) : {},
    isGallery ? findCompleted(deps.db, userId, hashes) : [],
    resumeSessions(deps, userId, form, files),
  ])
  const open = bySha256(sessions)
  const busy = new Set<string>()
  const declared = new Map(files.map((file) => [file.sha256, file]))
  const same = completed.filter((session) => isSameFile(session, declared.get(session.sha256)))
  for (const file of files) {
    const session = open.get(file.sha256)
    if (!session || isSameFile(session, file)) continue
    if (!(await isEnded(deps, session))) busy.add(file.sha256)
    open.delete(file.sha256)
  }
  return { known, completed: bySha256(same), open, busy }
}

/** Ends a session, unless it is being completed. */
async function isEnded(deps: SessionDeps, { id, userId }: SessionRow): Promise<boolean> {
  try {
    await endSession(deps, userId, id)
    return true
  } catch (error) {
    if (error instanceof AppError && error.status === 409) return false
    throw error
  }
}

/**
 * Whether a file with the SHA-256 of the session can be its file. Parts of another size tell nothing: clients choose it by the
 * speed of their connection, and the session goes on with those that it has.
 */
function isSameFile({ size, partBytes, partHashes }: SessionRow, file: DeclaredFile | undefined): boolean {
  if (size !== file?.size) return false
  const isOnePart = size <= Math.min(partBytes, file.partBytes)
  if (partBytes !== file.partBytes && !isOnePart) return true
  return partHashes.toString('hex') === file.parts.join('')
}

function decide(
  { limits, sessionLimits }: SessionDeps,
  form: SessionForm,
  files: DeclaredFile[],
  { known, completed, open, busy }: Existing,
  room: Room,
): Decisions {
  const decisions: Decisions = { results: new Map(), wanted: [], resumed: [], room }
  for (const file of files) {
    const { sha256 } = file
    const settled = findSettled(known[sha256], completed.get(sha256))
    const session = open.get(sha256)
    if (settled) decisions.results.set(sha256, settled)
    else if (session) decisions.resumed.push(session)
    else {
      const rejection: Rejection | null =
        findSizeRejection(file, form, limits) ??
        (busy.has(sha256) ? hasToWait(file) : findRoomRejection(file, decisions.room, sessionLimits))
      if (rejection) decisions.results.set(sha256, { state: 'rejected', ...rejection })
      else {
        decisions.wanted.push(file)
        decisions.room = withSession(decisions.room, file)
      }
    }
  }
  return decisions
}

function findSettled(photoId: number | undefined, completed: SessionRow | undefined): Result | null {
  if (photoId !== undefined) return { state: 'known', photoId }
  return completed ? { state: 'completed', session: describeSession(completed, []) } : null
}

async function continueSession(deps: SessionDeps, session: SessionRow): Promise<Progress> {
  const progress = await readProgress(deps, session)
  // It was ended this moment; the next request creates it anew.
  if (!progress) throw unavailable(undefined, 1)
  return progress
}

function resultOf(results: Map<string, Result>, { sha256 }: DeclaredFile): Result {
  const result = results.get(sha256)
  if (!result) throw new Error('a file without a result')
  return result
}

function quotaOf({ used, staged, limit }: Room): Response['quota'] {
  return { used: used + staged, limit }
}

function bySha256(sessions: SessionRow[]): Map<string, SessionRow> {
  return new Map(sessions.map((session) => [session.sha256, session]))
}

/** Calls to the store at the same time, of all requests that create sessions: its connections are for parts, too. */
const storeCalls = createFairQueue({ total: 8, perKey: 4, maxWaiting: 500 })

/** Begins the uploads of files at the store and creates their sessions. @throws AppError 404 when the user was deleted, 503, 507 */
async function beginSessions(
  deps: SessionDeps,
  userId: number,
  form: SessionForm,
  files: DeclaredFile[],
): Promise<SessionRow[]> {
  if (files.length === 0) return []
  const begun = await beginUploads(deps, userId, files)
  // When this fails, nobody knows what has begun: reconcile aborts it, or the store when it expires. Aborting it here could meet
  // sessions that the database has created all the same.
  const created = await insertSessions(deps, userId, form, begun)
  const ids = created.map(({ id }) => id)
  if (await deleteOfErased(deps.db, userId, ids)) {
    await abortUploads(deps, begun)
    throw accountDeleted()
  }
  if (created.length === begun.length) return created
  // Another process has created some of them this moment; the next request finds all.
  await abortUploads(
    deps,
    begun.filter(({ id }) => !ids.includes(id)),
  )
  throw unavailable(undefined, 1)
}

/** All of them, or none. */
async function beginUploads(deps: SessionDeps, userId: number, files: DeclaredFile[]): Promise<BegunFile[]> {
  const begin = (file: DeclaredFile) => storeCalls.run({ key: userId }, () => beginUpload(deps, file))
  const outcomes = await Promise.allSettled(files.map(begin))
  const begun = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (!failed) return begun
  await abortUploads(deps, begun)
  throw failed.reason
}

async function beginUpload({ store }: SessionDeps, file: DeclaredFile): Promise<BegunFile> {
  const objectId = newObjectId()
  const uploadId = await store.parts.begin(originalKey(objectId), file.size)
  return { file, id: newId(), objectId, uploadId }
}

async function abortUploads({ store, logger }: SessionDeps, begun: BegunFile[]): Promise<void> {
  for (const { objectId, uploadId } of begun) {
    await store.parts.abort({ key: originalKey(objectId), uploadId }).catch((error) => {
      logger.warn({ err: error, objectId }, 'abort of an upload failed, left to the sweep')
    })
  }
}
