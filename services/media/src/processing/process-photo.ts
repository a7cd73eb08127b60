import {
  inSpan,
  isDatabaseUnavailable,
  isStorageFull,
  isUnavailable,
  type Logger,
  metrics,
  type ObjectStore,
  resumeTrace,
} from '@skyfolio/kit'
import { UPLOAD_FORMATS } from '@skyfolio/proto'
import type { Database } from '../database.ts'
import type { ImageSize } from '../formats/image-scanner.ts'
import { type Photo, Prisma } from '../generated/client.ts'
import type { DisplayGroups } from '../metadata/display-groups.ts'
import { extractTags } from '../metadata/extract-tags.ts'
import { type PhotoFacts, readFacts } from '../metadata/facts.ts'
import { type FileMetadata, type MetadataReader, UnreadableMetadataError } from '../metadata/metadata-reader.ts'
import { hashClaims } from '../photos/hash-claims.ts'
import { ORIGINAL_MISSING, WRONG_FILE } from '../photos/status.ts'
import type { openPlaces } from '../places/places.ts'
import { RenderAbortedError } from '../renditions/isolated-renderer.ts'
import type { Original } from '../renditions/original.ts'
import { DamagedImageError } from '../renditions/render-image.ts'
import type { Renderer } from '../renditions/renderer.ts'
import {
  acquireNextLease,
  completeLease,
  keepLease,
  type Lease,
  type ProcessingResult,
  type Round,
  releaseLease,
} from './leases.ts'
import { discardRenditions, previewChecksum, storeRenditions } from './store-renditions.ts'
import { openVerified } from './verify-original.ts'

export interface ProcessingDeps {
  db: Database
  store: ObjectStore
  metadata: MetadataReader
  renderer: Renderer
  places: ReturnType<typeof openPlaces>
  logger: Logger
  leaseSeconds: number
  round: Round
  /** Attempts after which a photo counts as failed. */
  maxAttempts: number
  /** Called after the commit of a result. */
  afterCommit(): void
}

/** Photos in work per rendering: while one is rendered, another is fetched or its renditions are stored. */
export const PHOTOS_PER_RENDERING = 2

const RETRY_SECONDS = 10
/** The renditions are made again for each attempt, and somebody has to make room first. */
const FULL_RETRY_SECONDS = 60
const NO_READING: FileMetadata = { facts: readFacts({}), groups: {} }
const DAMAGED = 'The photo is damaged and cannot be shown. The original file is kept.'
const UNREADABLE_METADATA = 'The metadata of this photo could not be read.'
const TOO_SLOW = 'The photo takes too long to decode. The original file is kept.'
const NOT_PROCESSED = 'The photo could not be processed. The original file is kept.'

