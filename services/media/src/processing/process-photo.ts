import { Readable } from 'node:stream'
import {
  inSpan,
  isDatabaseUnavailable,
  isUnavailable,
  type Logger,
  metrics,
  type ObjectStore,
  resumeTrace,
} from '@skyfolio/kit'
import { UPLOAD_FORMATS } from '@skyfolio/proto'
import type { Database } from '../database.ts'
import { mediaTypeOf, newName, renditionKey } from '../files/object-keys.ts'
import type { ImageSize } from '../formats/image-scanner.ts'
import { type Photo, Prisma } from '../generated/client.ts'
import type { DisplayGroups } from '../metadata/display-groups.ts'
import { extractTags } from '../metadata/extract-tags.ts'
import { type PhotoFacts, readFacts } from '../metadata/facts.ts'
import { type FileMetadata, type MetadataReader, UnreadableMetadataError } from '../metadata/metadata-reader.ts'
import { ORIGINAL_MISSING } from '../photos/status.ts'
import type { openPlaces } from '../places/places.ts'
import { RenderAbortedError } from '../renditions/isolated-renderer.ts'
import { type Original, openOriginal } from '../renditions/original.ts'
import { DamagedImageError } from '../renditions/render-image.ts'
import type { Renderer } from '../renditions/renderer.ts'
import { acquireNextLease, completeLease, type Lease, releaseLease, renewLease } from './leases.ts'

export interface ProcessingDeps {
  db: Database
  store: ObjectStore
  metadata: MetadataReader
  renderer: Renderer
  places: ReturnType<typeof openPlaces>
  logger: Logger
  leaseSeconds: number
  /** Attempts after which a photo counts as failed. */
  maxAttempts: number
  /** Called after the commit of a result. */
  afterCommit(): void
}

/** Photos in work per rendering: while one is rendered, another is fetched or its renditions are stored. */
export const PHOTOS_PER_RENDERING = 2

const RETRY_SECONDS = 10
const NO_READING: FileMetadata = { facts: readFacts({}), groups: {} }
const DAMAGED = 'The photo is damaged and cannot be shown. The original file is kept.'
const UNREADABLE_METADATA = 'The metadata of this photo could not be read.'
const NOT_PROCESSED = 'The photo could not be processed. The original file is kept.'

const durations = metrics.histogram(
  'skyfolio_photo_processing_seconds',
  'Time to process a photo',
  ['outcome'],
  [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
)

/**
 * Processes the next waiting photo, if any: metadata, place, renditions. Safe to call at any time and concurrently; the
 * result counts only while the lease holds. Failures that are not the photo's fault are retried later.
 */
export async function processNext(deps: ProcessingDeps): Promise<void> {
  const lease = await acquireNextLease(deps.db, deps.leaseSeconds)
  if (!lease) return
  const { id, attempts, trace } = lease.photo
  await resumeTrace(trace, 'process photo', { 'photo.id': id, 'photo.attempt': attempts }, () => process(deps, lease))
}

async function process(deps: ProcessingDeps, lease: Lease): Promise<void> {
  const renewal = setInterval(
    () => renewLease(deps.db, lease, deps.leaseSeconds).catch(() => {}),
    (deps.leaseSeconds * 1000) / 3,
  )
  const measure = durations.startTimer()
  try {
    const result = await attemptProcessing(deps, lease)
    const isSaved = await inSpan('save result', {}, () => completeLease(deps.db, lease, result))
    if (isSaved) deps.afterCommit()
    else await discardRenditions(deps, result)
    measure({ outcome: isSaved ? result.status : 'lost' })
  } catch (error) {
    measure({ outcome: 'error' })
    await handleError(deps, lease, error)
  } finally {
    clearInterval(renewal)
  }
}

function lookUpPlace({ places }: ProcessingDeps, { latitude, longitude }: PhotoFacts) {
  const place = latitude !== null && longitude !== null ? places.lookup(Number(latitude), Number(longitude)) : null
  return { city: place?.city ?? null, county: place?.county ?? null, state: place?.state ?? null }
}

async function putRendition(store: ObjectStore, bytes: Buffer | null): Promise<string | null> {
  if (bytes === null) return null
  const name = newName('webp')
  await store.put(renditionKey(name), Readable.from([bytes]), { contentType: mediaTypeOf(name) })
  return name
}

type Result = Prisma.PhotoUpdateManyMutationInput & { status: 'ready' | 'failed' }

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

const NO_RENDITIONS = { thumbnail: null, preview: null, thumbhash: null }

/** The result for errors that are the photo's fault: a damaged image, or a rendering that was stopped. */
function toFailedResult(error: unknown): Result | null {
  if (error instanceof DamagedImageError) return { ...NO_RENDITIONS, status: 'failed', statusMessage: DAMAGED }
  if (error instanceof RenderAbortedError) return { ...NO_RENDITIONS, status: 'failed', statusMessage: NOT_PROCESSED }
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
    const rendered = await inSpan('render', {}, () => deps.renderer.render(original, photo.attempts > 1))
    const { thumbnail, preview, ...imageColumns } = rendered
    const [small, large] = await inSpan('store renditions', {}, () =>
      Promise.all([putRendition(deps.store, thumbnail), putRendition(deps.store, preview)]),
    )
    return {
      ...readColumns,
      ...tagsFor(imageColumns),
      ...imageColumns,
      thumbnail: small,
      preview: large,
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
  const original = await openOriginal(deps.store, photo)
  if (!original) return ORIGINAL_MISSING
  return processOriginal(deps, photo, original)
}

/** Removes renditions that belong to no photo now, rather than leave them to the sweep. */
async function discardRenditions(deps: ProcessingDeps, { thumbnail, preview }: Result): Promise<void> {
  for (const name of [thumbnail, preview]) if (typeof name === 'string') await deps.store.remove(renditionKey(name))
}

async function handleError(deps: ProcessingDeps, lease: Lease, error: unknown): Promise<void> {
  const outage = isUnavailable(error) || isDatabaseUnavailable(error)
  const isLast = !outage && lease.photo.attempts >= deps.maxAttempts
  deps.logger.warn({ err: error, photoId: lease.photo.id, attempts: lease.photo.attempts }, 'photo processing failed')
  if (!isLast) return releaseLease(deps.db, lease, RETRY_SECONDS, outage)
  await completeLease(deps.db, lease, { status: 'failed', statusMessage: NOT_PROCESSED })
  deps.afterCommit()
}
