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
import { contentType, newId, renditionKey } from '../files/objects.ts'
import type { ImageSize } from '../formats/image-scanner.ts'
import { type Photo, Prisma } from '../generated/client.ts'
import type { DisplayGroups } from '../metadata/display-groups.ts'
import { extractTags } from '../metadata/extract-tags.ts'
import { type PhotoFacts, readFacts } from '../metadata/facts.ts'
import { type FileMetadata, type MetadataReader, UnreadableMetadataError } from '../metadata/metadata-reader.ts'
import type { openPlaces } from '../places/places.ts'
import { RenderAbortedError } from '../renditions/isolated-renderer.ts'
import { type Original, openOriginal } from '../renditions/original.ts'
import { DamagedImageError } from '../renditions/render-image.ts'
import type { Renderer } from '../renditions/renderer.ts'
import { type Lease, LOST, renewLease, returnLease, settleLease, takeNext } from './leases.ts'

export interface ProcessingDeps {
  db: Database
  store: ObjectStore
  metadata: MetadataReader
  renderer: Renderer
  places: ReturnType<typeof openPlaces>
  logger: Logger
  leaseSeconds: number
  /** How often a photo is begun before it counts as failed. */
  maxAttempts: number
  /** Called after a result is committed. */
  settled(): void
}

/** Photos in work for each that is drawn: while one is drawn, another is fetched or its renditions are stored. */
export const PHOTOS_PER_RENDERING = 2

const RETRY_SECONDS = 10
const SAYS_NOTHING: FileMetadata = { facts: readFacts({}), groups: {} }
const DAMAGED = 'The photo is damaged and cannot be shown. The original file is kept.'
const NO_METADATA = 'The metadata of this photo could not be read.'
const NOT_PROCESSED = 'The photo could not be processed. The original file is kept.'

