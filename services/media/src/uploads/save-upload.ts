import { AppError, badRequest, metrics, Nullable } from '@skyfolio/kit'
import type { FastifyRequest } from 'fastify'
import type pg from 'pg'
import { type Static, Type } from 'typebox'
import type { Database } from '../database.ts'
import type { Photo } from '../generated/client.ts'
import type { Enqueue } from '../jobs/queues.ts'
import { PhotoSchema, toPhotoResponses } from '../photos/photo-response.ts'
import {
  bytesLeft,
  fileExceedsQuota,
  QUOTA_EXCEEDED,
  type Quota,
  quotaExceeded,
  readUploadTerms,
} from '../usage/quota.ts'
import { type AddedPhotos, addPhotos, orDiscard, type Upload } from './add-photos.ts'
import {
  type ReceiveDeps,
  type ReceivedUpload,
  type ReceiveOptions,
  receiveUpload,
  storedOriginals,
} from './receive.ts'
import { displayName } from './rejections.ts'
import type { ReceivedFile } from './store-original.ts'
import type { UploadForm } from './upload-form.ts'

export interface UploadDeps extends ReceiveDeps {
  db: Database
  pool: pg.Pool
  /** Bytes that the photos of a user without an own quota may take; null: any number. */
  defaultQuota: number | null
  enqueue: Enqueue
}

/** An upload of which not all files were rejected so far. */
export interface ReceivedFiles extends ReceivedUpload {
  /** As it was when the upload began. */
  quota: Quota
  isSingle: boolean
  uploadedAt?: Upload['uploadedAt']
  inTransaction?: Upload['inTransaction']
}

const Issues = Type.Array(Type.String(), { description: 'One sentence for each file that was not stored' })
const UploadedPhoto = Type.Intersect([
  PhotoSchema,
  Type.Object({
    duplicate: Type.Optional(Type.Boolean({ description: 'The file was known; this is the existing photo' })),
  }),
])
/** The photo of an upload of one file. */
export const SinglePhoto = Type.Intersect([UploadedPhoto, Type.Object({ issues: Type.Optional(Issues) })])
export const SeveralPhotos = Type.Object({
  photos: Type.Array(UploadedPhoto, { description: 'Each photo once, even if several of the files are identical' }),
  issues: Issues,
  files: Type.Array(
    Type.Object(
      {
        photoId: Nullable(Type.Integer()),
        duplicate: Type.Boolean(),
        issue: Nullable(Type.String()),
        code: Type.Optional(Type.Literal(QUOTA_EXCEEDED, { description: 'There was no room for the file' })),
      },
      { description: 'Result of one file' },
    ),
    { description: 'One for each file, in the order of the request' },
  ),
})

type UploadResult = Static<typeof SeveralPhotos>
type FileResult = UploadResult['files'][number]

/** What a form may have beside its files: boundaries, headers, names and the fields. */
const FORM_BYTES = 64 * 1024
const FOLDER_DELETED = 'The folder was deleted meanwhile. The photos are stored without a folder.'
const FOLDER_DELETED_FOR_DUPLICATES = 'The folder was deleted meanwhile. The photos stay where they were.'

const outcomes = metrics.counter('skyfolio_uploaded_files_total', 'Uploaded files by outcome', ['outcome'])
const storedBytes = metrics.counter('skyfolio_uploaded_bytes_total', 'Bytes of originals stored')

/** Receives the files of a request. @throws AppError 413 when it is longer than what is left, or when all of them are rejected */
export async function receiveFiles(
  deps: UploadDeps,
  request: FastifyRequest,
  options: ReceiveOptions,
): Promise<ReceivedFiles> {
  // Without the database nothing can be stored: fail before megabytes are sent.
  const { publicByDefault, ...quota } = await readUploadTerms(deps.pool, options.userId, deps.defaultQuota)
  // What is left is counted file by file at the commit, when it is known which files are new.
  if (Number(request.headers['content-length'] ?? 0) > bytesLeft(quota) + FORM_BYTES) throw quotaExceeded(quota)
  const { form, files } = await receiveUpload(deps, request, options)
  if (files.length === 0) throw badRequest('At least one photo is required')
  const upload = { form: completeForm(form, publicByDefault), files, quota, isSingle: options.maxFiles === 1 }
  if (storedOriginals(upload).length === 0) throw nothingStored(upload, quota)
  return upload
}

/** The form with the visibility of its photos. Those of the metadata screen are private, and have no text and no folder of it. */
export function completeForm(form: UploadForm, publicByDefault: boolean): UploadForm {
  if (form.purpose === 'metadata') return { ...form, description: null, folderId: null, isPublic: false }
  return form.folderId === null ? { ...form, isPublic: form.isPublic ?? publicByDefault } : form
}

