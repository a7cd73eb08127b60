import type { IncomingMessage } from 'node:http'
import type { Multipart, MultipartFile } from '@fastify/multipart'
import {
  AppError,
  badRequest,
  enforceMinimumRate,
  isStorageFull,
  isWaitingForServer,
  type Logger,
  type MinimumRateOptions,
  type ObjectStore,
  payloadTooLarge,
} from '@skyfolio/kit'
import type { UploadLimits } from '@skyfolio/proto'
import type { FastifyRequest } from 'fastify'
import type { UploadLimiter, UploadShares } from '../limits.ts'
import type { Folders } from '../projection/folders.ts'
import { findRejection, loosestPurposeLimits, type PhotoLimits, type Purpose, printLimits } from './rejections.ts'
import { discardOriginals, type ReceivedFile, type StoredOriginal, storeOriginal } from './store-original.ts'
import { cleanName, type UploadForm, withField } from './upload-form.ts'

export interface ReceiveDeps extends MinimumRateOptions {
  store: ObjectStore
  folders: Folders
  uploadLimiter: UploadLimiter
  uploadShares: UploadShares
  limits: UploadLimits
  logger: Logger
}

export interface ReceiveOptions {
  userId: number
  /** The form field that holds the files. */
  fieldName: string
  maxFiles: number
  /** The purpose when the form cannot choose one: then the form has no fields but the file. */
  purpose?: Purpose
}

export interface ReceivedUpload {
  form: UploadForm
  /** In the order of the request. */
  files: ReceivedFile[]
}

type Receiver = ReturnType<typeof createReceiver>

const MAX_FIELDS = 20
const ONE_BY_ONE = 'Photos for the metadata screen are sent one by one, to /api/upload-photo.'
/** Messages of the multipart parser for a form that is incomplete or not a form. */
const BROKEN_FORM = /terminated early|Unexpected end of multipart|Boundary not found|needle cannot/

/**
 * Receives a whole multipart upload. A rejected file does not affect the others; a rejection of the upload itself (too
 * many files, an unknown folder, a broken form) removes what was stored of it.
 * @throws AppError 400, 404, 413, 429, 503, 507, or the error of a store that is full
 */
export async function receiveUpload(
  deps: ReceiveDeps,
  request: FastifyRequest,
  options: ReceiveOptions,
): Promise<ReceivedUpload> {
  if (!request.isMultipart()) throw badRequest('The upload must be a multipart form.')
  const receiver = createReceiver(deps, request.raw, options)
  const stopRateCheck = enforceMinimumRate(request.raw, deps)
  let close = () => {}
  try {
    close = await deps.uploadShares.open(options.userId)
    await readParts(request, receiver, multipartLimits(deps.limits, options))
    return await applyPurpose(deps, receiver.received())
  } catch (error) {
    const filenames = storedOriginals(receiver.received()).map(({ filename }) => filename)
    await discardOriginals(deps, filenames)
    throw toClientError(error, request.raw)
  } finally {
    stopRateCheck()
    close()
    // Nothing else reads the rest of the request, and the end of a connection that is not read goes unnoticed.
    if (!request.raw.complete) request.raw.unpipe().resume()
  }
}

/** The originals among the files of an upload. */
export function storedOriginals({ files }: ReceivedUpload): StoredOriginal[] {
  return files.flatMap((file) => ('original' in file ? [file.original] : []))
}

function multipartLimits(limits: UploadLimits, { maxFiles }: ReceiveOptions) {
  return {
    fileSize: Math.max(limits.fileBytes, limits.largeFileBytes, limits.metadataFileBytes) + 1,
    fields: MAX_FIELDS,
    parts: MAX_FIELDS + 2 * maxFiles,
    headerPairs: 50,
    fieldSize: 65_536,
  }
}

