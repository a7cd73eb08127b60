import { AppError, badRequest, metrics } from '@skyfolio/kit'
import type { FastifyRequest } from 'fastify'
import type { Database } from '../database.ts'
import type { Photo } from '../generated/client.ts'
import { type PhotoResponse, toPhotoResponse, toPhotoResponses } from '../photos/photo-response.ts'
import { addMetadataPhoto } from './add-metadata-photo.ts'
import { type AddedPhotos, addPhotos } from './add-photos.ts'
import {
  type ReceiveDeps,
  type ReceivedUpload,
  type ReceiveOptions,
  receiveUpload,
  storedOriginals,
} from './receive.ts'

export interface UploadDeps extends ReceiveDeps {
  db: Database
  /** Called right after the commit of photos that wait for processing. */
  enqueuePhotos(photos: Photo[]): void
}

/** The outcome of one file: its photo, or why it was rejected. */
export interface FileResult {
  photoId: number | null
  duplicate: boolean
  issue: string | null
}

export interface UploadResult {
  /** Each photo once, in the order of the files. */
  photos: (PhotoResponse & { duplicate?: boolean })[]
  issues: string[]
  /** In the order of the request. */
  files: FileResult[]
}

const FOLDER_DELETED = 'The folder was deleted meanwhile. The photos are stored without a folder.'
const FOLDER_DELETED_FOR_DUPLICATES = 'The folder was deleted meanwhile. The photos stay where they were.'

const outcomes = metrics.counter('skyfolio_uploaded_files_total', 'Uploaded files by outcome', ['outcome'])
const storedBytes = metrics.counter('skyfolio_uploaded_bytes_total', 'Bytes of originals stored')

/** Receives the files of a request. @throws AppError when all of them are rejected */
export async function receiveFiles(
  deps: UploadDeps,
  request: FastifyRequest,
  options: ReceiveOptions,
): Promise<ReceivedUpload> {
  // Without the database nothing can be stored: fail before megabytes are sent.
  await deps.db.$queryRaw`SELECT 1`
  const upload = await receiveUpload(deps, request, options)
  if (upload.files.length === 0) throw badRequest('At least one photo is required')
  const rejections = rejectionsOf(upload)
  if (rejections.length < upload.files.length) return upload
  outcomes.inc({ outcome: 'refused' }, rejections.length)
  throw nothingStored(options.maxFiles === 1 ? 'Failed to upload photo' : 'Failed to upload photos', rejections)
}

/** Creates photos of the user's gallery from the stored originals of an upload. @throws AppError 503 */
export async function saveToGallery(deps: UploadDeps, userId: number, upload: ReceivedUpload): Promise<UploadResult> {
  const originals = storedOriginals(upload)
  const added = await addPhotos(deps.db, deps.store, deps.folders, { userId, form: upload.form, originals })
  const { photosByHash, createdIds } = added
  const photos = [...new Set(originals.flatMap(({ sha256 }) => photosByHash.get(sha256) ?? []))]
  deps.enqueuePhotos(photos.filter(({ status }) => status === 'processing'))
  const files = fileResults(upload, added)
  for (const file of files) outcomes.inc({ outcome: outcomeOf(file) })
  for (const { id, filesize } of photos) if (createdIds.has(id)) storedBytes.inc(filesize)

  const issues = rejectionsOf(upload).map(({ message }) => message)
  if (added.folderDeleted) issues.push(createdIds.size > 0 ? FOLDER_DELETED : FOLDER_DELETED_FOR_DUPLICATES)
  const responses = await toPhotoResponses(deps.db, photos)
  return {
    photos: responses.map((photo) => (createdIds.has(photo.id) ? photo : { ...photo, duplicate: true })),
    issues,
    files,
  }
}

/** Creates a photo of the metadata screen from the stored original of an upload. @throws AppError 503 */
export async function saveToMetadataScreen(
  deps: UploadDeps,
  userId: number,
  upload: ReceivedUpload,
): Promise<PhotoResponse> {
  const [original] = storedOriginals(upload)
  if (!original) throw new Error('an upload without a photo')
  const photo = await addMetadataPhoto(deps.db, deps.store, userId, original)
  deps.enqueuePhotos([photo])
  outcomes.inc({ outcome: 'stored' })
  storedBytes.inc(photo.filesize)
  return toPhotoResponse(photo, null)
}

function rejectionsOf({ files }: ReceivedUpload): AppError[] {
  return files.flatMap((file) => ('rejection' in file ? [file.rejection] : []))
}

/** The error for an upload of which nothing was stored: all issues, with the status that they share, or 400. */
function nothingStored(message: string, rejections: AppError[]): AppError {
  const statuses = new Set(rejections.map((rejection) => rejection.status))
  const [first] = rejections
  const issues = rejections.map((rejection) => rejection.message)
  if (statuses.size === 1 && first) return new AppError(first.status, first.code, message, { issues })
  return new AppError(400, 'bad_request', message, { issues })
}

/** Of equal files in one upload, the first one creates the photo and the others are duplicates. */
function fileResults({ files }: ReceivedUpload, { photosByHash, createdIds }: AddedPhotos): FileResult[] {
  const seen = new Set<number>()
  return files.map((file) => {
    if ('rejection' in file) return { photoId: null, duplicate: false, issue: file.rejection.message }
    const photo = photosByHash.get(file.original.sha256)
    if (!photo) throw new Error('a stored file without a photo')
    const duplicate = !createdIds.has(photo.id) || seen.has(photo.id)
    seen.add(photo.id)
    return { photoId: photo.id, duplicate, issue: null }
  })
}

function outcomeOf({ issue, duplicate }: FileResult): string {
  if (issue !== null) return 'refused'
  return duplicate ? 'duplicate' : 'stored'
}