const durations = metrics.histogram(
  'skyfolio_photo_processing_seconds',
  'Time to process a photo',
  ['outcome'],
  [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
)

function placeOf({ places }: ProcessingDeps, { latitude, longitude }: PhotoFacts) {
  const place = latitude !== null && longitude !== null ? places.lookup(Number(latitude), Number(longitude)) : null
  return { city: place?.city ?? null, county: place?.county ?? null, state: place?.state ?? null }
}

async function putRendition(store: ObjectStore, bytes: Buffer | null): Promise<string | null> {
  if (bytes === null) return null
  const name = `${newId()}.webp`
  await store.put(renditionKey(name), Readable.from([bytes]), { contentType: contentType(name) })
  return name
}

type Result = Prisma.PhotoUpdateManyMutationInput & { status: 'ready' | 'failed' }

/** What the file says. When reading it takes too much the photo goes without, at once: others wait for the reader. */
async function readTags(deps: ProcessingDeps, photo: Photo, original: Original): Promise<FileMetadata | null> {
  const tags = await extractTags(original.source, original.format)
  if (tags === null) return SAYS_NOTHING
  try {
    return await inSpan('read metadata', {}, async () => {
      if (photo.purpose === 'metadata') return deps.metadata.readAll(tags)
      return { facts: await deps.metadata.read(tags), groups: {} }
    })
  } catch (error) {
    if (!(error instanceof UnreadableMetadataError)) throw error
    deps.logger.warn({ err: error, photoId: photo.id }, 'a photo stays without metadata')
    return null
  }
}

/** What the metadata screen shows of a file: what it is, and all that stands in it. */
function shownTags(
  photo: Photo,
  { format }: Original,
  groups: DisplayGroups,
  picture: Partial<ImageSize>,
): DisplayGroups {
  const { name, mediaType } = UPLOAD_FORMATS[format]
  const { originalName, filesize } = photo
  const file = { FileName: originalName, FileType: name, MIMEType: mediaType, FileSize: filesize }
  const { width, height } = picture
  return { File: { ...file, ...(width && height && { ImageWidth: width, ImageHeight: height }) }, ...groups }
}

const NO_PICTURE = { thumbnail: null, preview: null, thumbhash: null }

/** What makes a photo fail: damage to the picture, or that drawing it ends whatever draws it. */
function failureOf(error: unknown): Result | null {
  if (error instanceof DamagedImageError) return { ...NO_PICTURE, status: 'failed', statusMessage: DAMAGED }
  if (error instanceof RenderAbortedError) return { ...NO_PICTURE, status: 'failed', statusMessage: NOT_PROCESSED }
  return null
}

/** The columns that processing finds out. */
async function examine(deps: ProcessingDeps, photo: Photo, original: Original): Promise<Result> {
  const reading = await readTags(deps, photo, original)
  const { facts, groups } = reading ?? SAYS_NOTHING
  const tagsFor = (picture: Partial<ImageSize>) =>
    photo.purpose === 'metadata' ? { tags: shownTags(photo, original, groups, picture) } : {}
  const said = { ...facts, ...placeOf(deps, facts), metadata: facts.metadata ?? Prisma.DbNull }
  try {
    // A photo that was begun before may be what ended its worker.
    const drawn = await inSpan('draw', {}, () => deps.renderer.render(original, photo.attempts > 1))
    const { thumbnail, preview, ...picture } = drawn
    const [small, large] = await inSpan('store renditions', {}, () =>
      Promise.all([putRendition(deps.store, thumbnail), putRendition(deps.store, preview)]),
    )
    return {
      ...said,
      ...tagsFor(picture),
      ...picture,
      thumbnail: small,
      preview: large,
      status: 'ready',
      statusMessage: reading ? null : NO_METADATA,
    }
  } catch (error) {
    const failure = failureOf(error)
    if (!failure) throw error
    deps.logger.info({ err: error }, 'a photo cannot be drawn')
    return { ...said, ...tagsFor({}), ...failure }
  }
}

async function resultFor(deps: ProcessingDeps, { photo }: Lease): Promise<Result> {
  // Earlier attempts ended without a word: the photo may be what kills its worker.
  if (photo.attempts > deps.maxAttempts) return { status: 'failed', statusMessage: NOT_PROCESSED }
  const original = await openOriginal(deps.store, photo)
  if (!original) return LOST
  return examine(deps, photo, original)
}

/** Renditions under names that no photo took: the sweeper would find them too, later. */
async function discardRenditions(deps: ProcessingDeps, { thumbnail, preview }: Result): Promise<void> {
  for (const name of [thumbnail, preview]) if (typeof name === 'string') await deps.store.remove(renditionKey(name))
}

async function fail(deps: ProcessingDeps, lease: Lease, error: unknown): Promise<void> {
  const outage = isUnavailable(error) || isDatabaseUnavailable(error)
  const last = !outage && lease.photo.attempts >= deps.maxAttempts
  deps.logger.warn({ err: error, photoId: lease.photo.id, attempts: lease.photo.attempts }, 'a photo was not processed')
  if (!last) return returnLease(deps.db, lease, RETRY_SECONDS, outage)
  await settleLease(deps.db, lease, { status: 'failed', statusMessage: NOT_PROCESSED })
  deps.settled()
}

/**
 * Processes the photo whose turn it is, if one waits: metadata, place, renditions. It may be called at any time and any
 * number of times; the result counts only while the lease holds. What went wrong outside the photo is tried again later.
 */
export async function processNext(deps: ProcessingDeps): Promise<void> {
  const lease = await takeNext(deps.db, deps.leaseSeconds)
  if (!lease) return
  const { id, attempts, trace } = lease.photo
  await resumeTrace(trace, 'process photo', { 'photo.id': id, 'photo.attempt': attempts }, () => process(deps, lease))
}

async function process(deps: ProcessingDeps, lease: Lease): Promise<void> {
  const renewing = setInterval(
    () => renewLease(deps.db, lease, deps.leaseSeconds).catch(() => {}),
    (deps.leaseSeconds * 1000) / 3,
  )
  const measure = durations.startTimer()
  try {
    const result = await resultFor(deps, lease)
    const counted = await inSpan('settle', {}, () => settleLease(deps.db, lease, result))
    if (!counted) await discardRenditions(deps, result)
    else deps.settled()
    measure({ outcome: counted ? result.status : 'lost' })
  } catch (error) {
    measure({ outcome: 'error' })
    await fail(deps, lease, error)
  } finally {
    clearInterval(renewing)
  }
}