/** Passes the parts of the form to the receiver, up to the first error. @throws that error */
async function readParts(
  request: FastifyRequest,
  receiver: Receiver,
  limits: ReturnType<typeof multipartLimits>,
): Promise<void> {
  let rejection: unknown
  try {
    for await (const part of request.parts({ limits })) {
      // The rest of a rejected upload is read and discarded: a browser reads the response only when it has sent all.
      if (rejection) {
        skip(part)
        continue
      }
      try {
        await receiver.receive(part)
      } catch (error) {
        rejection = error
        if (endsUpload(error)) break
        skip(part)
      }
    }
  } catch (error) {
    throw rejection ?? error
  }
  if (rejection) throw rejection
}

function skip(part: Multipart): void {
  if (part.type === 'file') part.file.resume()
}

/** 503 and 507 are sent at once, without waiting for the rest: the gateway discards what the client still sends. */
function endsUpload(error: unknown): boolean {
  return (error instanceof AppError && error.status === 503) || isStorageFull(error)
}

/** Receives the parts of one upload in their order. */
function createReceiver(deps: ReceiveDeps, request: IncomingMessage, options: ReceiveOptions) {
  const { userId, fieldName, maxFiles, purpose } = options
  const limits = receivingLimits(deps.limits, options)
  const files: ReceivedFile[] = []
  let form: UploadForm = { description: null, isPublic: null, folderId: null, purpose: purpose ?? 'gallery' }

  async function receiveField(name: string, value: unknown): Promise<void> {
    if (typeof value !== 'string') throw badRequest('The form is not valid.')
    if (purpose) throw badRequest(`The form may have the field "${fieldName}" only.`)
    form = withField(form, name, value)
    if (form.purpose === 'metadata' && maxFiles > 1) throw badRequest(ONE_BY_ONE)
    if (name === 'folderId' && form.folderId !== null) await deps.folders.findOwn(form.folderId, userId)
  }

  async function receiveFile(part: MultipartFile): Promise<void> {
    if (part.fieldname !== fieldName) throw badRequest(`Photos are expected in the field "${fieldName}".`)
    if (files.length >= maxFiles) throw tooManyFiles(maxFiles)
    if (files.length > 0) await deps.uploadShares.countFurther(userId)
    const release = await deps.uploadLimiter.acquire({
      userId,
      bytes: () => request.socket.bytesRead,
      isWaitingForServer: () => isWaitingForServer(request) || part.file.readableEnded,
      cutOff: (reason) => part.file.destroy(reason),
    })
    try {
      const file = await storeOriginal(deps, part, cleanName(part.filename), limits)
      files.push(file)
    } finally {
      release()
    }
  }

  return {
    async receive(part: Multipart): Promise<void> {
      if (part.type === 'file') await receiveFile(part)
      else await receiveField(part.fieldname, part.value)
    },
    received: (): ReceivedUpload => ({ form, files }),
  }
}

/** What is accepted before the form is complete. */
function receivingLimits(limits: UploadLimits, { maxFiles, purpose }: ReceiveOptions): PhotoLimits {
  if (purpose === 'print') return printLimits(limits)
  return maxFiles === 1 ? loosestPurposeLimits(limits) : limits
}

function tooManyFiles(maxFiles: number): AppError {
  if (maxFiles === 1) return payloadTooLarge('Only one photo is accepted here.')
  return payloadTooLarge(`At most ${maxFiles} photos are accepted in one upload.`)
}

/** Rejects files that the purpose of the upload does not allow. The purpose is known only when the form is complete. */
async function applyPurpose(deps: ReceiveDeps, { form, files }: ReceivedUpload): Promise<ReceivedUpload> {
  const checked: ReceivedFile[] = []
  for (const file of files) {
    const rejection = findRejection(form.purpose, file.inspected, deps.limits)
    if (rejection && 'original' in file) await discardOriginals(deps, [file.original.filename])
    checked.push(rejection ? { rejection, inspected: file.inspected } : file)
  }
  return { form, files: checked }
}

/** Converts errors that the client caused to responses. A connection that the client closed is not a server error. */
function toClientError(error: unknown, request: IncomingMessage): unknown {
  if (error instanceof AppError) return error
  if (request.destroyed && !request.complete) return badRequest('The upload was cut off.', { cause: error })
  const isBroken = error instanceof Error && BROKEN_FORM.test(error.message)
  return isBroken ? badRequest('The form is not complete.') : error
}
