import type { IncomingMessage } from 'node:http'
import {
  AppError,
  badRequest,
  enforceMinimumRate,
  isWaitingForServer,
  type MinimumRateOptions,
  metrics,
  notFound,
  type ObjectStore,
  type PartAdmission,
  type PartedUpload,
  PartMismatch,
  type PartSpec,
  requestTimeout,
  UnknownUpload,
  unavailable,
} from '@skyfolio/kit'
import type { Database } from '../database.ts'
import type { UploadLimiter, UploadShares } from '../limits.ts'
import { copyEnds, type RecentEnds } from '../uploads/inspect-stored.ts'
import { unknownSession, uploadBusy, uploadClosed } from './errors.ts'
import { countParts, partOf, readSession, uploadOf } from './rows.ts'

export interface ReceivePartDeps extends MinimumRateOptions {
  db: Database
  store: Pick<ObjectStore, 'parts'>
  recentEnds: RecentEnds
  uploadLimiter: UploadLimiter
  uploadShares: Pick<UploadShares, 'openPart'>
  /** Aborted when this process stops: the part can be sent to another one. */
  ending: AbortSignal
}

export interface PartAddress {
  userId: number
  /** Of the upload session. */
  id: string
  number: number
}

interface FoundPart {
  upload: PartedUpload
  part: PartSpec
}

const CHANGED = 'The file has changed while it was being uploaded. Choose it again.'
const OUTCOMES = ['stored', 'rejected', 'failed'] as const

const parts = metrics.counter(
  'skyfolio_upload_parts_total',
  'Parts of uploads that came through the gateway, by outcome: stored, rejected, or failed (broken off, or the store unavailable)',
  ['outcome'],
)
for (const outcome of OUTCOMES) parts.inc({ outcome }, 0)

/**
 * Stores a part of an open upload session: from the socket to the store, which compares its SHA-256. A part has the length and the
 * content that the session declared, so what it has stored may be sent again, by any way.
 * @throws AppError 400 `part_length`, 404, 408, 409 `upload_closed` or `part_superseded`, 422 `part_checksum`, 429, 503; or the
 * error of the store. None of them ends the connection: the gateway gets the response, and then does.
 */
export async function receivePart(deps: ReceivePartDeps, body: IncomingMessage, address: PartAddress): Promise<void> {
  let outcome: (typeof OUTCOMES)[number] = 'failed'
  try {
    await storePart(deps, body, address)
    outcome = 'stored'
  } catch (thrown) {
    const error = await toClientError(deps, thrown, body, address)
    if (error instanceof AppError && error.status < 500 && !body.destroyed) outcome = 'rejected'
    throw error
  } finally {
    parts.inc({ outcome })
    if (!body.complete && !body.destroyed) discardRest(deps, body)
  }
}

/** Nothing else reads the rest of a rejected request, and the end of a connection that is not read goes unnoticed. */
function discardRest(deps: ReceivePartDeps, body: IncomingMessage): void {
  body.unpipe().resume()
  body.once('close', enforceMinimumRate(body, deps))
}

async function storePart(deps: ReceivePartDeps, body: IncomingMessage, address: PartAddress): Promise<void> {
  const { userId } = address
  const found = await findPart(deps.db, address)
  requireDeclared(found.part, body)
  // First of all: an earlier request of the part may hang, and hold the user's places.
  const admission = await deps.store.parts.admit(found.upload, found.part, body)
  const end = () => admission.end(unavailable(undefined, 1))
  if (deps.ending.aborted) end()
  deps.ending.addEventListener('abort', end)
  try {
    const close = await deps.uploadShares.openPart(userId)
    try {
      await storeInTurn(deps, body, address, found, admission)
    } finally {
      close()
    }
  } finally {
    deps.ending.removeEventListener('abort', end)
    admission.close()
  }
}

/** Finds a part of an open session of the user, and where it belongs. @throws AppError 404, 409 when the session has ended */
async function findPart(db: Database, { userId, id, number }: PartAddress): Promise<FoundPart> {
  const session = await readSession(db, userId, id)
  if (!session) throw unknownSession()
  if (session.state === 'completed' || session.state === 'failed') throw uploadClosed(session.state)
  if (number > countParts(session)) throw notFound('The file has no such part.')
  return { upload: uploadOf(session), part: partOf(session, number) }
}

/** Why the store does not know the upload of a part that was found: the session has ended, is being completed, has all parts, or begins again. */
async function explainUnknownUpload(db: Database, { userId, id }: PartAddress): Promise<AppError> {
  const session = await readSession(db, userId, id)
  if (!session) return unknownSession()
  return session.state === 'completing' ? uploadBusy(session.leaseUntil) : uploadClosed(session.state)
}

/** Rejects before the body is read what cannot be the part. */
function requireDeclared({ bytes, sha256 }: PartSpec, { headers }: IncomingMessage): void {
  if (headers['content-length'] !== String(bytes)) {
    throw badRequest(`This part has ${bytes} bytes.`, { code: 'part_length' })
  }
  const checksum = headers['x-amz-checksum-sha256']
  if (checksum !== undefined && checksum !== sha256.toString('base64')) throw otherContent()
}

async function storeInTurn(
  deps: ReceivePartDeps,
  body: IncomingMessage,
  { userId, id }: PartAddress,
  { upload, part }: FoundPart,
  admission: PartAdmission,
): Promise<void> {
  const release = await deps.uploadLimiter.acquire({
    userId,
    bytes: () => body.socket.bytesRead,
    isWaitingForServer: () => isWaitingForServer(body),
    signal: admission.signal,
    cutOff: admission.end,
  })
  // Not while it waits for its turn: nothing is read then.
  const stopRateCheck = enforceMinimumRate(body, deps, () => admission.end(requestTimeout()))
  // All of the file, or of no use.
  const endsOf = part.bytes === upload.size ? copyEnds(body, upload.size) : null
  try {
    await deps.store.parts.put(upload, part, body, admission)
    const ends = endsOf?.()
    if (ends) deps.recentEnds.set(id, ends)
  } finally {
    stopRateCheck()
    release()
  }
}

async function toClientError(
  { db }: ReceivePartDeps,
  error: unknown,
  body: IncomingMessage,
  address: PartAddress,
): Promise<unknown> {
  if (error instanceof PartMismatch) return otherContent()
  if (error instanceof UnknownUpload) return explainUnknownUpload(db, address)
  if (error instanceof AppError) return error
  // A connection that the client closed is not an error of the server.
  return body.destroyed && !body.complete ? badRequest('The upload was cut off.', { cause: error }) : error
}

function otherContent(): AppError {
  return new AppError(422, 'part_checksum', CHANGED)
}