/** Creates photos from the stored originals of an upload. @throws AppError 413, 503 */
export async function saveUpload(deps: UploadDeps, userId: number, received: ReceivedFiles): Promise<UploadResult> {
  const originals = storedOriginals(received)
  const { form, quota, uploadedAt, inTransaction } = received
  const upload = { userId, form, originals, limit: quota.limit, uploadedAt, inTransaction }
  const added = await orDiscard(deps, userId, originals, () => addPhotos(deps, upload))
  const { photosByHash, createdIds } = added
  const found = { ...quota, used: added.used }
  const saved = { ...received, files: received.files.map((file) => withPhoto(file, photosByHash, found)) }
  const photos = [...new Set(originals.flatMap(({ sha256 }) => photosByHash.get(sha256) ?? []))]
  if (photos.length === 0) throw nothingStored(saved, found)
  deps.enqueue(
    'photos',
    photos.filter(({ status }) => status === 'processing'),
  )
  const files = fileResults(saved, added)
  for (const file of files) outcomes.inc({ outcome: outcomeOf(file) })
  for (const { id, filesize } of photos) if (createdIds.has(id)) storedBytes.inc(filesize)

  const issues = rejectionsOf(saved).map(({ message }) => message)
  if (form.folderId !== null && !added.folder) issues.push(folderDeleted(createdIds.size > 0))
  const responses = await toPhotoResponses(deps.db, photos)
  return {
    photos: responses.map((photo) => (createdIds.has(photo.id) ? photo : { ...photo, duplicate: true })),
    issues,
    files,
  }
}

/** What became of an upload whose folder was deleted before its commit. */
export function folderDeleted(isNew: boolean): string {
  return isNew ? FOLDER_DELETED : FOLDER_DELETED_FOR_DUPLICATES
}

/** A file that got no photo at the commit did not fit into the quota. */
function withPhoto(file: ReceivedFile, photosByHash: Map<string, Photo>, quota: Quota): ReceivedFile {
  if ('rejection' in file || photosByHash.has(file.original.sha256)) return file
  const { inspected } = file
  return { inspected, rejection: fileExceedsQuota(displayName(inspected.name), quota) }
}

function rejectionsOf({ files }: ReceivedUpload): AppError[] {
  return files.flatMap((file) => ('rejection' in file ? [file.rejection] : []))
}

/** Counts and returns the error for an upload of which nothing was stored. */
export function nothingStored(upload: ReceivedFiles, quota: Quota): AppError {
  const rejections = rejectionsOf(upload)
  outcomes.inc({ outcome: 'refused' }, rejections.length)
  const issues = rejections.map((rejection) => rejection.message)
  if (rejections.every(({ code }) => code === QUOTA_EXCEEDED)) return quotaExceeded(quota, issues)
  const message = upload.isSingle ? 'Failed to upload photo' : 'Failed to upload photos'
  // The status that the files share, or 400.
  const statuses = new Set(rejections.map((rejection) => rejection.status))
  const [first] = rejections
  if (statuses.size === 1 && first) return new AppError(first.status, first.code, message, { issues })
  return new AppError(400, 'bad_request', message, { issues })
}

/** Of equal files in one upload, the first one creates the photo and the others are duplicates. */
function fileResults({ files }: ReceivedUpload, { photosByHash, createdIds }: AddedPhotos): FileResult[] {
  const seen = new Set<number>()
  return files.map((file) => {
    if ('rejection' in file) return rejectedFile(file.rejection)
    const photo = photosByHash.get(file.original.sha256)
    if (!photo) throw new Error('a stored file without a photo')
    const duplicate = !createdIds.has(photo.id) || seen.has(photo.id)
    seen.add(photo.id)
    return { photoId: photo.id, duplicate, issue: null }
  })
}

function rejectedFile({ code, message }: AppError): FileResult {
  const result = { photoId: null, duplicate: false, issue: message }
  return code === QUOTA_EXCEEDED ? { ...result, code } : result
}

function outcomeOf({ issue, duplicate }: FileResult): string {
  if (issue !== null) return 'refused'
  return duplicate ? 'duplicate' : 'stored'
}

/** 201 when something new was stored, 200 when all files were known. */
export function statusOf({ photos }: Pick<UploadResult, 'photos'>): 200 | 201 {
  return photos.every(({ duplicate }) => duplicate) ? 200 : 201
}

/** The photo of an upload of one file. */
export function toSinglePhoto({ photos: [photo], issues }: Pick<UploadResult, 'photos' | 'issues'>) {
  if (!photo) throw new Error('an upload without a photo')
  return issues.length > 0 ? { ...photo, issues } : photo
}