const durations = metrics.histogram(
  'skyfolio_photo_processing_seconds',
  'Time to process a photo',
  ['outcome'],
  [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
)

/**
 * Processes the next waiting photo, if any: its claimed hash, metadata, place, renditions. Safe to call at any time and concurrently; the
 * result counts only while the lease holds. Failures that are not the photo's fault are retried later.
 */
export async function processNext(deps: ProcessingDeps): Promise<void> {
  const lease = await acquireNextLease(deps.db, deps.leaseSeconds, deps.round)
  if (!lease) return
  const { id, attempts, trace } = lease.photo
  await resumeTrace(trace, 'process photo', { 'photo.id': id, 'photo.attempt': attempts }, () => process(deps, lease))
}

async function process(deps: ProcessingDeps, lease: Lease): Promise<void> {
  const stopRenewing = keepLease(deps.db, lease, deps.leaseSeconds)
  const measure = durations.startTimer()
  try {
    const result = await attemptProcessing(deps, lease)
    const isSaved = await inSpan('save result', {}, () => completeLease(deps.db, lease, result))
    if (isSaved) {
      countClaim(lease.photo, result)
      deps.afterCommit()
    } else await discardRenditions(deps.db, lease, result)
    measure({ outcome: isSaved ? result.status : 'lost' })
  } catch (error) {
    measure({ outcome: 'error' })
    await handleError(deps, lease, error)
  } finally {
    stopRenewing()
  }
}

function lookUpPlace({ places }: ProcessingDeps, { latitude, longitude }: PhotoFacts) {
  const place = latitude !== null && longitude !== null ? places.lookup(Number(latitude), Number(longitude)) : null
  return { city: place?.city ?? null, county: place?.county ?? null, state: place?.state ?? null }
}

type Result = ProcessingResult & { status: 'ready' | 'failed' }

function countClaim(photo: Photo, { sha256, sha256Verified }: Result): void {
  if (photo.sha256Verified || !sha256Verified) return
  hashClaims.inc({ outcome: sha256 ? 'wrong' : 'right' })
}

/** Reads the metadata. A photo that takes too much time or memory is left without, at once: others wait for the reader. */
async function readTags(deps: ProcessingDeps, photo: Photo, original: Original): Promise<FileMetadata | null> {
  const tags = await extractTags(original.source, original.format)
  if (tags === null) return NO_READING
  try {
    return await inSpan('read metadata', {}, async () => {
      if (photo.purpose === 'metadata') return deps.metadata.readAll(tags)
      return { facts: await deps.metadata.read(tags), groups: {} }
    })
  } catch (error) {
    if (!(error instanceof UnreadableMetadataError)) throw error
    deps.logger.warn({ err: error, photoId: photo.id }, 'metadata unreadable, photo left without')
    return null
  }
}

/** The tags that the metadata screen shows: those of the file itself, and all that were read from it. */
function metadataScreenTags(
  photo: Photo,
  { format }: Original,
  groups: DisplayGroups,
  dimensions: Partial<ImageSize>,
): DisplayGroups {
  const { name, mediaType } = UPLOAD_FORMATS[format]
  const { originalName, filesize } = photo
  const file = { FileName: originalName, FileType: name, MIMEType: mediaType, FileSize: filesize }
  const { width, height } = dimensions
  return { File: { ...file, ...(width && height && { ImageWidth: width, ImageHeight: height }) }, ...groups }
}

const NO_RENDITIONS = {
  ...{ small: null, thumbnail: null, medium: null, preview: null, thumbhash: null },
  ...previewChecksum(null),
}

/** The result for errors that are the photo's fault: a damaged image, or a rendering that was stopped. */
function toFailedResult(error: unknown): Result | null {
  if (error instanceof DamagedImageError) return { ...NO_RENDITIONS, status: 'failed', statusMessage: DAMAGED }
  if (error instanceof RenderAbortedError) {
    const statusMessage = error.tookTooLong ? TOO_SLOW : NOT_PROCESSED
    return { ...NO_RENDITIONS, status: 'failed', statusMessage }
  }
  return null
}

/** Determines the columns that processing sets. */
async function processOriginal(deps: ProcessingDeps, photo: Photo, original: Original): Promise<Result> {
  const reading = await readTags(deps, photo, original)
  const { facts, groups } = reading ?? NO_READING
  const tagsFor = (dimensions: Partial<ImageSize>) =>
    photo.purpose === 'metadata' ? { tags: metadataScreenTags(photo, original, groups, dimensions) } : {}
  const readColumns = { ...facts, ...lookUpPlace(deps, facts), metadata: facts.metadata ?? Prisma.DbNull }
  try {
    // A photo with an earlier attempt may have crashed its worker: it is rendered in an isolated process.
    const how = { userId: photo.userId, isolated: photo.attempts > 1 }
    const rendered = await inSpan('render', {}, () => deps.renderer.render(original, how))
    const { small, thumbnail, medium, preview, ...imageColumns } = rendered
    const names = await inSpan('store renditions', {}, () =>
      storeRenditions(deps.store, { small, thumbnail, medium, preview }),
    )
    return {
      ...readColumns,
      ...tagsFor(imageColumns),
      ...imageColumns,
      ...names,
      ...previewChecksum(preview),
      status: 'ready',
      statusMessage: reading ? null : UNREADABLE_METADATA,
    }
  } catch (error) {
    const failure = toFailedResult(error)
    if (!failure) throw error
    deps.logger.info({ err: error }, 'photo cannot be rendered')
    return { ...readColumns, ...tagsFor({}), ...failure }
  }
}

async function attemptProcessing(deps: ProcessingDeps, { photo }: Lease): Promise<Result> {
  // Earlier attempts ended without a result: the photo may have crashed its workers.
  if (photo.attempts > deps.maxAttempts) return { status: 'failed', statusMessage: NOT_PROCESSED }
  const opened = await openVerified(deps.store, photo)
  if (!opened) return ORIGINAL_MISSING
  const { original, verification } = opened
  if (verification?.sha256) return { ...NO_RENDITIONS, ...verification, ...WRONG_FILE }
  return { ...(await processOriginal(deps, photo, original)), ...verification }
}

async function handleError(deps: ProcessingDeps, lease: Lease, error: unknown): Promise<void> {
  const outage = isUnavailable(error) || isDatabaseUnavailable(error)
  const isLast = !outage && lease.photo.attempts >= deps.maxAttempts
  deps.logger.warn({ err: error, photoId: lease.photo.id, attempts: lease.photo.attempts }, 'photo processing failed')
  const pause = isStorageFull(error) ? FULL_RETRY_SECONDS : RETRY_SECONDS
  if (!isLast) return releaseLease(deps.db, lease, pause, outage)
  await completeLease(deps.db, lease, { status: 'failed', statusMessage: NOT_PROCESSED })
  deps.afterCommit()
}
